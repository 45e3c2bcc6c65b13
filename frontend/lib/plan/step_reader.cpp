#include "plan/step_reader.h"

#include "ccgraph/ir/internal/names.h"
#include "ccgraph/ir/op_def.h"
#include "plan/value_reader.h"
#include "json/argument_reader.h"

namespace ccgraph {
namespace {

constexpr llvm::StringLiteral kernelKeys[] = {"name", "stream", "waits",    "records", "op",
                                              "args", "kwargs", "operands", "result"};
constexpr llvm::StringLiteral collectiveKeys[] = {"name", "stream", "waits", "records", "calls"};
constexpr llvm::StringLiteral copyKeys[] = {"name", "stream", "waits", "records", "from", "to"};
constexpr llvm::StringLiteral callKeys[] = {"kind", "group", "reduce",      "root",          "peer",
                                            "tag",  "rows",  "send_counts", "receive_counts"};

/// The arguments of one kernel step: "%i" is its operand i.
class StepArguments final : public ArgumentOwner {
public:
  StepArguments(PlanScope &scope, size_t numOperands) : scope_(scope), numOperands_(numOperands) {}

  Argument reference(const JsonValue &value) override {
    llvm::StringRef text = value.text;
    std::optional<uint64_t> index = text.consume_front("%") ? takeIndex(text) : std::nullopt;
    if (!index || !text.empty()) {
      scope_.report.expected(value, "an operand \"%index\" or a literal", "text is written {\"str\": ...}");
      return Argument::none();
    }
    auto operand = scope_.index(*index, value, numOperands_, {"an operand", "operands", "step"});
    return operand ? Argument::operand(*operand) : Argument::none();
  }
  Argument sequence(Argument::Kind kind, llvm::ArrayRef<Argument> elements) override {
    return scope_.plan.sequence(kind, elements);
  }
  Argument dict(llvm::ArrayRef<NamedArgument> entries) override { return Argument::dict(scope_.plan.keep(entries)); }

private:
  PlanScope &scope_;
  size_t numOperands_;
};

std::optional<CollectiveKind> parseCollective(llvm::StringRef text) {
  for (unsigned i = 0; i <= static_cast<unsigned>(CollectiveKind::Barrier); ++i)
    if (text == collectiveName(static_cast<CollectiveKind>(i)))
      return static_cast<CollectiveKind>(i);
  return std::nullopt;
}

class CallReader {
public:
  CallReader(PlanScope &scope, const JsonValue &value) : scope_(scope), members_(scope, value, "a call", callKeys) {}

  PlanCollective run() {
    readKind();
    if (const JsonValue *group = members_.require("group"))
      call_.group = scope_.group(*group).value_or(0);
    if (const JsonValue *reduce = members_.find("reduce"))
      readReduceOp(*reduce);
    call_.root = rankOr("root", "a rank within the group");
    call_.peer = rankOr("peer", "the other end's rank within the group");
    if (const JsonValue *tag = members_.find("tag"))
      call_.tag = scope_.report.integer(*tag, "a tag: an integer").value_or(0);
    for (const JsonValue &row : members_.list("rows"))
      readRow(row);
    readCounts("send_counts", call_.sendCounts);
    readCounts("receive_counts", call_.receiveCounts);
    return std::move(call_);
  }

private:
  void readKind() {
    const JsonValue *kind = members_.require("kind");
    if (!kind)
      return;
    if (auto parsed = kind->is(JsonKind::String) ? parseCollective(kind->text) : std::nullopt)
      call_.kind = *parsed;
    else
      scope_.report.expected(*kind, "a kind of collective such as all_reduce, all_gather, send");
  }

  void readReduceOp(const JsonValue &value) {
    auto parsed = value.is(JsonKind::String) ? parseReduceOp(value.text) : std::nullopt;
    // A file has one form of the name, while PyTorch accepts any case.
    if (parsed && reduceOpName(*parsed) == value.text)
      call_.reduceOp = parsed;
    else
      scope_.report.expected(value, "a reduction: sum, avg, product, min, max, band, bor or bxor");
  }

  int64_t rankOr(llvm::StringRef key, llvm::StringRef what) {
    const JsonValue *value = members_.find(key);
    return value ? scope_.count(*value, what).value_or(-1) : -1;
  }

  void readRow(const JsonValue &row) {
    if (!row.is(JsonKind::Array) || row.count != 2)
      return scope_.report.expected(row, "a row: [what is sent, where it is received], null for none");
    PlanRow &made = call_.rows.emplace_back();
    if (!row.first->is(JsonKind::Null))
      made.send = readWindow(scope_, *row.first);
    if (!row.first->next->is(JsonKind::Null))
      made.receive = readWindow(scope_, *row.first->next);
  }

  void readCounts(llvm::StringRef key, llvm::SmallVectorImpl<Dim> &counts) {
    for (const JsonValue &count : members_.list(key))
      counts.push_back(scope_.dim(count, "a number of elements"));
  }

  PlanScope &scope_;
  Members members_;
  PlanCollective call_;
};

class StepReader {
public:
  StepReader(PlanScope &scope, const JsonValue &value) : scope_(scope), value_(value) {}

  void run() {
    if (has("op"))
      readKernel();
    else if (has("calls"))
      readCollective();
    else if (has("from") || has("to"))
      readCopy();
    else
      scope_.report.expected(value_, "a step with 'op', with 'calls', or with 'from' and 'to'");
  }

private:
  [[nodiscard]] bool has(llvm::StringRef key) const { return value_.member(key) != nullptr; }

  void readKernel() {
    Members members(scope_, value_, "a step with 'op'", kernelKeys);
    PlanStep step = readCommon(members);
    KernelStep kernel;
    auto op = scope_.text(*members.find("op"), "an operator, e.g. \"aten.mm.default\"");
    if (op && !(isCallTarget(*op) && isFunctionOfGraphs(*op)))
      scope_.report.expected(*members.find("op"), "an operator: identifiers joined by dots, e.g. \"aten.mm.default\"");
    else if (op)
      kernel.op = scope_.plan.context().ops().lookup(*op);
    for (const JsonValue &operand : members.list("operands"))
      kernel.operands.push_back(readPlanOperand(scope_, operand));
    readArguments(members, kernel);
    if (const JsonValue *result = members.find("result"))
      kernel.result = readPlanValue(scope_, *result);
    finish(std::move(step), std::move(kernel));
  }

  void readArguments(Members &members, KernelStep &kernel) {
    StepArguments owner(scope_, kernel.operands.size());
    ArgumentReader reader(scope_.plan.context(), scope_.report, owner);
    if (const JsonValue *args = members.find("args"))
      kernel.args = scope_.plan.keep(reader.readAll(*args));
    if (const JsonValue *kwargs = members.find("kwargs"))
      kernel.kwargs = scope_.plan.keep(reader.readAllNamed(*kwargs));
  }

  void readCollective() {
    Members members(scope_, value_, "a step with 'calls'", collectiveKeys);
    PlanStep step = readCommon(members);
    CollectiveStep collective;
    for (const JsonValue &call : members.list("calls"))
      collective.calls.push_back(CallReader(scope_, call).run());
    finish(std::move(step), std::move(collective));
  }

  void readCopy() {
    Members members(scope_, value_, "a step with 'from' and 'to'", copyKeys);
    PlanStep step = readCommon(members);
    CopyStep copy;
    if (const JsonValue *from = members.require("from"))
      copy.from = readWindow(scope_, *from).value_or(PlanWindow());
    if (const JsonValue *to = members.require("to"))
      copy.to = readWindow(scope_, *to).value_or(PlanWindow());
    finish(std::move(step), copy);
  }

  PlanStep readCommon(Members &members) {
    PlanStep step;
    if (const JsonValue *name = members.require("name"))
      step.name = scope_.plan.context().identifier(
          scope_.text(*name, "the name of the node that the step was made of").value_or(""));
    if (const JsonValue *stream = members.require("stream"))
      step.stream = scope_.index(*stream, scope_.plan.streams.size(), {"a stream", "streams"}).value_or(0);
    for (const JsonValue &wait : members.list("waits"))
      if (auto waited = event(wait))
        step.waits.push_back(*waited);
    if (const JsonValue *records = members.find("records"))
      step.event = event(*records);
    return step;
  }

  std::optional<EventId> event(const JsonValue &value) {
    return scope_.index(value, scope_.plan.numEvents, {"an event", "events"});
  }

  template <typename Work>
  void finish(PlanStep step, Work work) {
    step.work = std::move(work);
    scope_.plan.steps.push_back(std::move(step));
  }

  PlanScope &scope_;
  const JsonValue &value_;
};

} // namespace

void readPlanStep(PlanScope &scope, const JsonValue &value) { StepReader(scope, value).run(); }

} // namespace ccgraph

#include "support/random_plan.h"

#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <random>

namespace ccgraph::test {
namespace {

class Maker {
public:
  Maker(Context &context, uint64_t seed) : context_(context), random_(seed), plan_(std::make_unique<Plan>(context)) {}

  std::unique_ptr<Plan> run() {
    plan_->name = text();
    if (chance(2))
      plan_->graphDigest = std::string(64, "0123456789abcdef"[below(16)]);
    if (chance(3))
      plan_->rank = static_cast<int64_t>(below(8));
    if (chance(2))
      plan_->worldSize = static_cast<int64_t>(1 + below(64));
    makeGroups();
    makeGuards();
    makeStreams();
    makeLayout();
    makeBuffers();
    numSteps_ = below(30);
    plan_->numEvents = static_cast<uint32_t>(below(numSteps_ + 1));
    makeInputs();
    for (size_t i = 0; i < numSteps_; ++i)
      plan_->steps.push_back(step());
    makeOutputs();
    return std::move(plan_);
  }

private:
  // --- Choices -------------------------------------------------------------------------------------------------------

  size_t below(size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  /// Returns true with probability one in `n`.
  bool chance(size_t n) { return below(n) == 0; }
  template <typename T>
  T pick(std::initializer_list<T> from) {
    return from.begin()[below(from.size())];
  }
  std::string text() {
    return pick<std::string>({"mm", "add_1", "<lambda>", "a \"b\" \\ c", "\xc3\xa9t\xc3\xa9", "%x", "b3"});
  }
  Identifier name() { return context_.identifier(text()); }
  const SymExpr *expression() {
    return context_.symbolic(pick<llvm::StringRef>({"s0", "2*s0 + 1", "Max(1, u0)", "4"}));
  }
  /// Returns a size for a type, in whose text a number is never an expression.
  Dim size() { return chance(4) ? Dim(context_.symbolic("2*s0 + Max(1, u0)")) : Dim(static_cast<int64_t>(below(50))); }
  Dim dim() { return chance(4) ? Dim(expression()) : Dim(static_cast<int64_t>(below(5000))); }

  // --- Data besides the steps ----------------------------------------------------------------------------------------

  void makeGroups() {
    for (size_t i = 0, count = below(4); i < count; ++i) {
      Group &group = plan_->groups.emplace_back();
      group.name = text() + std::to_string(i);
      if (chance(2))
        group.ranks = {static_cast<int64_t>(below(4)), 7, 5};
      else
        group.partition = {{0, 1}, {static_cast<int64_t>(2 + below(3))}};
      group.description = chance(2) ? text() : "";
      group.mesh = chance(3) ? text() : "";
      group.axis = static_cast<int64_t>(below(3)) - 1;
      group.assumed = chance(3);
    }
  }

  void makeGuards() {
    for (size_t i = 0, count = below(3); i < count; ++i)
      plan_->guards.push_back(pick<Guard>({{GuardFact::Size, text(), int64_t{4}},
                                           {GuardFact::Rank, text(), int64_t{-1}},
                                           {GuardFact::Ranks, text(), std::vector<int64_t>{3, 1}},
                                           {GuardFact::Member, text(), chance(2)},
                                           {GuardFact::Tag, text(), text()},
                                           {GuardFact::Name, text(), text()}}));
  }

  void makeStreams() {
    for (size_t i = 0; i < plan_->groups.size(); ++i) {
      plan_->streams.push_back({pick({PlanStream::Kind::Collective, PlanStream::Kind::Transfer}), "comm:" + text(),
                                static_cast<uint32_t>(below(plan_->groups.size()))});
      if (plan_->streams.back().kind == PlanStream::Kind::Collective && chance(3))
        plan_->streams.back().group.reset();
    }
  }

  void makeLayout() {
    plan_->layout.computeBytes = static_cast<int64_t>(below(100000));
    plan_->layout.communicationBytes = static_cast<int64_t>(below(100000));
    plan_->layout.liveBytes = static_cast<int64_t>(below(100000));
    if (chance(2))
      plan_->layout.symbols = {{context_.identifier("s0"), static_cast<int64_t>(below(9)) - 1},
                               {context_.identifier("u0"), 4}};
  }

  void makeBuffers() {
    for (size_t i = 0, count = 1 + below(12); i < count; ++i) {
      Home home = pick({Home::Input, Home::Attribute, Home::Compute, Home::Communication, Home::Growing});
      bool inArena = home == Home::Compute || home == Home::Communication;
      plan_->buffers.push_back({name(), home, home == Home::Growing && chance(2) ? Dim(0) : dim()});
      plan_->layout.offsets.push_back(inArena ? static_cast<int64_t>(below(100000)) : 0);
    }
  }

  void makeInputs() {
    for (size_t i = 0, count = below(6); i < count; ++i) {
      PlanInput &input = plan_->inputs.emplace_back();
      input.name = "in." + text();
      input.value = chance(4) ? number() : chance(6) ? PlanValue::ofObject(name()) : PlanValue::tensor(window());
      if (chance(3))
        input.after = PlanValue::tensor(window());
    }
  }

  void makeOutputs() {
    for (size_t i = 0, count = below(6); i < count; ++i)
      plan_->outputs.push_back(single());
  }

  // --- Values --------------------------------------------------------------------------------------------------------

  PlanWindow window() {
    llvm::SmallVector<Dim, 4> sizes;
    llvm::SmallVector<Dim, 4> strides;
    for (size_t i = 0, rank = below(4); i < rank; ++i) {
      sizes.push_back(size());
      strides.push_back(size());
    }
    DType dtype = pick({DType::F32, DType::BF16, DType::I64});
    Device device{context_.identifier(pick<llvm::StringRef>({"cpu", "cuda"})), static_cast<int>(below(3)) - 1};
    return {static_cast<BufferId>(below(plan_->buffers.size())), context_.tensor(dtype, {sizes, strides}, device),
            chance(2) ? Dim(0) : dim()};
  }

  /// Returns a new number or an existing one, equally often.
  PlanValue number() {
    if (plan_->numSlots == 0 || chance(2))
      return PlanValue::number(plan_->numSlots++, chance(2) ? nullptr : context_.symbolicScalar(expression()));
    return PlanValue::number(static_cast<SlotId>(below(plan_->numSlots)), nullptr);
  }

  /// Returns any value except a list.
  PlanValue single() {
    switch (below(6)) {
    case 0:
      return {};
    case 1:
      return number();
    case 2:
      return PlanValue::ofObject(name());
    case 3:
      return PlanValue::ofLiteral(literal());
    default:
      return PlanValue::tensor(window());
    }
  }

  PlanValue value(size_t depth) {
    if (depth > 2 || !chance(5))
      return single();
    std::vector<PlanValue> elements;
    for (size_t i = 0, count = below(4); i < count; ++i)
      elements.push_back(value(depth + 1));
    return PlanValue::list(std::move(elements));
  }

  Argument literal() {
    using Kind = Argument::Kind;
    return pick({Argument::none(), Argument::boolean(true), Argument::integer(std::numeric_limits<int64_t>::min()),
                 Argument::floating(-0.0), Argument::floating(std::numeric_limits<double>::infinity()),
                 Argument::floating(1e-30), Argument::string(name()), Argument::symbolic(expression()),
                 Argument::dtype(DType::F16), Argument::device({context_.identifier("cuda"), 1}),
                 Argument::word(Kind::Layout, context_.identifier("strided")),
                 Argument::word(Kind::MemoryFormat, context_.identifier("channels_last")),
                 Argument::word(Kind::Python,
                                context_.identifier(pick<llvm::StringRef>({"2j", "torch.Size([2])", "<object>"})))});
  }

  Argument argument(size_t numOperands, size_t depth) {
    if (numOperands != 0 && chance(2))
      return Argument::operand(static_cast<uint32_t>(below(numOperands)));
    if (depth > 2 || chance(2))
      return literal();
    llvm::SmallVector<Argument, 4> elements;
    Argument::Kind kind = pick({Argument::Kind::List, Argument::Kind::Tuple, Argument::Kind::Slice});
    for (size_t i = 0, count = kind == Argument::Kind::Slice ? 3 : below(4); i < count; ++i)
      elements.push_back(argument(numOperands, depth + 1));
    if (!chance(4))
      return plan_->sequence(kind, elements);
    return Argument::dict(plan_->keep(named(numOperands, depth + 1)));
  }

  llvm::SmallVector<NamedArgument, 2> named(size_t numOperands, size_t depth) {
    llvm::SmallVector<NamedArgument, 2> entries;
    for (llvm::StringRef key : {"alpha", "a key"})
      if (chance(2))
        entries.push_back({context_.identifier(key), argument(numOperands, depth)});
    return entries;
  }

  // --- Steps ---------------------------------------------------------------------------------------------------------

  PlanStep step() {
    PlanStep step;
    step.name = name();
    step.stream = static_cast<StreamId>(below(plan_->streams.size()));
    for (size_t i = 0, count = plan_->numEvents ? below(3) : 0; i < count; ++i)
      step.waits.push_back(static_cast<EventId>(below(plan_->numEvents)));
    if (plan_->numEvents && chance(2))
      step.event = static_cast<EventId>(below(plan_->numEvents));
    if (!plan_->groups.empty() && chance(3))
      step.work = collective();
    else if (chance(4))
      step.work = CopyStep{window(), window()};
    else
      step.work = kernel();
    return step;
  }

  KernelStep kernel() {
    KernelStep kernel;
    kernel.op = context_.ops().lookup(
        pick<llvm::StringRef>({"aten.mm.default", "aten.add.Tensor", "mylib.odd_op.\xc3\xa9t\xc3\xa9"}));
    for (size_t i = 0, count = below(4); i < count; ++i)
      kernel.operands.push_back({value(0), chance(2), chance(2)});
    llvm::SmallVector<Argument, 4> args;
    for (size_t i = 0, count = below(4); i < count; ++i)
      args.push_back(argument(kernel.operands.size(), 0));
    kernel.args = plan_->keep(args);
    kernel.kwargs = plan_->keep(named(kernel.operands.size(), 0));
    kernel.result = value(0);
    return kernel;
  }

  CollectiveStep collective() {
    CollectiveStep step;
    for (size_t i = 0, count = below(3); i < count; ++i)
      step.calls.push_back(call());
    return step;
  }

  PlanCollective call() {
    PlanCollective call;
    call.kind = static_cast<CollectiveKind>(below(static_cast<size_t>(CollectiveKind::Barrier) + 1));
    call.group = static_cast<uint32_t>(below(plan_->groups.size()));
    if (chance(2))
      call.reduceOp = static_cast<ReduceOp>(below(static_cast<size_t>(ReduceOp::Bxor) + 1));
    call.root = static_cast<int64_t>(below(3)) - 1;
    call.peer = static_cast<int64_t>(below(3)) - 1;
    call.tag = static_cast<int64_t>(below(5)) - 2;
    for (size_t i = 0, count = below(3); i < count; ++i)
      call.rows.push_back(
          {chance(4) ? std::nullopt : std::optional(window()), chance(4) ? std::nullopt : std::optional(window())});
    for (size_t i = 0, count = below(3); i < count; ++i) {
      call.sendCounts.push_back(dim());
      call.receiveCounts.push_back(dim());
    }
    return call;
  }

  Context &context_;
  std::mt19937_64 random_;
  std::unique_ptr<Plan> plan_;
  size_t numSteps_ = 0;
};

// --- Comparison ------------------------------------------------------------------------------------------------------

bool sameArguments(llvm::ArrayRef<Argument> a, llvm::ArrayRef<Argument> b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), sameArgument);
}

bool sameNamed(llvm::ArrayRef<NamedArgument> a, llvm::ArrayRef<NamedArgument> b) {
  auto same = [](const NamedArgument &x, const NamedArgument &y) {
    return x.name == y.name && sameArgument(x.value, y.value);
  };
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same);
}

bool sameCall(const PlanCollective &a, const PlanCollective &b) {
  auto sameRow = [](const PlanRow &x, const PlanRow &y) { return x.send == y.send && x.receive == y.receive; };
  return a.kind == b.kind && a.group == b.group && a.reduceOp == b.reduceOp && a.root == b.root && a.peer == b.peer &&
         a.tag == b.tag && a.sendCounts == b.sendCounts && a.receiveCounts == b.receiveCounts &&
         a.rows.size() == b.rows.size() && std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), sameRow);
}

bool sameWork(const PlanStep &a, const PlanStep &b) {
  if (a.work.index() != b.work.index())
    return false;
  if (const KernelStep *x = a.kernel()) {
    const KernelStep *y = b.kernel();
    return x->op == y->op && sameArguments(x->args, y->args) && sameNamed(x->kwargs, y->kwargs) &&
           x->operands == y->operands && x->result == y->result;
  }
  if (const CollectiveStep *x = a.collective())
    return x->calls.size() == b.collective()->calls.size() &&
           std::equal(x->calls.begin(), x->calls.end(), b.collective()->calls.begin(), sameCall);
  return a.copy()->from == b.copy()->from && a.copy()->to == b.copy()->to;
}

/// Names the first entry that differs.
template <typename Entry, typename Same>
std::string listDifference(const std::string &what, const std::vector<Entry> &a, const std::vector<Entry> &b,
                           Same same) {
  if (a.size() != b.size())
    return what + ": " + std::to_string(a.size()) + " against " + std::to_string(b.size());
  for (size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i]))
      return what + "[" + std::to_string(i) + "]";
  return "";
}

std::string difference(const PlanLayout &a, const PlanLayout &b) {
  bool same = a.symbols == b.symbols && a.offsets == b.offsets && a.computeBytes == b.computeBytes &&
              a.communicationBytes == b.communicationBytes && a.liveBytes == b.liveBytes;
  return same ? "" : "layout";
}

} // namespace

std::unique_ptr<Plan> makeRandomPlan(Context &context, uint64_t seed) { return Maker(context, seed).run(); }

std::string planDifference(const Plan &a, const Plan &b) {
  bool sameFacts = a.name == b.name && a.graphDigest == b.graphDigest && a.rank == b.rank &&
                   a.worldSize == b.worldSize && a.numEvents == b.numEvents && a.numSlots == b.numSlots;
  const std::string found[] = {
      sameFacts ? "" : "name, graph_digest, rank, world_size, events or numbers",
      listDifference("groups", a.groups, b.groups, std::equal_to<>()),
      listDifference("guards", a.guards, b.guards, std::equal_to<>()),
      listDifference("streams", a.streams, b.streams,
                     [](auto &x, auto &y) { return x.kind == y.kind && x.name == y.name && x.group == y.group; }),
      listDifference("buffers", a.buffers, b.buffers,
                     [](auto &x, auto &y) { return x.name == y.name && x.home == y.home && x.bytes == y.bytes; }),
      listDifference("inputs", a.inputs, b.inputs,
                     [](auto &x, auto &y) { return x.name == y.name && x.value == y.value && x.after == y.after; }),
      listDifference("steps", a.steps, b.steps,
                     [](auto &x, auto &y) {
                       return x.name == y.name && x.stream == y.stream && x.waits == y.waits && x.event == y.event &&
                              sameWork(x, y);
                     }),
      listDifference("outputs", a.outputs, b.outputs, std::equal_to<>()),
      difference(a.layout, b.layout)};
  const auto *first = llvm::find_if(found, [](const std::string &text) { return !text.empty(); });
  return first == std::end(found) ? "" : *first;
}

} // namespace ccgraph::test

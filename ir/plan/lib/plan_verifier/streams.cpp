// Checks that steps run on streams of their kind, and that steps that need one order share one stream.
#include "plan_verifier/plan_rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <tuple>

namespace ccgraph::plan_verifier {
namespace {

using Kind = PlanStream::Kind;

llvm::StringRef kindText(Kind kind) {
  switch (kind) {
  case Kind::Host:
    return "the host";
  case Kind::Compute:
    return "computation";
  case Kind::Collective:
    return "collectives";
  case Kind::Transfer:
    return "transfers";
  case Kind::HostCopy:
    return "copies to and from the host";
  }
  return "";
}

bool yieldsNumber(const KernelStep &kernel) {
  bool found = false;
  forEachSlot(kernel.result, [&](SlotId) { found = true; });
  return found;
}

/// Returns true for u0: a symbol that is known after a step has computed it.
bool isUnbackedName(llvm::StringRef name) {
  return name.consume_front("u") && !name.empty() && llvm::all_of(name, llvm::isDigit);
}

class StreamRules {
public:
  explicit StreamRules(Report &report) : report_(report), plan_(report.plan()) {}

  void run() {
    for (StreamId stream = 1; stream < plan_.streams.size(); ++stream)
      if (plan_.streams[stream].kind == Kind::Host)
        report_.add(
            "stream " + plan_.streams[stream].name,
            {"plan.streams", "is a second stream of the host; expected stream 0 alone", "give it another kind"});
    for (const PlanInput &input : plan_.inputs)
      learn(input.value);
    for (step_ = 0; step_ < plan_.steps.size(); ++step_)
      visit(plan_.steps[step_]);
  }

private:
  void wrong(const std::string &what, const std::string &expected, std::string repair) {
    StreamId stream = plan_.steps[step_].stream;
    report_.add(step_, {"plan.streams",
                        what + " on " + streamText(plan_, stream) + ", which is for " +
                            kindText(plan_.streams[stream].kind).str() + "; expected " + expected,
                        std::move(repair)});
  }

  void visit(const PlanStep &step) {
    Kind kind = plan_.streams[step.stream].kind;
    bool computes = kind == Kind::Host || kind == Kind::Compute;
    if (const KernelStep *kernel = step.kernel()) {
      if (!computes)
        wrong("runs a kernel", "the host's or one of computation", "move the step to the stream of computation");
      else if (kind == Kind::Compute && yieldsNumber(*kernel))
        wrong("yields a number", "the host's, since only the host has numbers", "move the step to the host");
      std::string told = learn(kernel->result);
      if (kind == Kind::Compute && !told.empty())
        wrong("determines the size " + told, "the host's, which needs the size before it issues more",
              "move the step to the host");
    }
    if (step.copy() && kind == Kind::Host)
      wrong("copies", "any other: the host would stall", "move the step to the stream of computation");
    if (const CollectiveStep *collective = step.collective())
      visitCalls(*collective);
  }

  /// Records symbols in the value's types as known from here on. Returns a symbol that was unknown, if there is any.
  std::string learn(const PlanValue &value) {
    std::string told;
    auto learnName = [&](llvm::StringRef name) -> std::optional<int64_t> {
      if (isUnbackedName(name) && known_.insert(name).second)
        told = name.str();
      return 1;
    };
    forEachWindow(value, [&](const PlanWindow &window) {
      for (const Dim &size : window.type->sizes())
        (void)size.evaluate(learnName);
    });
    if (value.kind == PlanValue::Kind::Number && value.numberType)
      (void)Dim(value.numberType->symbol()).evaluate(learnName);
    return told;
  }

  void visitCalls(const CollectiveStep &step) {
    for (const PlanCollective &call : step.calls) {
      const PlanStream &stream = plan_.streams[plan_.steps[step_].stream];
      bool transfer = isPointToPoint(call.kind);
      if (stream.kind != (transfer ? Kind::Transfer : Kind::Collective))
        wrong("starts " + collectiveName(call.kind).str(), transfer ? "one of transfers" : "one of collectives",
              "move the step to such a stream");
      else if (stream.group && *stream.group != call.group)
        report_.add(step_, {"plan.streams",
                            "communicates in group '" + plan_.groups[call.group].name + "' on " +
                                streamText(plan_, plan_.steps[step_].stream) + ", which is that of group '" +
                                plan_.groups[*stream.group].name + "'; expected one of its own group",
                            "move the step to a stream of its group"});
      else
        checkChannel(call, transfer);
    }
  }

  /// Two ranks must issue the calls of one channel in one order, so each rank issues them on one stream.
  void checkChannel(const PlanCollective &call, bool transfer) {
    StreamId stream = plan_.steps[step_].stream;
    auto key = std::make_tuple(call.group, transfer ? static_cast<int>(call.kind) : -1, transfer ? call.peer : 0,
                               transfer ? call.tag : 0);
    auto [entry, added] = channels_.try_emplace(key, stream);
    if (entry->second == stream)
      return;
    report_.add(step_, {"plan.streams",
                        "runs on " + streamText(plan_, stream) + ", where earlier calls of this " +
                            (transfer ? "channel" : "group") + " run on " + streamText(plan_, entry->second) +
                            "; expected one stream",
                        "move all of them to one stream, or nothing keeps their order"});
  }

  Report &report_;
  const Plan &plan_;
  size_t step_ = 0;
  /// data-dependent sizes that a step or an input has determined
  llvm::StringSet<> known_;
  /// group; direction, peer and tag of a transfer
  std::map<std::tuple<uint32_t, int, int64_t, int64_t>, StreamId> channels_;
};

} // namespace

void checkStreams(Report &report) { StreamRules(report).run(); }

} // namespace ccgraph::plan_verifier

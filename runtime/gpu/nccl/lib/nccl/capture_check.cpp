#include "nccl/capture_check.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {
namespace {

bool sendsToItself(const PreparedExchange &exchange, int64_t rank) {
  return llvm::any_of(exchange.collective.seats(), [&](const CallSeat &seat) {
    return isPointToPoint(seat.kind) && seat.members[seat.peer] == rank;
  });
}

/// Empty: nothing keeps the step from being captured.
std::string whyNot(const PreparedStep &step, int64_t rank) {
  if (step.byHost)
    return step.plan->stream == Plan::hostStream ? "the host computes it, and looks at what the device has made"
                                                 : "it draws random numbers, which would be the same in each run";
  if (const auto *exchange = std::get_if<PreparedExchange>(&step.work); exchange && sendsToItself(*exchange, rank))
    return "the rank sends to itself, which takes memory";
  if (!step.growing.empty())
    return "it has memory whose size is known only in the run";
  const auto *kernel = std::get_if<PreparedKernel>(&step.work);
  return kernel ? kernel->whyNotCaptured() : "";
}

} // namespace

llvm::Error checkCapture(const PreparedRank &prepared) {
  auto refuse = [&](Identifier name, const std::string &why) {
    return prepared.state.at(name).error("run.request", "cannot be captured: " + why,
                                         "leave --capture out, or take the step out of the program");
  };
  for (const PreparedStep &step : prepared.steps)
    if (std::string why = whyNot(step, prepared.state.rank); !why.empty())
      return refuse(step.plan->name, why);
  const PlanLayout &layout = prepared.state.plan->layout;
  if (!layout.symbols.empty())
    return refuse({}, "sizes depend on " + layout.symbols.front().first.str().str());
  if (prepared.faults.any())
    return refuse({}, "faults are injected besides");
  return llvm::Error::success();
}

} // namespace ccgraph::runtime

// Compares the time of a step of DataParallel with that of a step whose buckets are written by hand:
//
//   ccgraph_step_bench
//
// Both plans run on the local engine with two ranks. Runs of one and of the other alternate, and so does the order of
// the two, so that a busy machine and what the last run left in the caches disturb both alike. A tenth of the runs are
// faster than the time that is printed. Prints rows of a Markdown table.
#include "ccgraph/runtime/engine.h"
#include "ccgraph/runtime/seeded_inputs.h"
#include "support/ddp_steps.h"

#include "llvm/Support/Format.h"

#include <chrono>

using namespace ccgraph;
using namespace ccgraph::test;

namespace {

constexpr int64_t width = 256;
constexpr int runs = 600;

/// A plan that is ready to run on two ranks.
struct Step {
  std::unique_ptr<Plan> plan;
  std::unique_ptr<runtime::PreparedPlans> prepared;
  std::vector<double> times;

  explicit Step(std::unique_ptr<Plan> made)
      : plan(std::move(made)),
        prepared(llvm::cantFail(runtime::findEngine("local")->prepare({.plans = {plan.get()}, .ranks = 2}))) {}

  void run(const std::vector<TensorMap> &inputs) {
    auto begun = std::chrono::steady_clock::now();
    (void)llvm::cantFail(prepared->run(inputs));
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begun).count());
  }
  [[nodiscard]] double lowTenth() {
    llvm::sort(times);
    return times[times.size() / 10];
  }
};

void compare(const char *what, int64_t limit) {
  Context context;
  Step byHand(planOfDdpStep(context, width,
                            [&](auto &loss, auto &parameters) { return reduceByHand(loss, parameters, limit); }));
  Step ours(planOfDdpStep(context, width,
                          [&](auto &loss, auto &parameters) { return reduceByDdp(loss, parameters, limit); }));
  std::vector<TensorMap> inputs;
  for (size_t rank = 0; rank != 2; ++rank)
    inputs.push_back(runtime::seededInputs(*ours.plan, rank, 1));
  for (int i = 0; i != runs; ++i) {
    (i % 2 ? ours : byHand).run(inputs);
    (i % 2 ? byHand : ours).run(inputs);
  }
  double hand = byHand.lowTenth(), ddp = ours.lowTenth();
  llvm::outs() << "| " << what << " | " << byHand.plan->steps.size() << " | " << ours.plan->steps.size() << " | "
               << llvm::format("%.0f | %.0f | %.3f", hand, ddp, ddp / hand) << " |\n";
}

} // namespace

int main() {
  compare("one", 64 << 20);
  compare("one for each layer", 4 * (width * width + width));
  compare("one for each parameter", 1);
  return 0;
}

#include "property/planned.h"

#include "ccgraph/passes/lower.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/runtime/comparison.h"
#include "ccgraph/runtime/engine.h"

#include <rapidcheck.h>

namespace ccgraph::test {

std::unique_ptr<Plan> planOf(const Graph &graph, const ObjectMeanings &objects) {
  std::unique_ptr<Graph> flat = graph.clone();
  llvm::cantFail(runPipeline(*flat, llvm::cantFail(Pipeline::parse("inline-control-deps"))));
  if (llvm::any_of(*flat, [](const Node *node) { return node->op() && node->op()->role == OpRole::ControlDeps; }))
    return nullptr;
  llvm::Expected<std::unique_ptr<Plan>> plan = lowerGraph(*flat, {.objects = objects});
  if (plan)
    return std::move(*plan);
  RC_LOG() << llvm::toString(plan.takeError()) << '\n';
  return nullptr;
}

std::string differenceOnLocal(const runtime::RunRequest &request, const Plan &plan, uint64_t seed) {
  runtime::PlanRequest planned{.plans = {&plan}, .ranks = request.ranks, .inputs = request.inputs};
  planned.seed = seed;
  llvm::Expected<runtime::RunResult> got = runPlans(*runtime::findEngine("local"), planned);
  if (!got)
    return llvm::toString(got.takeError());
  runtime::RunResult expected = llvm::cantFail(runtime::interpret(request));
  runtime::Comparison comparison = runtime::compareRuns({expected, *got, request.inputs}, {});
  return comparison.equal() ? ""
                            : comparison.differences.front().output + ": " + comparison.differences.front().message;
}

} // namespace ccgraph::test

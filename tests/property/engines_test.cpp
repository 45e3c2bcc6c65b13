// Tests for every program that can be lowered that its plan verifies, and that engines give the interpreter's results
// in every order.
#include "property/programs.h"

#include "ccgraph/ir/plan_verifier.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/runtime/comparison.h"
#include "ccgraph/runtime/engine.h"
#include "support/seeded_run.h"

using namespace ccgraph;
using namespace ccgraph::test;

namespace {

/// Returns null if lowering refuses the program, with the reason in the log, or if its calls of subgraphs cannot be
/// inlined.
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

/// Returns "" if the local engine gives the interpreter's results bitwise.
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

} // namespace

TEST(EnginesTest, LocalGivesWhatTheInterpreterGives) {
  size_t lowered = 0, all = 0;
  forEachProgram([&](Context &, const RandomProgram &program) {
    runtime::RunRequest request = seededRequest(*program.graph, program.ranks);
    ++all;
    std::unique_ptr<Plan> plan = planOf(*program.graph, request.objects);
    if (!plan)
      return;
    ++lowered;
    for (uint64_t seed = 0; seed < 3; ++seed) {
      std::string difference = differenceOnLocal(request, *plan, seed);
      if (!difference.empty())
        RC_LOG() << "seed " << seed << ": " << difference << '\n';
      RC_ASSERT(difference.empty());
    }
  });
  EXPECT_GT(2 * lowered, all) << "most programs are lowered";
}

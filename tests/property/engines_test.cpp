// Tests for every program that can be lowered that its plan verifies, and that engines give the interpreter's results
// in every order.
#include "property/planned.h"
#include "property/programs.h"

#include "ccgraph/ir/plan_verifier.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/runtime/comparison.h"
#include "ccgraph/runtime/engine.h"
#include "support/seeded_run.h"

using namespace ccgraph;
using namespace ccgraph::test;

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

// Tests the choice of manager/choice.h on a program that is too large for random programs: a captured step of 4616
// nodes, with other durations than those that it was captured with.
#include "unit/passes/overlap/captured_step.h"

#include "ccgraph/passes/pipeline.h"

namespace ccgraph::test {
namespace {

class ChoiceOfALargeProgram : public CapturedStep {
protected:
  ChoiceOfALargeProgram() : CapturedStep("moe_12l_ep32", "other_durations.tsv.gz") {}
};

// The nodes for 95 % of the memory are the best ones for 100 % too.
TEST_F(ChoiceOfALargeProgram, MoreMemoryIsNotSlower) {
  expectMoreMemoryIsNeverSlower(pipelineOfLevel(3).str(), {95, 100});
}

} // namespace
} // namespace ccgraph::test

// Tests for every random program that collectives in place give the values of the functional ones, in the interpreter
// and on the local engine, and need no more memory.
//
// The programs contain what such a rewrite must not touch: aliases that are read later, writes after the launch,
// returned views, inputs, slices of buffers, operands of other collectives in flight.
#include "property/planned.h"
#include "property/programs.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/pass_manager.h"
#include "support/seeded_run.h"

using namespace ccgraph;
using namespace ccgraph::test;

namespace {

void runPasses(Graph &graph, const char *pipeline) {
  llvm::Expected<PipelineRun> run = runPipeline(graph, llvm::cantFail(Pipeline::parse(pipeline)));
  if (!run)
    RC_FAIL(llvm::toString(run.takeError()));
}

/// Returns the number of calls in place, and of functional calls that have such a form.
struct Forms {
  size_t inPlace = 0;
  size_t functional = 0;
};
Forms formsIn(const Graph &graph) {
  Forms forms;
  for (const Node *node : graph)
    if (const CollectiveSpec *spec = collectiveOf(*node); spec && !spec->synchronous && !spec->legacy) {
      forms.inPlace += spec->inPlace;
      forms.functional += spec->copiesAtLaunch;
    }
  return forms;
}

} // namespace

TEST(ReinplaceTest, KeepsValuesAndMemoryOnEveryEngine) {
  size_t rewritten = 0, kept = 0, planned = 0;
  forEachProgram([&](Context &, const RandomProgram &program) {
    std::unique_ptr<Graph> graph = program.graph->clone();
    runPasses(*graph, "inline-control-deps,functionalize-collectives,coalesce-collectives,sink-waits");
    const int64_t peak = peakMemory(*graph).bytes;
    const Forms before = formsIn(*graph);
    runPasses(*graph, "reinplace-collectives");
    const Forms after = formsIn(*graph);
    RC_ASSERT(before.inPlace + before.functional == after.inPlace + after.functional);
    rewritten += before.functional - after.functional;
    kept += after.functional;
    RC_ASSERT(peakMemory(*graph).bytes <= peak);
    RC_ASSERT(verifies(*graph));
    RC_ASSERT(sameValues(program, *graph));
    runtime::RunRequest request = seededRequest(*graph, program.ranks);
    std::unique_ptr<Plan> plan = planOf(*graph, request.objects);
    planned += plan && after.inPlace > before.inPlace ? 1 : 0;
    if (!plan)
      return;
    RC_ASSERT(differenceOnLocal(request, *plan, 0) == "");
  });
  EXPECT_GT(rewritten, 50U);
  EXPECT_GT(kept, 50U);
  EXPECT_GT(planned, 10U);
  RecordProperty("rewritten", static_cast<int>(rewritten));
}

// Tests collectives on lists so long that the memory count records only the last of their waits. Passes that move waits
// must keep the budget nevertheless, which the memory of the result shows.
#include "support/program_builder.h"

#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/pass_manager.h"
#include "schedule/overlap/program_problem.h"
#include "schedule/overlap/replay.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// Adds a relu of each input, all reduced as one list and awaited immediately; then a value of the same size; then
/// readers of each result.
void addListStep(ProgramBuilder &program, int64_t members = 600) {
  const Type *small = program.f32({64}), *large = program.f32({64 * members});
  ProgramBuilder::Nodes inputs, results;
  for (int64_t i = 0; i < members; ++i)
    inputs.push_back(program.input("x" + std::to_string(i), small));
  Node *y = program.input("y", large);
  std::vector<Actual> computed;
  for (Node *input : inputs)
    computed.push_back(program.call("aten.relu.default", small, {input}));
  const Type *list = program.graph().context().list(std::vector<const Type *>(members, small));
  Node *launch = program.call("_c10d_functional.all_reduce_coalesced.default", list,
                              {Actual::list(computed), llvm::StringRef("sum"), llvm::StringRef("0")});
  ProgramBuilder::Nodes waits;
  for (int64_t i = 0; i < members; ++i) {
    Node *element = program.call("operator.getitem", small, {launch, i});
    waits.push_back(program.call("_c10d_functional.wait_tensor.default", small, {element}));
  }
  results.push_back(program.call("aten.relu.default", large, {y}));
  for (Node *wait : waits)
    results.push_back(program.call("aten.neg.default", small, {wait}));
  program.output(results);
}

} // namespace

// The scheduler counts the memory of the present order as the report does, however many waits hold each storage.
TEST(LongLists, OfAnyLengthCountTheirMemory) {
  for (int64_t members : {5, 60, 200, 600}) {
    Context context;
    Graph graph(context);
    ProgramBuilder program(graph);
    addListStep(program, members);
    Analyses analyses(graph);
    CostModel costs(graph, *machinePreset("h100x8"));
    overlap::ProgramProblem problem(graph, analyses.facts(), costs, {});
    EXPECT_EQ(memoryPeak(problem.given().problem, asItStands(problem.given().problem)).bytes, peakMemory(graph).bytes)
        << members << " members";
  }
}

TEST(LongLists, WaitsThatSinkKeepTheBudget) {
  Context context;
  Graph graph(context);
  ProgramBuilder program(graph);
  addListStep(program);
  int64_t before = peakMemory(graph).bytes;
  for (const char *pipeline : {"sink-waits", "schedule-overlap,sink-waits", "coalesce-collectives,sink-waits"}) {
    auto run = runPipeline(graph, llvm::cantFail(Pipeline::parse(pipeline)), {});
    EXPECT_TRUE(bool(run)) << pipeline << ": " << llvm::toString(run.takeError());
    EXPECT_LE(peakMemory(graph).bytes, before) << pipeline;
  }
}

} // namespace ccgraph::test

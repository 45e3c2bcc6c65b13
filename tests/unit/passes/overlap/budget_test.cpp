// Compares the search's result for one budget with that for a larger budget.
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/graph_files.h"
#include "schedule/overlap/problem.h"

#include <gtest/gtest.h>

namespace ccgraph::overlap::test {
namespace {

struct Outcome {
  int64_t picoseconds = 0;
  int64_t peakBytes = 0;
};

/// Of -O2.
Outcome scheduled(const Graph &input, int64_t budget, PassManagerOptions options = {}) {
  std::unique_ptr<Graph> graph = input.clone();
  options.predictTimes = true;
  options.memoryBudget = budget;
  PipelineRun run = llvm::cantFail(runPipeline(*graph, pipelineOfLevel(2), options));
  EXPECT_LE(run.bounds->anyMerging.picoseconds, run.timeAfter->total);
  const int64_t peak = peakMemory(*graph).bytes;
  if (run.bounds->within && peak <= budget) {
    EXPECT_LE(run.bounds->within->anyMerging.picoseconds, run.timeAfter->total);
  }
  return {run.timeAfter->total, peak};
}

// A trial schedule's planned memory is not the memory that it needs in the end. A schedule was therefore rejected under
// any budget smaller than the one under which it was found, although it fits.
TEST(SearchBudget, IsEnoughWhereItHoldsWhatALargerOneFinds) {
  Context context;
  std::string folder = CCGRAPH_TEST_DATA "/large/llama3-8b-fsdp64-joint";
  std::unique_ptr<Graph> graph = llvm::cantFail(loadGraph(context, folder + "/readable.py.gz"));
  llvm::cantFail(addGroups(*graph, folder + "/facts.json.gz"));
  constexpr int64_t mebibyte = int64_t{1} << 20;
  constexpr int64_t ample = 65304 * mebibyte;
  Outcome found = scheduled(*graph, ample);
  ASSERT_LT(found.peakBytes, ample / 100 * 95);
  Outcome again = scheduled(*graph, found.peakBytes);
  EXPECT_LE(again.peakBytes, found.peakBytes);
  EXPECT_LE(again.picoseconds, found.picoseconds);
}

// The search under a small limit finds schedules of this graph that the search under a larger limit does not find.
TEST(SearchBudget, MoreMemoryIsNeverSlowerOnATrainingGraph) {
  Context context;
  std::string folder = CCGRAPH_TEST_DATA "/suite/moe_12l_ep32";
  std::unique_ptr<Graph> graph = llvm::cantFail(loadGraph(context, folder + "/readable.py.gz"));
  llvm::cantFail(addGroups(*graph, folder + "/facts.json.gz"));
  Durations durations = llvm::cantFail(loadDurations(folder + "/durations.tsv.gz"));
  PassManagerOptions options;
  options.machine = machinePreset("h100x8-ndr");
  options.durations = &durations;
  int64_t peak = peakMemory(*graph).bytes, fastest = unlimited;
  for (int64_t percent : {100, 105, 110, 125, 150, 200, 260}) {
    Outcome found = scheduled(*graph, peak * percent / 100, options);
    EXPECT_LE(found.picoseconds, fastest) << percent << " % of the input's peak";
    EXPECT_LE(found.peakBytes, peak * percent / 100);
    fastest = std::min(fastest, found.picoseconds);
  }
}

// The first passes change the peak of this graph a little, and no order was known that needs as little as its input: a
// smaller budget once gave a faster step.
TEST(SearchBudget, LimitsArePartsOfThePeakOfTheInput) {
  Context context;
  std::string folder = CCGRAPH_TEST_DATA "/large/llama3-debug-fsdp8-joint";
  std::unique_ptr<Graph> graph = llvm::cantFail(loadGraph(context, folder + "/readable_after_peer.py.gz"));
  llvm::cantFail(addGroups(*graph, folder + "/facts.json.gz"));
  PassManagerOptions options;
  options.machine = machinePreset("h100x8-ndr");
  int64_t peak = peakMemory(*graph).bytes;
  Outcome own = scheduled(*graph, peak, options);
  EXPECT_LE(own.peakBytes, peak);
  EXPECT_LE(scheduled(*graph, peak * 105 / 100, options).picoseconds, own.picoseconds);
}

// The wider beam finds a better start of the last improvements, which then end in a slower step.
TEST(SearchBudget, ALongerSearchIsNeverSlower) {
  Context context;
  std::unique_ptr<Graph> graph =
      llvm::cantFail(loadGraph(context, CCGRAPH_SOURCE_DIR "/tests/unit/passes/overlap/longer_search.json"));
  PassManagerOptions options;
  options.predictTimes = true;
  std::vector<int64_t> times;
  for (const char *text : {"schedule-overlap", "schedule-overlap{walks=200 beam=512}"}) {
    std::unique_ptr<Graph> copy = graph->clone();
    Pipeline pipeline = llvm::cantFail(Pipeline::parse(text));
    times.push_back(llvm::cantFail(runPipeline(*copy, pipeline, options)).timeAfter->total);
  }
  EXPECT_LE(times[1], times[0]);
}

} // namespace
} // namespace ccgraph::overlap::test

// Compares the prediction that keep-gathered acts on with the graph that it makes, on captured training steps.
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/graph_files.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// A captured step with its measured durations.
class KeepGathered : public testing::Test {
protected:
  KeepGathered() {
    const std::string folder = CCGRAPH_TEST_DATA "/suite/fsdp_16l_w8_small";
    graph_ = llvm::cantFail(loadGraph(context_, folder + "/readable.py.gz"));
    llvm::cantFail(addGroups(*graph_, folder + "/facts.json.gz"));
    durations_ = llvm::cantFail(loadDurations(folder + "/durations.tsv.gz"));
    peak_ = peakMemory(*graph_).bytes;
  }

  struct Outcome {
    PipelineRun run;
    std::unique_ptr<Graph> graph;
  };
  Outcome after(llvm::StringRef pipeline, int64_t percentOfPeak) {
    Outcome outcome{{}, graph_->clone()};
    PassManagerOptions options;
    options.predictTimes = true;
    options.memoryBudget = peak_ / 100 * percentOfPeak;
    options.machine = machinePreset("h100x8-ndr");
    options.durations = &durations_;
    outcome.run = llvm::cantFail(runPipeline(*outcome.graph, llvm::cantFail(Pipeline::parse(pipeline)), options));
    return outcome;
  }

  static int64_t statistic(const PassRun &run, llvm::StringRef name) {
    for (const auto &[known, value] : run.statistics)
      if (known == name)
        return value;
    ADD_FAILURE() << "no statistic " << name.str();
    return 0;
  }

  Context context_;
  std::unique_ptr<Graph> graph_;
  Durations durations_;
  int64_t peak_ = 0;
};

constexpr llvm::StringRef both = "keep-gathered,schedule-overlap";

// The pass compares problems of the scheduler, not graphs. If these were not the problems of the graphs that it would
// make, it would choose by wrong times.
TEST_F(KeepGathered, TheScheduleThatFollowsTakesThePredictedTime) {
  for (int64_t percent : {125, 200}) {
    Outcome outcome = after(both, percent);
    const PassRun &kept = outcome.run.passes[0], &scheduled = outcome.run.passes[1];
    ASSERT_GT(statistic(kept, "kept"), 0);
    EXPECT_EQ(statistic(kept, "after-ns"), statistic(scheduled, "after-ns")) << percent << " % of the peak";
    EXPECT_LT(statistic(kept, "after-ns"), after("schedule-overlap", percent).run.timeAfter->total / 1000);
    EXPECT_LE(peakMemory(*outcome.graph).bytes, peak_ / 100 * percent);
  }
}

TEST_F(KeepGathered, NothingIsKeptWithoutMemory) {
  Outcome outcome = after(both, 100);
  EXPECT_EQ(outcome.run.passes[0].changed, Changed::No);
}

TEST_F(KeepGathered, TheThoroughLevelKeepsResults) {
  Outcome brief = after(pipelineOfLevel(2).str(), 150), thorough = after(pipelineOfLevel(3).str(), 150);
  const PassRun &kept = thorough.run.passes[4];
  EXPECT_GT(statistic(kept, "kept"), 0) << kept.pass;
  EXPECT_LT(thorough.run.timeAfter->total, brief.run.timeAfter->total);
}

TEST_F(KeepGathered, MoreMemoryIsNeverSlower) {
  int64_t fastest = std::numeric_limits<int64_t>::max();
  for (int64_t percent : {100, 110, 125, 150, 200}) {
    int64_t time = after(both, percent).run.timeAfter->total;
    EXPECT_LE(time, fastest) << percent << " % of the input's peak";
    fastest = std::min(fastest, time);
  }
}

} // namespace
} // namespace ccgraph::test

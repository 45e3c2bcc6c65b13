// Compares the prediction that chunk-collectives acts on with the graph that it makes, on a captured training step.
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/graph_files.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// A captured step of tensor and sequence parallelism, with its durations.
class ChunkCollectives : public testing::Test {
protected:
  ChunkCollectives() {
    const std::string folder = CCGRAPH_TEST_DATA "/suite/tp8_sp_32l";
    graph_ = llvm::cantFail(loadGraph(context_, folder + "/readable.py.gz"));
    llvm::cantFail(addGroups(*graph_, folder + "/facts.json.gz"));
    durations_ = llvm::cantFail(loadDurations(folder + "/durations.tsv.gz"));
    peak_ = peakMemory(*graph_).bytes;
  }

  struct Outcome {
    PipelineRun run;
    std::unique_ptr<Graph> graph;
  };
  Outcome after(llvm::StringRef pipeline, int64_t percentOfPeak, bool bitwise = false) {
    Outcome outcome{{}, graph_->clone()};
    PassManagerOptions options;
    options.predictTimes = true;
    options.bitwise = bitwise;
    options.memoryBudget = peak_ * percentOfPeak / 100;
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

constexpr llvm::StringRef both = "chunk-collectives{walks=16},schedule-overlap";

// The pass searches schedules of a copy, whose nodes it prices by another model. If these were not the schedules of the
// graph that it makes, it would choose by wrong times.
TEST_F(ChunkCollectives, TheScheduleThatFollowsTakesThePredictedTime) {
  Outcome whole = after("schedule-overlap", 100), outcome = after(both, 100);
  const PassRun &cut = outcome.run.passes[0], &scheduled = outcome.run.passes[1];
  ASSERT_GT(statistic(cut, "regions"), 0);
  EXPECT_EQ(statistic(cut, "before-ns"), statistic(whole.run.passes[0], "after-ns"));
  EXPECT_EQ(statistic(cut, "after-ns"), statistic(scheduled, "after-ns"));
  EXPECT_LT(statistic(cut, "after-ns"), statistic(cut, "before-ns"));
  EXPECT_LE(statistic(cut, "bound-after-ns"), statistic(cut, "after-ns"));
  EXPECT_LE(peakMemory(*outcome.graph).bytes, peak_);
}

TEST_F(ChunkCollectives, ExposesAThirdLessCommunication) {
  Outcome whole = after("schedule-overlap", 100), outcome = after(both, 100);
  EXPECT_LT(outcome.run.timeAfter->exposed * 3, whole.run.timeAfter->exposed * 2 + whole.run.timeAfter->exposed / 10);
}

TEST_F(ChunkCollectives, NothingIsCutWhereBitsCount) {
  Outcome outcome = after(both, 100, /*bitwise=*/true);
  EXPECT_EQ(outcome.run.passes[0].changed, Changed::No);
}

TEST_F(ChunkCollectives, MoreMemoryIsNeverSlower) {
  int64_t fastest = std::numeric_limits<int64_t>::max();
  for (int64_t percent : {100, 110, 150}) {
    int64_t time = after(both, percent).run.timeAfter->total;
    EXPECT_LE(time, fastest) << percent << " % of the input's peak";
    fastest = std::min(fastest, time);
  }
}

} // namespace
} // namespace ccgraph::test

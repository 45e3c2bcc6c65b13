// Tests schedule-overlap on the training graphs of the suite with their durations: the resulting time within a memory
// budget.
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/graph_files.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

struct Expectation {
  const char *folder;
  /// the maximum in microseconds after -O2 with the program's own peak memory
  int64_t atOwnPeak;
  /// the same with a quarter more memory
  int64_t withMore;
};

void PrintTo(const Expectation &expectation, std::ostream *os) { *os << expectation.folder; }

class OverlapOnSuite : public testing::TestWithParam<Expectation> {
protected:
  void SetUp() override {
    const std::string folder = std::string(CCGRAPH_TEST_DATA "/suite/") + GetParam().folder;
    graph_ = llvm::cantFail(loadGraph(context_, folder + "/readable.py.gz"));
    llvm::cantFail(addGroups(*graph_, folder + "/facts.json.gz"));
    durations_ = llvm::cantFail(loadDurations(folder + "/durations.tsv.gz"));
  }

  /// Returns the predicted microseconds after -O2 with a budget of this percentage of the program's own peak.
  int64_t optimised(int64_t percent) {
    std::unique_ptr<Graph> graph = graph_->clone();
    PassManagerOptions options;
    options.machine = machinePreset("h100x8-ndr");
    options.durations = &durations_;
    options.predictTimes = true;
    options.memoryBudget = peakMemory(*graph).bytes * percent / 100;
    llvm::Expected<PipelineRun> run = runPipeline(*graph, pipelineOfLevel(2), options);
    EXPECT_TRUE(static_cast<bool>(run)) << llvm::toString(run.takeError());
    EXPECT_LE(peakMemory(*graph).bytes, std::max(*options.memoryBudget, peakMemory(*graph_).bytes));
    EXPECT_LE(run->timeAfter->total, run->timeBefore->total);
    constexpr int64_t picosecondsOfUs = 1'000'000;
    return run->timeAfter->total / picosecondsOfUs;
  }

  Context context_;
  std::unique_ptr<Graph> graph_;
  Durations durations_;
};

TEST_P(OverlapOnSuite, IsAsFastAsItWas) {
  EXPECT_LE(optimised(100), GetParam().atOwnPeak);
  EXPECT_LE(optimised(125), GetParam().withMore);
}

INSTANTIATE_TEST_SUITE_P(
    All, OverlapOnSuite,
    testing::Values(Expectation{"ddp_24l_w16", 111'900, 111'900}, Expectation{"fsdp_16l_w8_small", 86'500, 86'500},
                    Expectation{"fsdp_32l_w64", 1'219'000, 1'196'000}, Expectation{"fsdp_8l_w64", 385'500, 362'500},
                    Expectation{"fsdp_tp_2d_32l", 303'500, 302'500}, Expectation{"moe_12l_ep32", 374'500, 370'500},
                    Expectation{"tp8_sp_32l", 153'500, 153'500}),
    [](const auto &info) { return info.param.folder; });

} // namespace
} // namespace ccgraph

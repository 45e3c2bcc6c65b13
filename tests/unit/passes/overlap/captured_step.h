// CapturedStep: the fixture of tests that compare the prediction of a pass with the graph that it makes, on a captured
// training step.
//
// Ownership: owns the graph. Failure: aborts if the files cannot be read. Cost: that of reading them.
#pragma once

#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/graph_files.h"

#include <gtest/gtest.h>

#include <limits>

namespace ccgraph::test {

/// A captured step with its measured durations.
class CapturedStep : public testing::Test {
protected:
  /// `name`: a folder of tests/data/suite; `durations`: a file in it
  explicit CapturedStep(const std::string &name, const std::string &durations = "durations.tsv.gz") {
    const std::string folder = CCGRAPH_TEST_DATA "/suite/" + name;
    graph_ = llvm::cantFail(loadGraph(context_, folder + "/readable.py.gz"));
    llvm::cantFail(addGroups(*graph_, folder + "/facts.json.gz"));
    durations_ = llvm::cantFail(loadDurations(folder + "/" + durations));
    peak_ = peakMemory(*graph_).bytes;
  }

  [[nodiscard]] int64_t budgetOf(int64_t percentOfPeak) const { return peak_ * percentOfPeak / 100; }

  struct Outcome {
    PipelineRun run;
    std::unique_ptr<Graph> graph;
  };
  Outcome after(llvm::StringRef pipeline, int64_t percentOfPeak, bool bitwise = false) {
    Outcome outcome{{}, graph_->clone()};
    PassManagerOptions options;
    options.predictTimes = true;
    options.bitwise = bitwise;
    options.memoryBudget = budgetOf(percentOfPeak);
    options.machine = machine_;
    options.durations = &durations_;
    outcome.run = llvm::cantFail(runPipeline(*outcome.graph, llvm::cantFail(Pipeline::parse(pipeline)), options));
    return outcome;
  }

  /// Expects that no larger budget makes the step slower.
  void expectMoreMemoryIsNeverSlower(llvm::StringRef pipeline, llvm::ArrayRef<int64_t> percents) {
    int64_t fastest = std::numeric_limits<int64_t>::max();
    for (int64_t percent : percents) {
      int64_t time = after(pipeline, percent).run.timeAfter->total;
      EXPECT_LE(time, fastest) << percent << " % of the input's peak";
      fastest = std::min(fastest, time);
    }
  }

  /// Returns the run of the pass with this name, whatever its options.
  static const PassRun &runOf(const Outcome &outcome, llvm::StringRef pass) {
    for (const PassRun &run : outcome.run.passes)
      if (llvm::StringRef(run.pass).take_until([](char c) { return c == '{'; }) == pass)
        return run;
    ADD_FAILURE() << "no pass " << pass.str();
    return outcome.run.passes.front();
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
  Machine machine_ = *machinePreset("h100x8-ndr");
};

} // namespace ccgraph::test

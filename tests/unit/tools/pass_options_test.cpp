// The options of the passes that follow from what a tool has read.
#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/pass_options.h"
#include "ccgraph/toolkit/schedule_files.h"

#include "gtest/gtest.h"

namespace ccgraph {
namespace {

TEST(PassOptions, KeepsTheChoicesOfTheUser) {
  PassManagerOptions chosen;
  chosen.bitwise = true;
  chosen.memoryBudget = 7;
  chosen.verifyEach = false;
  const ObjectMeanings objects;
  const PassManagerOptions options = passOptions({chosen, std::nullopt, nullptr, objects, ""});
  EXPECT_TRUE(options.bitwise);
  EXPECT_TRUE(options.spmd);
  EXPECT_EQ(options.memoryBudget, 7);
  EXPECT_FALSE(options.verifyEach);
  EXPECT_FALSE(options.verifyInput) << "the graph is verified already";
  EXPECT_EQ(options.objects, &objects);
  EXPECT_FALSE(options.machine);
}

TEST(PassOptions, AMemoryBudgetIsBytesOrAPercentageOrUnlimited) {
  PassManagerOptions options;
  EXPECT_TRUE(setMemoryBudget(options, "60%"));
  EXPECT_EQ(options.memoryPercent, 60);
  for (llvm::StringRef text : {"%", "0%", "-5%", "10001%", "60.5%", "6 0%", "60%%", "99999999999999999999%", "60 GiB%"})
    EXPECT_FALSE(setMemoryBudget(options, text)) << text.str();
  EXPECT_EQ(options.memoryPercent, 60) << "a text that is no budget changes nothing";
  EXPECT_TRUE(setMemoryBudget(options, "1KiB"));
  EXPECT_EQ(options.memoryBudget, 1024);
  EXPECT_FALSE(options.memoryPercent) << "the last text counts";
  EXPECT_TRUE(setMemoryBudget(options, "10000%"));
  EXPECT_FALSE(options.memoryBudget);
  EXPECT_TRUE(setMemoryBudget(options, "unlimited"));
  EXPECT_FALSE(options.limitMemory || options.hasBudget());
}

TEST(PassOptions, TakesMachineAndDurations) {
  const std::optional<Machine> machine = machinePreset("a100x8");
  const Durations durations;
  const PassManagerOptions options = passOptions({{}, machine, &durations, {}, ""});
  EXPECT_EQ(options.machine->name, "a100x8");
  EXPECT_EQ(options.durations, &durations);
}

TEST(PassOptions, RanksThatDifferKeepTheirOrder) {
  EXPECT_FALSE(passOptions({{}, std::nullopt, nullptr, {}, "rank 1 runs another graph"}).spmd);
  PassManagerOptions chosen;
  chosen.spmd = false;
  EXPECT_FALSE(passOptions({chosen, std::nullopt, nullptr, {}, ""}).spmd) << "--ranks-differ is not undone";
}

TEST(RunCosts, TheNamedMachineIsBeforeTheGpusOfTheLog) {
  const HostGpus gpus{"NVIDIA H200", 8};
  EXPECT_EQ(loadRunCosts({"a100x8", {}, {}}, gpus)->machine->name, "a100x8");
  EXPECT_EQ(loadRunCosts({}, gpus)->machine->name, "h200x8");
  EXPECT_FALSE(loadRunCosts({}, {})->machine);
  EXPECT_EQ(orDefault(std::nullopt).name, defaultMachine);
}

TEST(RunCosts, ReportsAnUnknownMachine) {
  llvm::Expected<RunCosts> costs = loadRunCosts({"h100x9", {}, {}}, {});
  ASSERT_FALSE(costs);
  EXPECT_NE(llvm::toString(costs.takeError()).find("h100x9"), std::string::npos);
}

TEST(PipelineTexts, LevelsAndLists) {
  EXPECT_EQ(levelOfText("-O3"), 3U);
  EXPECT_FALSE(levelOfText("-O4"));
  EXPECT_FALSE(levelOfText("sink-waits"));
  EXPECT_TRUE(pipelineOfText(" ")->passes().empty());
  EXPECT_EQ(pipelineOfText("sink-waits")->str(), "sink-waits");
  llvm::Expected<Pipeline> wrong = pipelineOfText("sink-weights");
  ASSERT_FALSE(wrong);
  EXPECT_NE(llvm::toString(wrong.takeError()).find("sink-weights"), std::string::npos);
}

} // namespace
} // namespace ccgraph

// Tests remarks with the properties of their nodes, and as LLVM's optimization records.
#include "driver/remark_views.h"

#include <gtest/gtest.h>

namespace ccgraph::driver {
namespace {

PipelineRun pipelineRun() {
  PipelineRun run;
  ScheduleRecord schedule;
  schedule.groups = {{"tp", "", {8, 1}, false}};
  using enum StepRole;
  schedule.steps = {{"ar", "c10d.all_reduce", Launch, TimeSource::Predicted, 0, 0, 0, 64},
                    {"wait", "c10d.wait", Wait, TimeSource::Free, 0, 0, 3'500'000, 96}};
  schedule.transfers = {{0, 1, noStep, 0, "all_reduce", "sum", "bf16", 1, 32, 32, 0, 4'000'000, 3'500'000}};
  run.scheduleBefore = run.scheduleAfter = schedule;
  PassRun pass;
  pass.remarks = {{"sink-waits", RemarkKind::Moved, "sunk", "wait", {{"before", "ad\"d"}}, "train.py:7 in layers.0"},
                  {"sink-waits", RemarkKind::Missed, "over-budget", "other", {{"lacks", "64"}}, "in layers.1"},
                  {"raise", RemarkKind::Kept, "first", "ar", {{"bytes", "31"}}, ""}};
  run.passes = {pass};
  return run;
}

std::vector<std::string> nodesMatching(llvm::StringRef pattern) {
  std::vector<std::string> nodes;
  for (const Remark &remark : matchingRemarks(detailedRemarks(pipelineRun()), pattern))
    nodes.push_back(remark.node);
  return nodes;
}

using Nodes = std::vector<std::string>;

} // namespace

TEST(RemarkViews, KnowGroupBytesAndTimesOfLaunchesAndWaits) {
  std::vector<Remark> remarks = detailedRemarks(pipelineRun());
  ASSERT_EQ(remarks.size(), 3U);
  EXPECT_EQ(
      remarks[0].args,
      (RemarkArgs{{"before", "ad\"d"}, {"group", "tp"}, {"bytes", "32"}, {"us", "4.000"}, {"exposed-us", "3.500"}}));
  EXPECT_EQ(remarks[1].args, (RemarkArgs{{"lacks", "64"}}));
  EXPECT_EQ(remarks[2].args.front(), std::pair(std::string("bytes"), std::string("31"))) << "what the pass says stays";
  EXPECT_EQ(remarks[2].args.size(), 4U);
}

TEST(RemarkViews, AreChosenByAnythingInTheirLines) {
  EXPECT_EQ(nodesMatching(""), (Nodes{"wait", "other", "ar"}));
  EXPECT_EQ(nodesMatching("^raise:"), Nodes{"ar"});
  EXPECT_EQ(nodesMatching("\\[over-budget\\]"), Nodes{"other"});
  EXPECT_EQ(nodesMatching("group=tp"), (Nodes{"wait", "ar"}));
  EXPECT_EQ(nodesMatching("layers\\.[01]\\)$"), (Nodes{"wait", "other"}));
  EXPECT_EQ(nodesMatching(": wait "), Nodes{"wait"});
  EXPECT_EQ(nodesMatching("nothing"), Nodes{});
}

TEST(RemarkViews, AreWrittenAsYamlDocuments) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::vector<Remark> remarks = detailedRemarks(pipelineRun());
  writeRemarkYaml(os, "<lambda>", llvm::ArrayRef<Remark>(remarks).take_front(2));
  EXPECT_EQ(os.str(), R"yaml(--- !Passed
Pass: "sink-waits"
Name: "sunk"
DebugLoc: { File: "train.py", Line: 7, Column: 0 }
Function: "<lambda>"
Hotness: 3
Args:
  - "Node": "wait"
  - "String": " moved (sunk)"
  - "String": ": before "
  - "before": "ad\"d"
  - "String": ", group "
  - "group": "tp"
  - "String": ", bytes "
  - "bytes": "32"
  - "String": ", us "
  - "us": "4.000"
  - "String": ", exposed-us "
  - "exposed-us": "3.500"
  - "String": " in "
  - "module": "layers.0"
...
--- !Missed
Pass: "sink-waits"
Name: "over-budget"
Function: "<lambda>"
Args:
  - "Node": "other"
  - "String": " missed (over-budget)"
  - "String": ": lacks "
  - "lacks": "64"
  - "String": " in "
  - "module": "layers.1"
...
)yaml");
}

TEST(RemarkViews, OfNoneAreAnEmptyList) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeRemarkJson(os, "f", {});
  writeRemarkYaml(os, "f", {});
  EXPECT_EQ(os.str(), "[]\n");
}

} // namespace ccgraph::driver

// The data of reports, whole, for a schedule of a few steps; and that a page holds them and nothing that it would have
// to load.
#include "report/report_data.h"

#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>

namespace ccgraph::report {
namespace {

/// Returns a schedule with a collective of 3 us that overlaps with computation of 2 us, so one microsecond is exposed.
ScheduleRecord schedule() {
  ScheduleRecord record;
  record.total = 4'000'000;
  record.compute = 3'000'000;
  record.exposed = 1'000'000;
  record.peakBytes = 128;
  record.places = {{}, {"train.py", 7, "y = x < w", "layers.0"}};
  record.groups = {{"0", "mesh_dp", {8, 1}, false}};
  using enum StepRole;
  record.steps = {{"ar", "c10d.all_reduce", Launch, TimeSource::Predicted, 1, 0, 0, 64},
                  {"mm", "aten.mm", Compute, TimeSource::Measured, 1, 0, 2'000'000, 96},
                  {"wait", "c10d.wait", Wait, TimeSource::Free, 0, 2'000'000, 3'000'000, 96},
                  {"add", "aten.add", Compute, TimeSource::Predicted, 0, 3'000'000, 4'000'000, 128}};
  record.transfers = {{0, 2, 3, 0, "all_reduce", "sum", "bf16", 1, 32, 32, 0, 3'000'000, 1'000'000}};
  return record;
}

/// Returns the same schedule with an immediate wait; no node reads the result.
ScheduleRecord scheduleBefore() {
  ScheduleRecord record = schedule();
  std::swap(record.steps[1], record.steps[2]);
  record.steps[1].begin = 0;
  record.steps[2].begin = record.steps[1].end = 3'000'000;
  record.steps[2].end = 5'000'000;
  record.steps[3].begin = 5'000'000;
  record.steps[3].end = record.total = 6'000'000;
  record.exposed = 3'000'000;
  record.transfers = {{0, 1, noStep, 0, "all_reduce", "sum", "bf16", 1, 32, 32, 0, 3'000'000, 3'000'000}};
  return record;
}

Summary summary() {
  Summary summary;
  summary.input = "step.py";
  summary.graph = "<lambda>";
  summary.level = "-O2";
  summary.pipeline = "sink-waits";
  summary.run.memoryBudget = 128;
  PassRun run;
  run.pass = "sink-waits";
  run.remarks = {
      {"sink-waits", RemarkKind::Moved, "sunk", "wait", {{"before", "add"}, {"positions", "1"}}, "train.py:7"}};
  summary.run.passes = {run};
  return summary;
}

constexpr const char *expected = R"({
  "version": 1, "input": "step.py", "graph": "<lambda>", "level": "-O2", "machine": "", "budget": 128,
  "schedules": [
    {"name": "before", "total": 6000, "compute": 3000, "exposed": 3000, "communicating": 3000, "peak": 128,
     "nodes": [0, 1, 2, 3], "ends": [0, 3000, 2000, 1000], "alive": [64, 32, 0, 32], "roles": "LWCC", "sources": "4014",
     "transfers": [[0, 1, null, 0, 0, 1, 32, 32, 0, 3000, 3000]],
     "groups": [{"name": "0", "description": "mesh_dp", "ranks": 8, "hosts": 1, "assumed": false}]},
    {"name": "after", "total": 4000, "compute": 3000, "exposed": 1000, "communicating": 3000, "peak": 128,
     "nodes": [0, 2, 1, 3], "ends": [0, 2000, 1000, 1000], "alive": [64, 32, 0, 32], "roles": "LCWC", "sources": "4104",
     "transfers": [[0, 2, 3, 0, 0, 1, 32, 32, 0, 3000, 1000]],
     "groups": [{"name": "0", "description": "mesh_dp", "ranks": 8, "hosts": 1, "assumed": false}]}],
  "nodes": {"name": ["ar", "wait", "mm", "add"], "operation": [0, 1, 2, 3], "place": [0, 1, 0, 1]},
  "operations": ["c10d.all_reduce", "c10d.wait", "aten.mm", "aten.add"], "kinds": ["all_reduce"],
  "places": [[0, 7, 0, "y = x < w"], [1, 0, 1, ""]], "files": ["train.py", ""], "modules": ["layers.0", ""],
  "sources": ["free", "measured", "estimated", "interpolated", "predicted", "unknown"],
  "remarks": [["sink-waits", "moved", "sunk", "wait", "before=add positions=1", "train.py:7"]],
  "bounds": null, "exposures": [], "advice": null, "measured": null
})";

class ReportData : public testing::Test {
protected:
  Summary summary_ = summary();
  ScheduleRecord before_ = scheduleBefore(), after_ = schedule();
  Report report_{summary_, {{"before", &before_}, {"after", &after_}}};
};

} // namespace

TEST_F(ReportData, AreColumnsAndDifferences) {
  llvm::json::Value data = llvm::cantFail(llvm::json::parse(reportData(report_)));
  llvm::json::Object &object = *data.getAsObject();
  EXPECT_TRUE(object.getString("summary")->contains("step.py, <lambda>"));
  EXPECT_FALSE(object.getString("summary")->contains("\ntime "));
  EXPECT_TRUE(object.getString("tool")->startswith("ccgraph-opt "));
  EXPECT_TRUE(static_cast<bool>(object.getObject("reasons")->getString("sink-waits sunk")));
  for (const char *key : {"summary", "tool", "reasons"})
    object.erase(key);
  EXPECT_EQ(data, llvm::cantFail(llvm::json::parse(expected))) << reportData(report_);
}

TEST_F(ReportData, SayWhatHoldsTheStepAndWhatWouldHelp) {
  summary_.run.bounds = {
      {3'500'000, "0"}, {3'000'000, ""}, {{200, {3'500'000, "0"}, {3'200'000, "0"}}}, {96, "mm"}, {{2'500'000, ""}}};
  summary_.run.exposed = {
      {{"ar", "0", 32, 0, 3'000'000, 1'000'000}, "all_reduce", "", BeginPin::Budget, "mm", 2000, 64, 0, "add", 1000}};
  summary_.given = {{"--groups", "my groups.json"}, {"-O3", std::nullopt}, {"--report", "x.html"}};
  summary_.advised = true;
  summary_.advice = {{"192 B of memory", "--memory-budget 192", "", 3'200'000, 800'000, 64}};
  llvm::json::Value data = llvm::cantFail(llvm::json::parse(reportData(report_)));
  const llvm::json::Object &object = *data.getAsObject();
  auto expect = [&](llvm::StringRef key, llvm::StringRef text) {
    EXPECT_EQ(*object.get(key), llvm::cantFail(llvm::json::parse(text))) << reportData(report_);
  };
  expect("bounds", R"({"merging": {"ns": 3000, "group": ""}, "order": {"ns": 3500, "group": "0"},
                       "within": {"ns": 3200, "group": "0"}, "change": {"ns": 2500, "group": ""},
                       "memory": {"bytes": 96, "node": 2}})");
  expect("exposures", R"([[0, "budget", "could begin 0.0 us earlier after mm with 64 B more memory", 2, 2, 64,
                           "add, and waited for 0.0 us earlier", 3, 1]])");
  expect("advice", R"([{"change": "192 B of memory", "total": 3200, "saved": 800, "memory": 64,
                        "command": "ccgraph-opt step.py --groups 'my groups.json' -O3 --memory-budget 192"}])");
}

namespace {

/// Returns a measured step of as many ranks: rank 0 waits for the last one, which computes longer.
measured::JobExplanation measuredStep(int64_t ranks) {
  using namespace measured;
  JobExplanation it;
  it.steps = 4;
  it.collectives.push_back({"ar", CollectiveKind::AllReduce, 32, {}, 700, 300});
  CollectiveAccount &account = it.collectives.back();
  account.lastRank = ranks - 1, account.lastSteps = 3, account.steps = 4;
  account.cause = {Cause::Kind::Compute, ranks - 1, "mm", "mm", 700};
  it.timeline = {2, 1'500, {"mm", "ar", "wait"}, {}};
  for (int64_t rank = 0; rank != ranks; ++rank) {
    account.members.push_back(rank);
    it.timeline.ranks.push_back({rank, {{SpanKind::Compute, 0, 0, 500, noAccount}}, {}});
  }
  it.timeline.ranks.front().lane.push_back({SpanKind::LateRank, 1, 500, 1'200, 0});
  it.timeline.ranks.front().lane.push_back({SpanKind::Data, 1, 1'200, 1'500, 0});
  it.timeline.ranks.front().transfers.push_back({0, 1, 500, 1'200, 1'500, ranks - 1});
  return it;
}

constexpr const char *expectedMeasured = R"json({
  "step": 3, "steps": 4, "duration": 1500, "left_out": 0, "names": ["mm", "ar", "wait"],
  "collectives": [["ar", "all_reduce", [0, 1], 700, 300, "mm on rank 1 (+0.7 us)", 1, 3, 4]],
  "ranks": [{"rank": 0, "lane": [[0, 0, 0, 500, -1], [1, 1, 500, 700, 0], [2, 1, 1200, 300, 0]],
             "transfers": [[0, 1, 500, 700, 1000, 1]]},
            {"rank": 1, "lane": [[0, 0, 0, 500, -1]], "transfers": []}]
})json";

} // namespace

TEST_F(ReportData, HaveAMeasuredStepOfEachRank) {
  summary_.measured = measuredStep(2);
  llvm::json::Value data = llvm::cantFail(llvm::json::parse(reportData(report_)));
  EXPECT_EQ(*data.getAsObject()->get("measured"), llvm::cantFail(llvm::json::parse(expectedMeasured)))
      << reportData(report_);
}

TEST_F(ReportData, LeaveOutRanksThatNeverComeLast) {
  summary_.measured = measuredStep(40);
  llvm::json::Value data = llvm::cantFail(llvm::json::parse(reportData(report_)));
  const llvm::json::Object &measured = *data.getAsObject()->getObject("measured");
  EXPECT_EQ(*measured.getInteger("left_out"), 24);
  const llvm::json::Array &ranks = *measured.getArray("ranks");
  ASSERT_EQ(ranks.size(), 16U);
  EXPECT_EQ(*ranks.front().getAsObject()->getInteger("rank"), 0);
  EXPECT_EQ(*ranks.back().getAsObject()->getInteger("rank"), 39);
}

TEST_F(ReportData, EndNoScript) {
  EXPECT_EQ(reportData(report_).find('<'), std::string::npos);
  EXPECT_NE(reportData(report_).find("x \\u003c w"), std::string::npos);
}

TEST_F(ReportData, StandInAPageWithStyleAndScripts) {
  std::string page;
  llvm::raw_string_ostream os(page);
  writeReport(os, report_);
  EXPECT_NE(os.str().find(reportData(report_)), std::string::npos);
  EXPECT_NE(page.find("prefers-color-scheme"), std::string::npos);
  EXPECT_NE(page.find("--matmul:"), std::string::npos);
  for (const char *left : {"@style@", "@data@", "@script@", "src=", "@import", "url("})
    EXPECT_EQ(page.find(left), std::string::npos) << left;
  EXPECT_TRUE(llvm::StringRef(page).endswith("</html>\n"));
}

} // namespace ccgraph::report

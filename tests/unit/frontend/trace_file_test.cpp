// Tests traces of records: their content, and that they are valid JSON.
#include "ccgraph/frontend/trace_file.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <regex>

using namespace ccgraph;
using Json = nlohmann::json;

namespace {

FlightRecord record() {
  FlightRecord record;
  record.rank = 1;
  record.groups = {{"tp", "", {0, 1}}};
  FlightCall call;
  call.sequence = 3;
  call.operation = "reduce_scatter";
  call.detail = "sum";
  call.inputs = {{"bf16", 8}};
  call.outputs = {{"bf16", 4}};
  call.position = 1;
  record.calls = {call};
  record.steps = {{0, "m\"m", "aten.mm.default", false, "compute", {0, 5'000, 7'250}},
                  {1, "rs", "reduce_scatter", true, "comm:tp", {0, 6'001, 9'000}},
                  {2, "late", "aten.mm.default", false, "compute", {0, 9'500, 0}}};
  return record;
}

Json eventsOf(llvm::ArrayRef<FlightRecord> records) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeTrace(os, records);
  return Json::parse(os.str())["traceEvents"];
}

std::vector<Json> slices(const Json &events) {
  std::vector<Json> found;
  std::copy_if(events.begin(), events.end(), std::back_inserter(found), [](const Json &e) { return e["ph"] == "X"; });
  return found;
}

} // namespace

TEST(TraceFile, HasASliceForEachStepThatEnded) {
  std::vector<Json> steps = slices(eventsOf(record()));
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0]["name"], "m\"m");
  EXPECT_EQ(steps[0]["pid"], 1);
  EXPECT_EQ(steps[0]["ts"], 0);
  EXPECT_EQ(steps[0]["dur"], 2.25);
  EXPECT_EQ(steps[0]["args"]["operation"], "aten.mm.default");
  EXPECT_EQ(steps[1]["ts"], 1.001);
  EXPECT_NE(steps[0]["tid"], steps[1]["tid"]);
}

TEST(TraceFile, NamesCommunicationAsHtaKnowsIt) {
  Json step = slices(eventsOf(record()))[1];
  EXPECT_EQ(step["name"], "ncclDevKernel_ReduceScatter_Sum_bf16");
  EXPECT_TRUE(std::regex_search(step["name"].get<std::string>(), std::regex("^nccl.*|.*ncclKernel.*")));
  EXPECT_EQ(step["cat"], "kernel");
  EXPECT_EQ(step["args"]["stream"], step["tid"]);
  EXPECT_EQ(step["args"]["In msg nelems"], 8);
  EXPECT_EQ(step["args"]["Out msg nelems"], 4);
  EXPECT_EQ(step["args"]["Group size"], 2);
  EXPECT_EQ(step["args"]["Process Group Ranks"], "[0, 1]");
  EXPECT_EQ(step["args"]["Seq"], 3);
  EXPECT_EQ(step["args"]["node"], "rs");
}

TEST(TraceFile, NamesRanksAndStreams) {
  std::string names;
  for (const Json &event : eventsOf(record()))
    if (event["ph"] == "M" && event["args"].contains("name"))
      names += event["args"]["name"].get<std::string>() + ";";
  EXPECT_EQ(names, "rank 1;comm:tp;compute;");
}

TEST(TraceFile, OfNothingIsEmpty) { EXPECT_TRUE(eventsOf({}).empty()); }

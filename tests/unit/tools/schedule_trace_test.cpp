// Tests traces of predicted schedules: rows, arrows, counters and the pairs that HTA makes.
#include "ccgraph/toolkit/schedule_trace.h"

#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>
#include <map>

namespace ccgraph {
namespace {

using llvm::json::Object;

/// Returns a schedule with a collective of 3 us that overlaps with computation of 2 us, so one microsecond is exposed.
ScheduleRecord schedule() {
  ScheduleRecord record;
  record.total = 4'000'000;
  record.compute = 3'000'000;
  record.exposed = 1'000'000;
  record.places = {{}, {"train.py", 7, "y = x @ w", "layers.0"}};
  record.groups = {{"0", "mesh_dp", {8, 1}, false}};
  using enum StepRole;
  record.steps = {{"ar", "c10d.all_reduce", Launch, TimeSource::Predicted, 1, 0, 0, 64},
                  {"mm", "aten.mm", Compute, TimeSource::Measured, 1, 0, 2'000'000, 96},
                  {"wait", "c10d.wait", Wait, TimeSource::Free, 0, 2'000'000, 3'000'000, 96},
                  {"view", "aten.view", Free, TimeSource::Free, 0, 3'000'000, 3'000'000, 96},
                  {"add", "aten.add", Compute, TimeSource::Predicted, 0, 3'000'000, 4'000'000, 128}};
  record.transfers = {{0, 2, 4, 0, "all_reduce", "sum", "bf16", 1, 32, 32, 0, 3'000'000, 1'000'000}};
  return record;
}

std::vector<Object> eventsOf(const ScheduleRecord &record, const ScheduleRecord *before) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeScheduleTrace(os, record, before);
  llvm::json::Value trace = llvm::cantFail(llvm::json::parse(os.str()));
  std::vector<Object> events;
  for (llvm::json::Value &event : *trace.getAsObject()->getArray("traceEvents"))
    events.push_back(std::move(*event.getAsObject()));
  return events;
}

std::string textOf(const Object &object, llvm::StringRef member) {
  auto text = object.getString(member);
  return text ? text->str() : "";
}

std::string lineOf(const Object &event) {
  std::string text = textOf(event, "name") + " " + std::to_string(*event.getInteger("tid"));
  for (llvm::StringRef member : {"ts", "dur"})
    if (auto value = event.getNumber(member))
      text += " " + std::to_string(static_cast<int64_t>(*value * 1000));
  return text;
}

/// Returns "name thread begin duration" for the events of one kind, in nanoseconds.
std::vector<std::string> linesOf(llvm::ArrayRef<Object> events, llvm::StringRef phase, int64_t process) {
  std::vector<std::string> lines;
  for (const Object &event : events)
    if (textOf(event, "ph") == phase && *event.getInteger("pid") == process)
      lines.push_back(lineOf(event));
  return lines;
}

} // namespace

TEST(ScheduleTrace, HasAThreadForTheHostComputationAndEachGroup) {
  std::vector<std::string> expected = {"cudaLaunchKernel 0 0 1",
                                       "ncclDevKernel_AllReduce_Sum_bf16 2 0 3000",
                                       "cudaLaunchKernel 0 1 1",
                                       "mm 1 0 2000",
                                       "cudaStreamWaitEvent 0 2000 1000",
                                       "cudaLaunchKernel 0 3000 1",
                                       "add 1 3000 1000"};
  EXPECT_EQ(linesOf(eventsOf(schedule(), nullptr), "X", 0), expected);
}

TEST(ScheduleTrace, LeadsFromLaunchThroughTransferAndWaitToUse) {
  std::vector<Object> events = eventsOf(schedule(), nullptr);
  EXPECT_EQ(linesOf(events, "s", 0), std::vector<std::string>{"flight 0 0"});
  EXPECT_EQ(linesOf(events, "t", 0), (std::vector<std::string>{"flight 2 0", "flight 0 2000"}));
  EXPECT_EQ(linesOf(events, "f", 0), std::vector<std::string>{"flight 1 3000"});
}

TEST(ScheduleTrace, CountsBytesAliveAndInFlight) {
  std::map<std::pair<std::string, int64_t>, int64_t> counters;
  for (const Object &event : eventsOf(schedule(), nullptr))
    if (textOf(event, "ph") == "C")
      counters[{textOf(event, "name"), static_cast<int64_t>(*event.getNumber("ts"))}] =
          *event.getObject("args")->getInteger("bytes");
  std::map<std::pair<std::string, int64_t>, int64_t> expected = {
      {{"bytes alive", 0}, 96}, {{"bytes alive", 3}, 128}, {{"bytes in flight", 0}, 32}, {{"bytes in flight", 3}, 0}};
  EXPECT_EQ(counters, expected);
}

TEST(ScheduleTrace, PairsEachKernelWithItsLaunchAndTheOneBeforeWithNone) {
  ScheduleRecord record = schedule();
  std::map<int64_t, std::string> pairs;
  for (const Object &event : eventsOf(record, &record))
    if (const Object *arguments = event.getObject("args"))
      if (auto number = arguments->getInteger("correlation"))
        pairs[*number] += arguments->getInteger("stream") ? "k" : "l";
  EXPECT_EQ(pairs.size(), 6U);
  for (const auto &[number, pair] : pairs)
    EXPECT_EQ(pair, number >> 32 == 0 ? "lk" : "ll");
}

TEST(ScheduleTrace, TellsWhereAKernelComesFromAndItsTimeToo) {
  for (const Object &event : eventsOf(schedule(), nullptr))
    if (textOf(event, "name") == "mm") {
      const Object &arguments = *event.getObject("args");
      EXPECT_EQ(textOf(arguments, "source"), "train.py:7");
      EXPECT_EQ(textOf(arguments, "module"), "layers.0");
      EXPECT_EQ(textOf(arguments, "time is"), "measured");
    }
}

} // namespace ccgraph

// Tests records of schedules: the sums equal those of the timeline and the peak memory, and each collective has its
// wait and its first use.
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/toolkit/graph_files.h"
#include "support/corpus.h"
#include "support/program_builder.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

void expectSums(const ScheduleRecord &record, const Timeline &timeline) {
  EXPECT_EQ(record.total, timeline.total);
  EXPECT_EQ(record.compute, timeline.compute);
  EXPECT_EQ(record.exposed, timeline.exposed);
  ASSERT_EQ(record.transfers.size(), timeline.collectives.size());
  int64_t exposed = 0;
  for (size_t i = 0; i < record.transfers.size(); ++i) {
    const RecordedTransfer &ours = record.transfers[i];
    const CollectiveTime &theirs = timeline.collectives[i];
    EXPECT_EQ(record.steps[ours.launch].node, theirs.node);
    EXPECT_EQ(record.groups[ours.group].name, theirs.group);
    EXPECT_EQ(std::tie(ours.begin, ours.end, ours.exposed), std::tie(theirs.begin, theirs.end, theirs.exposed));
    EXPECT_EQ(ours.bytes(), theirs.bytes);
    exposed += ours.exposed;
  }
  EXPECT_EQ(record.exposed, exposed);
}

void expectOrder(const ScheduleRecord &record) {
  int64_t end = 0;
  for (const RecordedStep &step : record.steps) {
    EXPECT_EQ(step.begin, end) << step.node;
    end = step.end;
  }
  EXPECT_LE(end, record.total);
}

} // namespace

TEST(ScheduleRecord, HasTheSumsOfTimelineAndMemory) {
  size_t transfers = 0;
  for (const test::CapturedGraph &captured : test::capturedGraphs("small")) {
    SCOPED_TRACE(captured.readable);
    Context context;
    auto graphs = loadGraphs(context, llvm::cantFail(InputFile::open(captured.readable)), "0");
    ASSERT_TRUE(static_cast<bool>(graphs)) << llvm::toString(graphs.takeError());
    Graph &graph = *graphs->front();
    PassManagerOptions options;
    options.predictTimes = options.recordSchedules = true;
    auto run = runPipeline(graph, pipelineOfLevel(2), options);
    ASSERT_TRUE(static_cast<bool>(run)) << llvm::toString(run.takeError());
    expectSums(*run->scheduleBefore, *run->timeBefore);
    expectSums(*run->scheduleAfter, *run->timeAfter);
    expectOrder(*run->scheduleAfter);
    EXPECT_EQ(run->scheduleAfter->peakBytes, peakMemory(graph).bytes);
    transfers += run->scheduleAfter->transfers.size();
  }
  EXPECT_GT(transfers, 100U);
}

TEST(ScheduleRecord, KnowsWaitAndUseOfEachTransfer) {
  Context context;
  Graph graph(context, "step");
  test::ProgramBuilder b(graph);
  const Type *type = b.f32({1024, 1024});
  Node *x = b.input("x", type);
  Node *reduced = b.call("_c10d_functional.all_reduce.default", type, {x, "sum", "0"});
  Node *mm = b.call("aten.mm.default", type, {x, x});
  Node *wait = b.call("_c10d_functional.wait_tensor.default", type, {reduced});
  Node *view = b.call("aten.view.default", type, {wait, test::ProgramBuilder::Numbers{1024, 1024}});
  Node *add = b.call("aten.add.Tensor", type, {view, mm});
  Node *lost = b.call("_c10d_functional.all_reduce.default", type, {mm, "sum", "0"});
  b.output({add, lost});
  ScheduleRecord record = recordSchedule(graph, CostModel(graph, *machinePreset(defaultMachine)));
  ASSERT_EQ(record.transfers.size(), 2U);
  auto name = [&](uint32_t step) { return step == noStep ? "none" : record.steps[step].node; };
  EXPECT_EQ(name(record.transfers[0].wait), wait->name().str());
  EXPECT_EQ(name(record.transfers[0].use), add->name().str());
  EXPECT_EQ(record.transfers[0].kind, "all_reduce");
  EXPECT_EQ(record.transfers[0].reduction, "sum");
  EXPECT_EQ(record.transfers[0].dtype, "f32");
  EXPECT_EQ(record.transfers[0].bytes(), 4 << 20);
  EXPECT_EQ(name(record.transfers[1].wait), "none");
  EXPECT_EQ(record.communicating() - record.exposed, std::min(record.transfers[0].end, record.steps[2].end));
}

TEST(ScheduleRecord, IsThereWithoutAPassThatMovesAnything) {
  Context context;
  Graph graph(context, "step");
  test::ProgramBuilder b(graph);
  b.output({b.input("x", b.f32({4}))});
  PassManagerOptions options;
  options.recordSchedules = true;
  auto run = llvm::cantFail(runPipeline(graph, pipelineOfLevel(0), options));
  ASSERT_TRUE(run.scheduleBefore && run.scheduleAfter);
  EXPECT_EQ(run.scheduleAfter->steps.size(), 2U);
}

} // namespace ccgraph

// Tests that the schedule of -O2, after writing and reading, gives the graph of -O2 byte for byte when it is applied to
// each training graph of the suite.
#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/frontend/schedule_file.h"
#include "ccgraph/toolkit/graph_files.h"
#include "ccgraph/toolkit/rewrite_graph.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

class ScheduleOfSuite : public testing::TestWithParam<const char *> {};

std::string textOf(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeJsonGraph(os, graph);
  return os.str();
}

TEST_P(ScheduleOfSuite, GivesTheSameGraph) {
  const std::string folder = std::string(CCGRAPH_TEST_DATA "/suite/") + GetParam();
  Context context;
  std::unique_ptr<Graph> input = llvm::cantFail(loadGraph(context, folder + "/readable.py.gz"));
  llvm::cantFail(addGroups(*input, folder + "/facts.json.gz"));
  std::unique_ptr<Graph> expected = input->clone();
  Pipeline pipeline = pipelineOfLevel(2);
  RewriteResult made = llvm::cantFail(rewriteGraph(*expected, {pipeline, nullptr, {}, /*makesSchedule=*/true}));
  ASSERT_TRUE(made.run.changed());

  std::string text;
  llvm::raw_string_ostream os(text);
  writeSchedule(os, *made.schedule);
  const Schedule schedule = llvm::cantFail(readSchedule({"schedule", os.str()}));
  Pipeline told = llvm::cantFail(pipelineOf(schedule));
  llvm::cantFail(rewriteGraph(*input, {told, &schedule}));
  EXPECT_EQ(textOf(*input), textOf(*expected));
}

INSTANTIATE_TEST_SUITE_P(All, ScheduleOfSuite,
                         testing::Values("ddp_24l_w16", "fsdp_16l_w8_small", "fsdp_32l_w64", "fsdp_8l_w64",
                                         "fsdp_tp_2d_32l", "moe_12l_ep32", "tp8_sp_32l"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
} // namespace ccgraph

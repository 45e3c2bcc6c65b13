// Tests what the reader of pipeline schedules accepts, and the whole text of each error.
#include "ccgraph/frontend/pipeline_file.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

std::string errorOf(llvm::StringRef text) {
  auto schedule = readPipelineSchedule({"s.csv", text});
  return schedule ? "none" : llvm::toString(schedule.takeError());
}

std::string textOf(llvm::StringRef text) {
  std::string written;
  llvm::raw_string_ostream os(written);
  writePipelineSchedule(os, llvm::cantFail(readPipelineSchedule({"s.csv", text})));
  return os.str();
}

} // namespace

TEST(PipelineFile, DropsIdleSlotsAndBlanks) {
  EXPECT_EQ(textOf("0F0, ,\"0B0\"\r\n,1F0,1B0\r\n"), "0F0,0B0\n1F0,1B0\n");
}

TEST(PipelineFile, ReadsEachKindOfAction) {
  const char *text = "0UNSHARD,0F0,0SEND_F0,0WAIT_SEND_F0,0RECV_B0,0I0,0W0,0REDUCE_GRAD,0WAIT_REDUCE_GRAD,0RESHARD\n"
                     "1RECV_F0,(1F0;1B0)OVERLAP_F_B,1SEND_B0,1WAIT_SEND_B0\n";
  EXPECT_EQ(textOf(text), text);
}

TEST(PipelineFile, ALineWithoutActionsIsARankWithoutActions) {
  PipelineSchedule schedule = llvm::cantFail(readPipelineSchedule({"s.csv", "0F0\n\n1F0\n\n"}));
  EXPECT_EQ(schedule.ranks.size(), 3U);
  EXPECT_EQ(schedule.ranks[2].front().line, 3U);
  EXPECT_EQ(schedule.stages, 2);
  EXPECT_EQ(schedule.microbatches, 1);
}

TEST(PipelineFile, RecognizesSchedules) {
  EXPECT_TRUE(isPipelineSchedule("\n,,0F0,0B0\n"));
  EXPECT_TRUE(isPipelineSchedule("(0F1;3B0)OVERLAP_F_B\n"));
  EXPECT_FALSE(isPipelineSchedule("class GraphModule(torch.nn.Module):\n"));
  EXPECT_FALSE(isPipelineSchedule("{\"graphs\": []}"));
  EXPECT_FALSE(isPipelineSchedule(""));
}

TEST(PipelineFileErrors, CellsThatAreNoAction) {
  const char *repair = "  note: an action is stage, kind and microbatch, such as 1F0, 1B0 or 1SEND_F0\n";
  for (const char *cell : {"F0", "0F", "0X0", "0F0x", "0UNSHARD1", "(0F0;1B0)", "(0F0;)OVERLAP_F_B", "99999F0", "-1F0"})
    EXPECT_EQ(errorOf(std::string("0F0,0B0\n1F0, ") + cell + "\n"),
              std::string("s.csv:2:6: error: got '") + cell + "', expected an action [pipeline.syntax]\n" + repair);
}

TEST(PipelineFileErrors, NoActions) {
  EXPECT_EQ(errorOf(",,\n"), "s.csv:1:1: error: this schedule has no action, expected a line for each rank "
                             "[pipeline.syntax]\n  note: a line of a rank is 0F0,0F1,0B0,0B1\n");
}

} // namespace ccgraph

// Tests how the machine of a dump is chosen.
#include "ccgraph/toolkit/machine_choice.h"

#include "ccgraph/frontend/fx_text.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

std::string doubtOf(llvm::StringRef device, const HostGpus &gpus = {}) {
  Context context;
  std::string text =
      ("class graph(torch.nn.Module):\n    def forward(self, x: \"f32[4][1]" + device + "\"):\n        return (x,)\n")
          .str();
  return machineDoubt(*llvm::cantFail(readFxText(context, {"rank.py", text})).front(), gpus, "h100x8");
}

TEST(MachineChoice, ReadsTheGpuOfARunnable) {
  EXPECT_EQ(gpusOf("# torch git version\n\n# GPU Hardware Info: \n# NVIDIA H100 80GB HBM3 : 8 \n\nimport torch\n"),
            (HostGpus{"NVIDIA H100 80GB HBM3", 8}));
  EXPECT_EQ(gpusOf("# GPU Hardware Info: \n# NVIDIA H100 : many\n"), (HostGpus{"NVIDIA H100", 0}));
  EXPECT_TRUE(gpusOf("# torch.cuda.is_available()==False, no GPU info collected\n").empty());
  EXPECT_TRUE(gpusOf("# GPU Hardware Info: \nimport torch\n").empty());
}

TEST(MachineChoice, TakesThePresetOfTheGpu) {
  EXPECT_EQ(machineOfGpus({"NVIDIA H200", 8})->name, "h200x8");
  EXPECT_EQ(machineOfGpus({"NVIDIA A100-SXM4-80GB", 8})->name, "a100x8");
  EXPECT_FALSE(machineOfGpus({"NVIDIA L40S", 8}));
  EXPECT_FALSE(machineOfGpus({}));
}

TEST(MachineChoice, TakesAsManyRanksANodeAsTheHostHasGpus) {
  EXPECT_EQ(machineOfGpus({"NVIDIA H100", 4})->ranksPerNode, 4);
  EXPECT_EQ(machineOfGpus({"NVIDIA H100", 4})->name, "h100x8 with 4 ranks a node");
  EXPECT_EQ(machineOfGpus({"NVIDIA H100", 1})->ranksPerNode, 8) << "a process may see its own GPU only";
}

TEST(MachineChoice, CountsTheNodesOfAJob) {
  Context context;
  Graph graph(context);
  Machine machine = *machinePreset("h100x8");
  EXPECT_EQ(nodesText(graph, machine), "");
  graph.worldSize = 8;
  EXPECT_EQ(nodesText(graph, machine), "");
  graph.worldSize = 20;
  EXPECT_EQ(nodesText(graph, machine), "20 ranks on 3 nodes of 8");
}

TEST(MachineChoice, DoubtsAMachineThatIsNotTheDumps) {
  EXPECT_EQ(doubtOf("cuda:0"), "");
  EXPECT_EQ(doubtOf("cuda:0", {"NVIDIA H100 80GB HBM3", 8}), "");
  EXPECT_NE(doubtOf("cuda:0", {"NVIDIA L40S", 8}).find("the job ran on NVIDIA L40S"), std::string::npos);
  EXPECT_NE(doubtOf("cpu").find("on the CPU"), std::string::npos);
  EXPECT_NE(doubtOf("xpu:0").find("on xpu"), std::string::npos);
}

} // namespace
} // namespace ccgraph::test

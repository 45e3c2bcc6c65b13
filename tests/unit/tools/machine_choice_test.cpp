// Tests how the machine of a dump is chosen.
#include "ccgraph/toolkit/machine_choice.h"

#include "ccgraph/frontend/fx_text.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

std::string doubtOf(llvm::StringRef device, llvm::StringRef gpu = "") {
  Context context;
  std::string text =
      ("class graph(torch.nn.Module):\n    def forward(self, x: \"f32[4][1]" + device + "\"):\n        return (x,)\n")
          .str();
  return machineDoubt(*llvm::cantFail(readFxText(context, {"rank.py", text})).front(), gpu, "h100x8");
}

TEST(MachineChoice, ReadsTheGpuOfARunnable) {
  EXPECT_EQ(gpuOf("# torch git version\n\n# GPU Hardware Info: \n# NVIDIA H100 80GB HBM3 : 8 \n\nimport torch\n"),
            "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(gpuOf("# torch.cuda.is_available()==False, no GPU info collected\n"), "");
  EXPECT_EQ(gpuOf("# GPU Hardware Info: \nimport torch\n"), "");
}

TEST(MachineChoice, TakesThePresetOfTheGpu) {
  EXPECT_EQ(machineOfGpu("NVIDIA H200")->name, "h200x8");
  EXPECT_EQ(machineOfGpu("NVIDIA A100-SXM4-80GB")->name, "a100x8");
  EXPECT_FALSE(machineOfGpu("NVIDIA L40S"));
  EXPECT_FALSE(machineOfGpu(""));
}

TEST(MachineChoice, DoubtsAMachineThatIsNotTheDumps) {
  EXPECT_EQ(doubtOf("cuda:0"), "");
  EXPECT_EQ(doubtOf("cuda:0", "NVIDIA H100 80GB HBM3"), "");
  EXPECT_NE(doubtOf("cuda:0", "NVIDIA L40S").find("the job ran on NVIDIA L40S"), std::string::npos);
  EXPECT_NE(doubtOf("cpu").find("on the CPU"), std::string::npos);
  EXPECT_NE(doubtOf("xpu:0").find("on xpu"), std::string::npos);
}

} // namespace
} // namespace ccgraph::test

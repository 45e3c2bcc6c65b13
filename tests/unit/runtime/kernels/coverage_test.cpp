// Tests which compute operators of the captured graphs have no kernel: none of those with recorded values, and a fixed
// list for the large graphs.
#include "unit/runtime/kernels/kernel_testing.h"

#include "ccgraph/ir/op_def.h"
#include "support/corpus.h"

#include <set>

namespace ccgraph::runtime::testing {
namespace {

std::set<std::string> targetsWithoutKernel(llvm::StringRef kind, size_t &graphs) {
  Context context;
  std::set<std::string> missing;
  for (const test::CapturedGraph &captured : test::capturedGraphs(kind)) {
    ++graphs;
    for (const test::TruthGraph &graph : test::truthOf(captured))
      for (const test::TruthRow &row : graph.rows) {
        if (row.opcode != "call_function" || findKernel(row.target))
          continue;
        OpRole role = context.ops().lookup(row.target)->role;
        // The printed name of a higher-order operator is not its target. These two run their subgraphs.
        const bool isCall = row.target == "control_deps" || row.target == "invoke_subgraph";
        if ((role == OpRole::Compute || role == OpRole::GetItem) && !isCall)
          missing.insert(row.target);
      }
  }
  return missing;
}

TEST(Coverage, EveryOperatorOfTheRunnableGraphsHasAKernel) {
  size_t graphs = 0;
  EXPECT_EQ(targetsWithoutKernel("small", graphs), std::set<std::string>());
  EXPECT_GT(graphs, 0U);
}

TEST(Coverage, OperatorsOfTheLargeGraphsWithoutAKernelAreThese) {
  // These need a subgraph or a device mesh, or belong to another project.
  const std::set<std::string> known = {"_dtensor.mesh_get_process_group.default",
                                       "cond",
                                       "coor.current_device.default",
                                       "device_mesh._get_submesh",
                                       "device_mesh._runtime_compute_coordinate_on_dim.default",
                                       "flex_attention",
                                       "flex_attention_backward",
                                       "torchtitan.deterministic_scatter_add.default"};
  size_t graphs = 0;
  for (const std::string &target : targetsWithoutKernel("large", graphs))
    EXPECT_TRUE(known.count(target)) << target;
  EXPECT_GT(graphs, 0U);
}

} // namespace
} // namespace ccgraph::runtime::testing

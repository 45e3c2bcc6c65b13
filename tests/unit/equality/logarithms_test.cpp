// Logarithms keep the roots of unity by which exp multiplies where ranks exchange them and programs write them.
#include "compared_steps.h"

namespace ccgraph::equality {
namespace {

constexpr const char *single = R"(
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[4, 3][3, 1]cpu"):
        exp: "f32[4, 3][3, 1]cpu" = torch.ops.aten.exp.default(x)
        sum_1: "f32[4][1]cpu" = torch.ops.aten.sum.dim_IntList(exp, [1])
        log: "f32[4][1]cpu" = torch.ops.aten.log.default(sum_1)
        exp_1: "f32[4][1]cpu" = torch.ops.aten.exp.default(log)
        return (exp_1,)
)";

/// Two ranks share the rows of x, and exchange the logarithms by the lines of the test.
std::string parallel(llvm::StringRef lines) {
  return (R"(
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2, 3][3, 1]cpu"):
        exp: "f32[2, 3][3, 1]cpu" = torch.ops.aten.exp.default(x)
        sum_1: "f32[2][1]cpu" = torch.ops.aten.sum.dim_IntList(exp, [1])
        log: "f32[2][1]cpu" = torch.ops.aten.log.default(sum_1)
)" + lines)
      .str();
}

struct Logarithms : ComparedSteps {
  /// `held`: how the ranks hold the result.
  std::optional<bool> isSame(const std::string &step, AxisPlacement held) {
    setSteps(single, step);
    comparison.placements.inputs = {{0, 0, "x", {{AxisPlacement::Kind::Shard, 0}}, {}, {}}};
    comparison.placements.outputs = {{0, 0, "y", {held}, {}, {}}};
    return answer().equal;
  }
};

TEST_F(Logarithms, AreGathered) {
  EXPECT_EQ(isSame(parallel(R"(
        all_gather: "f32[4][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(log, 2, '0')
        wait_tensor: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_gather)
        exp_1: "f32[4][1]cpu" = torch.ops.aten.exp.default(wait_tensor)
        return (exp_1,)
)"),
                   AxisPlacement()),
            true);
}

// Each rank sends each row to the other one, and back.
TEST_F(Logarithms, AreSentToOtherRanks) {
  EXPECT_EQ(isSame(parallel(R"(
        all_to_all: "f32[2][1]cpu" = torch.ops._c10d_functional.all_to_all_single.default(log, [1, 1], [1, 1], '0')
        wait_tensor: "f32[2][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_to_all)
        all_to_all_1: "f32[2][1]cpu" = torch.ops._c10d_functional.all_to_all_single.default(wait_tensor, [1, 1], [1, 1], '0')
        wait_tensor_1: "f32[2][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_to_all_1)
        exp_1: "f32[2][1]cpu" = torch.ops.aten.exp.default(wait_tensor_1)
        return (exp_1,)
)"),
                   {AxisPlacement::Kind::Shard, 0}),
            true);
}

// A sum of logarithms with zeros; exp of it is the product with ones.
TEST_F(Logarithms, AreAddedByAReduction) {
  EXPECT_EQ(isSame(parallel(R"(
        all_gather: "f32[4][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(log, 2, '0')
        wait_tensor: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_gather)
        all_reduce: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(wait_tensor, 'sum', '0')
        wait_tensor_1: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
        sub: "f32[4][1]cpu" = torch.ops.aten.sub.Tensor(wait_tensor_1, wait_tensor)
        exp_1: "f32[4][1]cpu" = torch.ops.aten.exp.default(sub)
        return (exp_1,)
)"),
                   AxisPlacement()),
            true);
}

TEST_F(Logarithms, AreWrittenToABuffer) {
  EXPECT_EQ(isSame(parallel(R"(
        zeros: "f32[4][1]cpu" = torch.ops.aten.zeros.default([4])
        slice_1: "f32[2][1]cpu" = torch.ops.aten.slice.Tensor(zeros, 0, 1, 3)
        copy_: "f32[2][1]cpu" = torch.ops.aten.copy_.default(slice_1, log)
        slice_2: "f32[2][1]cpu" = torch.ops.aten.slice.Tensor(zeros, 0, 1, 3)
        exp_1: "f32[2][1]cpu" = torch.ops.aten.exp.default(slice_2)
        return (exp_1,)
)"),
                   {AxisPlacement::Kind::Shard, 0}),
            true);
}

// What is gathered in another order has other roots.
TEST_F(Logarithms, OfOtherRowsDiffer) {
  EXPECT_EQ(isSame(parallel(R"(
        all_to_all: "f32[2][1]cpu" = torch.ops._c10d_functional.all_to_all_single.default(log, [1, 1], [1, 1], '0')
        wait_tensor: "f32[2][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_to_all)
        exp_1: "f32[2][1]cpu" = torch.ops.aten.exp.default(wait_tensor)
        return (exp_1,)
)"),
                   {AxisPlacement::Kind::Shard, 0}),
            false);
}

} // namespace
} // namespace ccgraph::equality

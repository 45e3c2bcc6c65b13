// Legality of moves: what may pass what, with an empty certificate. Each rule has what it accepts and what it refuses.
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

class LegalityOrder : public testing::Test {
protected:
  RewriteBench bench_;
};

constexpr llvm::StringLiteral twoInputs = R"(x: "f32[8][1]cpu", y: "f32[8][1]cpu")";

constexpr llvm::StringLiteral overlap = R"(
  ar: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
  wait: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(ar)
  mul: "f32[8][1]cpu" = torch.ops.aten.mul.Tensor(y, y)
  add: "f32[8][1]cpu" = torch.ops.aten.add.Tensor(wait, mul)
  return (add,))";

TEST_F(LegalityOrder, AcceptsNoChange) {
  bench_.load(twoInputs, overlap);
  EXPECT_EQ(bench_.verdict(), "");
}

TEST_F(LegalityOrder, AcceptsAWaitThatSinksToItsUse) {
  bench_.load(twoInputs, overlap);
  bench_.move("wait", "add");
  EXPECT_EQ(bench_.verdict(), "");
}

TEST_F(LegalityOrder, RefusesAWaitAfterItsUse) {
  bench_.load(twoInputs, overlap);
  bench_.move("wait", "output");
  EXPECT_EQ(bench_.verdict(), "order");
}

} // namespace
} // namespace ccgraph::test

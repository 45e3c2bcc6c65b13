// Memory is counted per run: whoever frees a tensor, its bytes go back to the run that made it; and running out is an error.
#include "memory_limit.h"
#include "unit/runtime/kernels/kernel_testing.h"

#include <thread>

namespace ccgraph::runtime::testing {
namespace {

Tensor bytes(int64_t count) { return Tensor::zeros(DType::U8, {count}); }

TEST(MemoryLimit, CountsWhatItsOwnRunHolds) {
  MemoryLimit limit(100);
  Tensor held = bytes(80);
  EXPECT_THROW(bytes(21), OutOfMemory);
  held = Tensor();
  EXPECT_EQ(bytes(100).numElements(), 100);
}

TEST(MemoryLimit, TakesNothingBackThatAnotherRunMade) {
  auto first = std::make_unique<MemoryLimit>(100);
  Tensor outlives = bytes(80);
  first.reset();
  MemoryLimit second(100);
  Tensor held = bytes(90);
  outlives = Tensor();
  EXPECT_THROW(bytes(20), OutOfMemory);
}

TEST(MemoryLimit, CountsWhatAnotherThreadFrees) {
  MemoryLimit limit(100);
  Tensor held = bytes(80);
  std::thread([moved = std::exchange(held, Tensor())]() mutable { moved = Tensor(); }).join();
  EXPECT_EQ(bytes(100).numElements(), 100);
}

TEST(MemoryLimit, CountsWhatAStorageGrowsBy) {
  MemoryLimit limit(100);
  Tensor held = bytes(40);
  held.resize({90}, {1});
  EXPECT_THROW(bytes(20), OutOfMemory);
  EXPECT_THROW(held.resize({110}, {1}), OutOfMemory);
}

TEST(RunKernel, SaysThatMemoryRunsOut) {
  int64_t many = int64_t{1} << 32;
  EXPECT_NE(failure("aten.zeros.default", {integers({many, many, many})}).find("needs at least"), std::string::npos);
}

} // namespace
} // namespace ccgraph::runtime::testing

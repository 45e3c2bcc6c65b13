// Tests that outside a trace a wrapped tensor is the tensor itself: wrapping allocates nothing and creates no handle.
#include "allocations/allocation_count.h"

#include "ccgraph/runtime/interpreter.h"
#include "ccgraph/tracer/comm_tensor.h"
#include "ccgraph/tracer/eager.h"
#include "support/noted.h"
#include "support/rank_program.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

using namespace tracer;

/// Returns the allocations for wrapping a tensor a thousand times.
size_t allocationsOfWrapping(const Tensor &tensor) {
  size_t before = allocationsHere();
  for (int i = 0; i != 1000; ++i)
    if (&comm_tensor(tensor) != &tensor)
      return ~size_t{0};
  size_t made = allocationsHere() - before;
  note("allocations of 1,000 wrappers", std::to_string(made));
  return made;
}

TEST(Wrappers, AllocateNothingOutsideATrace) {
  if (!countsAllocations())
    GTEST_SKIP() << "a sanitizer has a malloc of its own";
  EXPECT_EQ(allocationsOfWrapping(Tensor()), 0U);
  Context context;
  auto run = [](const Graph &graph, std::vector<TensorMap> inputs) {
    return runtime::interpret({.graphs = {&graph}, .ranks = 1, .inputs = std::move(inputs)});
  };
  Eager eager = llvm::cantFail(Eager::begin(context, {.ranks = 1, .execute = run}));
  EXPECT_EQ(allocationsOfWrapping(eager.tensor({hostTensor(DType::F32, {2}, {1, 2})})), 0U);
}

} // namespace
} // namespace ccgraph::test

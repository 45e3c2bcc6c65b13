// Random programs through the API: whatever it records verifies, runs, and computes the same after -O2.
#include "traced.h"

#include <random>

namespace ccgraph::test {
namespace {

using namespace tracer;

constexpr size_t ranks = 4;
constexpr size_t numSteps = 30;
constexpr unsigned numPrograms = 150;

/// One program in the making. All tensors are matrices whose sizes are multiples of the number of ranks, so that every
/// step finds operands, and what grows is brought back by tanh.
class RandomApiProgram {
public:
  explicit RandomApiProgram(unsigned seed) : random_(seed), mesh_("cpu", {2, 2}, {"dp", "tp"}) {
    for (const char *name : {"a", "b", "c"})
      values_.push_back(traced_.input(name, {8, 8}));
  }

  const Graph &make() {
    for (size_t step = 0; step != numSteps; ++step)
      values_.push_back(below(2) == 0 ? compute() : communicate());
    std::vector<Tensor> outputs(values_.end() - 6, values_.end());
    return traced_.finish(outputs);
  }

private:
  size_t below(size_t limit) { return random_() % limit; }
  const Tensor &any() { return values_[below(values_.size())]; }
  /// Of 8 rows and columns, whatever a collective made of it.
  Tensor square() {
    const Tensor &value = any();
    return slice(slice(value, 0, 0, 8), 1, 0, 8);
  }

  Tensor compute() {
    switch (below(9)) {
    case 0:
      return square() + square();
    case 1:
      return tanh(mm(square(), square()));
    case 2:
      return softmax(any(), 1);
    case 3:
      return any() * 0.5;
    case 4:
      return contiguous(t(square()));
    case 5:
      return cat({square(), square()}, static_cast<int64_t>(below(2)));
    case 6: {
      Tensor buffer = clone(square());
      return add_(buffer, square());
    }
    case 7:
      return relu(any()) - 1;
    default:
      return expand(mean(any(), {0}, true), {8, -1}) * 1.0;
    }
  }

  GroupLike group() {
    switch (below(4)) {
    case 0:
      return "0";
    case 1:
      return std::pair(mesh_, 0);
    case 2:
      return std::pair(mesh_, 1);
    default:
      return std::vector<int64_t>{3, 1, 0, 2};
    }
  }

  Tensor communicate() {
    auto dim = static_cast<int64_t>(below(2));
    switch (below(7)) {
    case 0:
      return collectives::all_reduce(any(), below(2) ? "sum" : "MAX", group());
    case 1:
      return shrink(collectives::all_gather_tensor(contiguous(any()), dim, group()));
    case 2:
      return expandBack(collectives::reduce_scatter_tensor(any(), "sum", dim, group()));
    case 3:
      return collectives::broadcast(any(), static_cast<int64_t>(below(2)), group());
    case 4:
      return collectives::all_to_all_single(any(), std::nullopt, std::nullopt, group());
    case 5: {
      TensorList both = collectives::all_reduce_coalesced({square(), square()}, "avg", group());
      return both[0] * both[1];
    }
    default:
      return shrink(collectives::all_gather_into_tensor_coalesced({contiguous(square()), contiguous(square())},
                                                                  group())[below(2)]);
    }
  }

  Tensor shrink(const Tensor &grown) { return slice(slice(grown, 0, 0, 8), 1, 0, 8) + 0.25; }
  Tensor expandBack(const Tensor &share) {
    Tensor rows = cat({share, share, share, share}, 0);
    return slice(slice(cat({rows, rows, rows, rows}, 1), 0, 0, 8), 1, 0, 8) * 1.0;
  }

  std::mt19937 random_;
  Traced traced_;
  DeviceMesh mesh_;
  std::vector<Tensor> values_;
};

TEST(RandomApiPrograms, VerifyRunAndComputeTheSameAfterO2) {
  size_t collectives = 0;
  for (unsigned seed = 0; seed != numPrograms; ++seed) {
    RandomApiProgram program(seed);
    const Graph &graph = program.make();
    for (const Node *node : graph)
      collectives += node->target().str().startswith("_c10d_functional.") ? 1 : 0;
    ASSERT_EQ(differencesAfterO2(graph, ranks), "") << "seed " << seed << "\n" << callsOf(graph);
  }
  EXPECT_GT(collectives, numPrograms * numSteps / 2);
}

} // namespace
} // namespace ccgraph::test

// Tests attention on devices, forward and backward, against ccgraph's host kernels, in any order of units and of the
// threads of a team.
#include "both_ways.h"

namespace ccgraph::test {
namespace {

Value number(int64_t value) { return Value::integer(value); }

/// The sizes of attention; a board of a team has 256 entries.
struct Sizes {
  int64_t batches, heads, sharedHeads, queries, keys, features, valueFeatures;
};
constexpr Sizes several[] = {
    {2, 3, 3, 5, 5, 4, 4},     {1, 4, 2, 7, 7, 3, 5}, {1, 1, 1, 300, 300, 8, 8},
    {1, 2, 2, 3, 3, 270, 270}, {1, 2, 1, 1, 1, 1, 1},
};

struct Operands {
  Tensor query, key, value, grad;
  explicit Operands(const Sizes &s, DType dtype = DType::F32)
      // The query has tokens before heads in memory, as a projection makes them.
      : query(drawn(dtype, {s.batches, s.queries, s.heads, s.features}, 1).permute({0, 2, 1, 3})),
        key(drawn(dtype, {s.batches, s.sharedHeads, s.keys, s.features}, 1)),
        value(drawn(dtype, {s.batches, s.sharedHeads, s.keys, s.valueFeatures}, 1)),
        grad(drawn(dtype, {s.batches, s.heads, s.queries, s.valueFeatures}, 1)) {}
};

Values forwardOf(const std::string &target, const Values &arguments) {
  return llvm::cantFail(runKernel(*runtime::findKernel(target), KernelCall{arguments, {}}), target.c_str()).list();
}

// --- As CUDA's graphs have it ---------------------------------------------------------------------------------

TEST(CudaKernels, FlashAttentionAndItsGradient) {
  const std::string name = "aten._scaled_dot_product_flash_attention";
  for (DType dtype : {DType::F32, DType::F64, DType::BF16})
    for (const Sizes &sizes : several)
      for (bool causal : {false, true}) {
        Operands o(sizes, dtype);
        Values arguments = {o.query, o.key, o.value, Value::floating(0), Value::boolean(causal)};
        Values expected = forwardOf(name + ".default", arguments);
        for (uint64_t order : {0, 1, 6, 7}) {
          Tensors made = destinationsFor({expected[0].tensor(), expected[1].tensor(), expected[6].tensor()}, {});
          computeAsDevice(name + ".default", arguments, {made[0], made[1], {}, {}, {}, {}, made[2]}, order);
          expectClose(made[0], expected[0].tensor(), "output");
          expectClose(made[1], expected[1].tensor(), "logarithms of sums");
          EXPECT_EQ(std::memcmp(made[2].data(), expected[6].tensor().data(), 16), 0) << "seed";
        }
        if (dtype == DType::BF16)
          continue; // The difference of two products of rounded numbers differs by more than one rounding.
        expectAsOnHost(name + "_backward.default",
                       {o.grad, o.query, o.key, o.value, expected[0], expected[1], Value(), Value(),
                        number(sizes.queries), number(sizes.keys), Value::floating(0), Value::boolean(causal),
                        expected[6], expected[7]});
      }
}

TEST(CudaKernels, EfficientAttentionAndItsGradient) {
  const std::string name = "aten._scaled_dot_product_efficient_attention";
  for (const Sizes &sizes : several)
    for (bool causal : {false, true})
      for (bool biased : {false, true}) {
        Operands o(sizes);
        Value bias = biased ? Value(drawn(DType::F32, {sizes.heads, 1, sizes.keys})) : Value(),
              scale = Value::floating(0.3);
        Values arguments = {
            o.query, o.key, o.value, bias, Value::boolean(true), Value::floating(0), Value::boolean(causal), scale};
        expectAsOnHost(name + ".default", arguments);
        Values done = forwardOf(name + ".default", arguments);
        Value wanted =
            Value::list({Value::boolean(true), Value::boolean(true), Value::boolean(true), Value::boolean(false)});
        expectAsOnHost(name + "_backward.default",
                       {o.grad, o.query, o.key, o.value, bias, done[0], done[1], done[2], done[3], Value::floating(0),
                        wanted, Value::boolean(causal), scale});
      }
  Operands o(several[0]);
  expectAsOnHost(name + ".default", {o.query, o.key, o.value, Value(), Value::boolean(false)});
}

// --- As the CPU's graphs have it ------------------------------------------------------------------------------

TEST(CudaKernels, AttentionOfTheCpuAndItsGradient) {
  const std::string name = "aten._scaled_dot_product_flash_attention_for_cpu";
  for (DType dtype : {DType::F32, DType::F64})
    for (Sizes sizes : several)
      for (bool causal : {false, true}) {
        // Only this operator accepts different numbers of keys and queries with a causal mask.
        sizes.keys += 2;
        sizes.valueFeatures = sizes.features;
        Operands o(sizes, dtype);
        Value mask = drawn(dtype, {sizes.queries, sizes.keys});
        Values arguments = {o.query, o.key, o.value, Value::floating(0), Value::boolean(causal), mask};
        expectAsOnHost(name + ".default", arguments);
        Values done = forwardOf(name + ".default", arguments);
        expectAsOnHost(name + "_backward.default", {o.grad, o.query, o.key, o.value, done[0], done[1],
                                                    Value::floating(0), Value::boolean(causal), mask});
      }
}

/// Tests large scores, whose exponentials exceed every number, and a query without visible keys.
TEST(CudaKernels, AttentionTakesTheLargestScoreOut) {
  const std::string name = "aten._scaled_dot_product_flash_attention_for_cpu.default";
  Operands o(several[0]);
  expectAsOnHost(name,
                 {o.query, o.key, o.value, Value::floating(0), Value::boolean(false), Value(), Value::floating(400)});
  Tensor mask = Tensor::zeros(DType::F32, {5, 5});
  for (int64_t key = 0; key < 5; ++key)
    reinterpret_cast<float *>(mask.data())[2 * 5 + key] = -INFINITY;
  expectAsOnHost(name, {o.query, o.key, o.value, Value::floating(0), Value::boolean(false), mask});
}

TEST(CudaKernels, AttentionThatNobodyHereComputesIsRefused) {
  Operands o(several[0]);
  auto refusal = [&](const Values &arguments) {
    auto jobs = runtime::cudaJobs("aten._scaled_dot_product_flash_attention.default", arguments,
                                  {Tensor::zeros(DType::F32, o.query.sizes())});
    return jobs ? "" : llvm::toString(jobs.takeError());
  };
  EXPECT_EQ(refusal({o.query, o.key, o.value}), "");
  EXPECT_EQ(refusal({o.query, o.key, o.value, Value::floating(0.1)}),
            "aten._scaled_dot_product_flash_attention.default: got dropout, expected dropout_p = 0.0");
  EXPECT_EQ(refusal({o.query, o.key.slice(2, 0, 3), o.value.slice(2, 0, 3), Value::floating(0), Value::boolean(true)}),
            "aten._scaled_dot_product_flash_attention.default: got query f32[2, 3, 5, 4][60, 4, 12, 1], key f32[2, 3, "
            "3, 4][60, 20, 4, 1], "
            "value f32[2, 3, 3, 4][60, 20, 4, 1], expected [batch, heads, tokens, features] of one float dtype and "
            "equally many queries and keys");
}

} // namespace
} // namespace ccgraph::test

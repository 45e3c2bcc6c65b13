// Placements of convolutions, windows, rotary embeddings and losses of elements: one program each.
#include "unit/placements/placed_program.h"

namespace ccgraph::placements {
namespace {

constexpr llvm::StringLiteral twoConvolutions = R"(
        h: "f32[2, 4, 6, 6]" = torch.ops.aten.convolution.default(x, v, b, [1, 1], [1, 1], [1, 1], False, [0, 0], 1)
        a: "f32[2, 4, 6, 6]" = torch.ops.aten.relu.default(h)
        y: "f32[2, 5, 6, 6]" = torch.ops.aten.convolution.default(a, w, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
        sum_1: "f32[2, 5, 6, 6]" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', 'tp')
        return (sum_1,)
)";
constexpr llvm::StringLiteral ofConvolutions =
    R"(x: "f32[2, 3, 6, 6]", v: "f32[4, 3, 3, 3]", b: "f32[4]", w: "f32[5, 4, 1, 1]")";

TEST_F(InferPlacementsTest, ConvolutionsOverCutChannelsAddUp) {
  ask(ofConvolutions, twoConvolutions);
  input(0, {AxisPlacement()});
  for (size_t weight : {1, 2})
    input(weight, {shard(0)});
  input(3, {shard(1)});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "h"), "shard(1)");
  EXPECT_EQ(of(answer(), "y"), "partial(sum)");
  EXPECT_EQ(of(answer(), "sum_1"), "replicated");
}

TEST_F(InferPlacementsTest, AWholeWeightBesideCutChannelsIsAFinding) {
  ask(R"(x: "f32[2, 4, 6]", w: "f32[5, 4, 1]")", R"(
        y: "f32[2, 5, 6]" = torch.ops.aten.convolution.default(x, w, None, [1], [0], [1], False, [0], 1)
        return (y,)
)");
  input(0, {shard(1)});
  input(1, {AxisPlacement()});
  EXPECT_EQ(findings(), "mismatched-operands at y;");
}

TEST_F(InferPlacementsTest, CutPositionsOfAConvolutionVary) {
  ask(R"(x: "f32[2, 4, 6]", w: "f32[5, 4, 1]")", R"(
        y: "f32[2, 5, 6]" = torch.ops.aten.convolution.default(x, w, None, [1], [0], [1], False, [0], 1)
        return (y,)
)");
  input(0, {shard(2)});
  input(1, {AxisPlacement()});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "y"), "varying");
}

TEST_F(InferPlacementsTest, TheGradientOfABiasOverCutPositionsIsAPartialSum) {
  ask(R"(g: "f32[2, 5, 6]", x: "f32[2, 4, 6]", w: "f32[5, 4, 1]")", R"(
        back = torch.ops.aten.convolution_backward.default(g, x, w, [5], [1], [0], [1], False, [0], 1, [True, True, True])
        dw: "f32[5, 4, 1]" = back[1]
        db: "f32[5]" = back[2]
        return (dw, db)
)");
  input(0, {shard(2)});
  input(1, {shard(2)});
  input(2, {AxisPlacement()});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "dw"), "varying");
  EXPECT_EQ(of(answer(), "db"), "partial(sum)");
}

TEST_F(InferPlacementsTest, ADepthwiseConvolutionKeepsCutChannels) {
  ask(R"(x: "f32[2, 4, 6]", w: "f32[4, 1, 3]")", R"(
        y: "f32[2, 4, 6]" = torch.ops.aten.convolution.default(x, w, None, [1], [1], [1], False, [0], 4)
        return (y,)
)");
  input(0, {shard(1)});
  input(1, {shard(0)});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "y"), "shard(1)");
}

TEST_F(InferPlacementsTest, GradientsOfAConvolutionOverABatchArePartialSums) {
  ask(R"(g: "f32[2, 5, 6]", x: "f32[2, 4, 6]", w: "f32[5, 4, 1]")", R"(
        back = torch.ops.aten.convolution_backward.default(g, x, w, [5], [1], [0], [1], False, [0], 1, [True, True, True])
        dx: "f32[2, 4, 6]" = back[0]
        dw: "f32[5, 4, 1]" = back[1]
        db: "f32[5]" = back[2]
        return (dx, dw, db)
)");
  input(0, {shard(0)});
  input(1, {shard(0)});
  input(2, {AxisPlacement()});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "dx"), "shard(0)");
  EXPECT_EQ(of(answer(), "dw"), "partial(sum)");
  EXPECT_EQ(of(answer(), "db"), "partial(sum)");
}

TEST_F(InferPlacementsTest, AMaximumOfWindowsOfAPartialSumIsAFinding) {
  ask(R"(x: "f32[2, 4, 6, 6]")", R"(
        mean: "f32[2, 4, 3, 3]" = torch.ops.aten.avg_pool2d.default(x, [2, 2], [2, 2])
        pool = torch.ops.aten.max_pool2d_with_indices.default(x, [2, 2], [2, 2])
        largest: "f32[2, 4, 3, 3]" = pool[0]
        return (mean, largest)
)");
  input(0, {partial()});
  EXPECT_EQ(findings(), "unreduced-operand at pool;");
  EXPECT_EQ(of(answer(), "mean"), "partial(sum)");
}

TEST_F(InferPlacementsTest, ALossOverACutBatchIsAPartialSum) {
  ask(R"(x: "f32[4, 3]", y: "f32[4, 3]", g: "f32[]")", R"(
        loss: "f32[]" = torch.ops.aten.mse_loss.default(x, y)
        each: "f32[4, 3]" = torch.ops.aten.huber_loss.default(x, y, 0)
        back: "f32[4, 3]" = torch.ops.aten.mse_loss_backward.default(g, x, y, 1)
        return (loss, each, back)
)");
  for (size_t position : {0, 1})
    input(position, {shard(0)});
  input(2, {AxisPlacement()});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "loss"), "partial(sum)");
  EXPECT_EQ(of(answer(), "each"), "shard(0)");
  EXPECT_EQ(of(answer(), "back"), "shard(0)");
}

TEST_F(InferPlacementsTest, AGroupNormIsOneOfEachExample) {
  constexpr llvm::StringLiteral lines = R"(
        norm = torch.ops.aten.native_group_norm.default(x, w, b, 2, 4, 9, 2, 1e-05)
        y: "f32[2, 4, 9]" = norm[0]
        mean: "f32[2, 2]" = norm[1]
        rstd: "f32[2, 2]" = norm[2]
        back = torch.ops.aten.native_group_norm_backward.default(x, x, mean, rstd, w, 2, 4, 9, 2, [True, True, True])
        dx: "f32[2, 4, 9]" = back[0]
        dw: "f32[4]" = back[1]
        return (y, dx, dw)
)";
  ask(R"(x: "f32[2, 4, 9]", w: "f32[4]", b: "f32[4]")", lines);
  input(0, {shard(0)});
  for (size_t weight : {1, 2})
    input(weight, {AxisPlacement()});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "y"), "shard(0)");
  EXPECT_EQ(of(answer(), "dx"), "shard(0)");
  EXPECT_EQ(of(answer(), "dw"), "partial(sum)");
}

TEST_F(InferPlacementsTest, AGroupNormOfCutChannelsIsUndecided) {
  ask(R"(x: "f32[2, 4, 9]")", R"(
        norm = torch.ops.aten.native_group_norm.default(x, None, None, 2, 4, 9, 2, 1e-05)
        y: "f32[2, 4, 9]" = norm[0]
        return (y,)
)");
  input(0, {shard(1)});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "y"), "undecided");
}

TEST_F(InferPlacementsTest, AFlipMovesThePartsOfACutDimension) {
  ask(R"(x: "f32[4, 3]")", R"(
        rows: "f32[4, 3]" = torch.ops.aten.flip.default(x, [1])
        parts: "f32[4, 3]" = torch.ops.prims.rev.default(x, [0])
        return (rows, parts)
)");
  input(0, {shard(0)});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "rows"), "shard(0)");
  EXPECT_EQ(of(answer(), "parts"), "undecided");
}

TEST_F(InferPlacementsTest, APartThatIsWrittenKeepsTheOtherDimensions) {
  ask(R"(x: "f32[4, 3, 2]", row: "f32[4, 2]")", R"(
        y: "f32[4, 3, 2]" = torch.ops.aten.select_scatter.default(x, row, 1, 0)
        z: "f32[4, 3, 2]" = torch.ops.aten.slice_scatter.default(x, y, 0, 0, 4)
        return (y, z)
)");
  for (size_t position : {0, 1})
    input(position, {shard(0)});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "y"), "shard(0)");
  EXPECT_EQ(of(answer(), "z"), "undecided");
}

TEST_F(InferPlacementsTest, RowsOfACutBatchThatAreAddedArePartialSums) {
  ask(R"(i: "i64[4]", m: "b8[4, 1]", v: "f32[4, 2]")", R"(
        zeros: "f32[6, 2]" = torch.ops.aten.full.default([6, 2], 0.0, dtype = torch.float32)
        put: "f32[6, 2]" = torch.ops.aten.index_put.default(zeros, [i], v, True)
        masked: "f32[6, 2]" = torch.ops.aten._unsafe_masked_index_put_accumulate.default(zeros, m, [i], v)
        return (put, masked)
)");
  for (size_t position : {0, 1, 2})
    input(position, {shard(0)});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "put"), "partial(sum)");
  EXPECT_EQ(of(answer(), "masked"), "partial(sum)");
}

TEST_F(InferPlacementsTest, RowsOfARankThatAreAddedToZerosArePartialSums) {
  ask(R"(i: "i64[4]", v: "f32[4, 2]", w: "f32[6, 2]")", R"(
        zeros: "f32[6, 2]" = torch.ops.aten.full.default([6, 2], 0.0, dtype = torch.float32)
        rows: "f32[6, 2]" = torch.ops.aten.index_add.default(zeros, 0, i, v)
        onto: "f32[6, 2]" = torch.ops.aten.index_add.default(w, 0, i, v)
        return (rows, onto)
)");
  for (size_t position : {0, 1})
    input(position, {shard(0)});
  input(2, {AxisPlacement()});
  EXPECT_EQ(of(answer(), "rows"), "partial(sum)");
  EXPECT_EQ(of(answer(), "onto"), "varying");
}

TEST_F(InferPlacementsTest, AnEmptyBufferOfALogSigmoidIsReplicated) {
  ask(R"(x: "f32[4, 3]")", R"(
        pair = torch.ops.aten.log_sigmoid_forward.default(x)
        y: "f32[4, 3]" = pair[0]
        buffer: "f32[0]" = pair[1]
        return (y, buffer)
)");
  input(0, {shard(0)});
  EXPECT_EQ(of(answer(), "y"), "shard(0)");
  EXPECT_EQ(of(answer(), "buffer"), "replicated");
}

TEST_F(InferPlacementsTest, ALossOfAPartialSumIsAFinding) {
  ask(R"(x: "f32[4, 3]", y: "f32[4, 3]")", R"(
        loss: "f32[]" = torch.ops.aten.mse_loss.default(x, y)
        return (loss,)
)");
  input(0, {partial()});
  input(1, {AxisPlacement()});
  EXPECT_EQ(findings(), "unreduced-operand at loss;");
}

TEST_F(InferPlacementsTest, ComposedConvolutionsOverCutChannelsAddUp) {
  ask(ofConvolutions, R"(
        h: "f32[2, 4, 6, 6]" = torch.ops.aten.conv2d.default(x, v, b, [1, 1], [1, 1])
        p: "f32[2, 4, 3, 3]" = torch.ops.aten.max_pool2d.default(h, [2, 2])
        y: "f32[2, 5, 3, 3]" = torch.ops.aten.conv2d.default(p, w)
        t: "f32[2, 5, 3, 3]" = torch.ops.aten.tanh.default(y)
        return (t,)
)");
  input(0, {AxisPlacement()});
  for (size_t weight : {1, 2})
    input(weight, {shard(0)});
  input(3, {shard(1)});
  EXPECT_EQ(findings(), "unreduced-operand at t;");
  EXPECT_EQ(of(answer(), "p"), "shard(1)");
  EXPECT_EQ(of(answer(), "y"), "partial(sum)");
}

TEST_F(InferPlacementsTest, AComposedLossOverABatchIsAPartialSum) {
  ask(R"(x: "f32[2, 8]", l: "i64[2]")", R"(
        y: "f32[]" = torch.ops.aten.cross_entropy_loss.default(x, l)
        e: "f32[2]" = torch.ops.aten.cross_entropy_loss.default(x, l, None, 0)
        return (y, e)
)");
  input(0, {shard(0)});
  input(1, {shard(0)});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "y"), "partial(sum)");
  EXPECT_EQ(of(answer(), "e"), "shard(0)");
}

TEST_F(InferPlacementsTest, AComposedLossOfUnreducedScoresIsAFinding) {
  ask(R"(x: "f32[2, 8]", l: "i64[2]")", R"(
        y: "f32[]" = torch.ops.aten.cross_entropy_loss.default(x, l)
        return (y,)
)");
  input(0, {partial()});
  input(1, {AxisPlacement()});
  EXPECT_EQ(findings(), "unreduced-operand at y;");
}

TEST_F(InferPlacementsTest, ComposedNormsAreElementwiseInTheBatch) {
  ask(R"(x: "f32[2, 4, 6]", w: "f32[6]", b: "f32[6]", v: "f32[4]", u: "f32[4]")", R"(
        y: "f32[2, 4, 6]" = torch.ops.aten.layer_norm.default(x, [6], w, b)
        g: "f32[2, 4, 6]" = torch.ops.aten.group_norm.default(y, 2, v, u)
        d: "f32[2, 4, 6]" = torch.ops.aten.dropout.default(g, 0.1, False)
        return (d,)
)");
  input(0, {shard(0)});
  for (size_t weight : {1, 2, 3, 4})
    input(weight, {AxisPlacement()});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "y"), "shard(0)");
  EXPECT_EQ(of(answer(), "d"), "shard(0)");
}

constexpr llvm::StringLiteral gradientsOfAttention = R"(
        back = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default(g, q, k, k, q, l, 0.0, False)
        dk: "f32[2, 2, 8, 4]" = back[1]
        sum_1: "f32[2, 2, 8, 4]" = torch.ops._c10d_functional.all_reduce.default(dk, 'sum', 'tp')
        return (sum_1,)
)";
constexpr llvm::StringLiteral ofAttention =
    R"(g: "f32[2, 2, 4, 4]", q: "f32[2, 2, 4, 4]", k: "f32[2, 2, 8, 4]", l: "f32[2, 2, 4]")";

TEST_F(InferPlacementsTest, TheGradientOfWholeKeysIsAPartialSumOverCutQueries) {
  ask(ofAttention, gradientsOfAttention);
  for (size_t position : {0, 1})
    input(position, {shard(2)});
  input(2, {AxisPlacement()});
  input(3, {shard(2)});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "dk"), "partial(sum)");
}

// The ranks have gradients of other examples, so a sum of what they have of the keys is not superfluous.
TEST_F(InferPlacementsTest, TheGradientOfWholeKeysVariesWithACutBatch) {
  ask(ofAttention, gradientsOfAttention);
  input(0, {shard(0)});
  input(1, {shard(2)});
  input(2, {AxisPlacement()});
  input(3, {shard(2)});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "dk"), "varying");
}

TEST_F(InferPlacementsTest, RotaryEmbeddingsKeepCutHeads) {
  ask(R"(x: "f32[2, 4, 8, 2]", f: "c64[1, 1, 8]")", R"(
        pairs: "c64[2, 4, 8]" = torch.ops.aten.view_as_complex.default(x)
        mul: "c64[2, 4, 8]" = torch.ops.aten.mul.Tensor(pairs, f)
        real: "f32[2, 4, 8, 2]" = torch.ops.aten.view_as_real.default(mul)
        return (real,)
)");
  input(0, {shard(1)});
  input(1, {AxisPlacement()});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "mul"), "shard(1)");
  EXPECT_EQ(of(answer(), "real"), "shard(1)");
}

/// The gradient of a cross-entropy, of which each rank has some rows.
TEST_F(InferPlacementsTest, ElementsArePutAtTheRowsOfEachRank) {
  ask(R"(logits: "f32[4, 3]", target: "i64[4]")", R"(
        zeros: "f32[4, 3]" = torch.ops.aten.zeros_like.default(logits)
        rows: "i64[4]" = torch.ops.aten.arange.default(4)
        ones: "f32[4]" = torch.ops.aten.ones_like.default(target, dtype = torch.float32)
        put: "f32[4, 3]" = torch.ops.aten.index_put.default(zeros, [rows, target], ones)
        add: "f32[4, 3]" = torch.ops.aten.add.Tensor(put, logits)
        return (add,)
)");
  input(0, {shard(0)});
  input(1, {shard(0)});
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(of(answer(), "put"), "shard(0)");
  EXPECT_EQ(of(answer(), "add"), "shard(0)");
}

TEST_F(InferPlacementsTest, ElementsAtIndicesOfSeveralDimensionsAreUndecided) {
  ask(R"(i: "i64[2, 2]", values: "f32[2, 2]")", R"(
        zeros: "f32[4, 3]" = torch.ops.aten.zeros.default([4, 3])
        put: "f32[4, 3]" = torch.ops.aten.index_put.default(zeros, [i, i], values)
        return (put,)
)");
  input(0, {shard(0)});
  input(1, {shard(0)});
  EXPECT_EQ(of(answer(), "put"), "undecided");
  EXPECT_EQ(answer().undecided.front(), "put: elements that are put at indices of several dimensions");
}

} // namespace
} // namespace ccgraph::placements

// Tests functional collectives: the recorded calls with PyTorch's order of arguments, the texts of all refusals, and
// that a recorded program computes the same before and after -O2.
#include "traced.h"

namespace ccgraph::test {
namespace {

using namespace collectives;

/// Returns what one call on an f32[8, 4] records in a world of 4.
template <typename Make>
std::string recorded(Make make) {
  Traced t;
  Tensor x = t.input("x", {8, 4});
  return t.finishText({make(x)});
}

template <typename Make>
std::string recordedList(Make make) {
  Traced t;
  std::vector<Tensor> inputs = {t.input("x", {8, 4}), t.input("y", {4})};
  tracer::TensorList list = make(inputs);
  EXPECT_EQ(list.size(), 2U);
  return t.finishText(list.tensors());
}

TEST(FunctionalCollectives, AllReduce) {
  EXPECT_EQ(recorded([](const Tensor &x) { return all_reduce(x, "SUM", "0"); }),
            "all_reduce = _c10d_functional.all_reduce.default(x, sum, 0) : f32[8, 4][4, 1]cpu\n"
            "wait_tensor = _c10d_functional.wait_tensor.default(all_reduce) : f32[8, 4][4, 1]cpu\n");
}

TEST(FunctionalCollectives, Broadcast) {
  EXPECT_EQ(recorded([](const Tensor &x) { return broadcast(x, 2, "0"); }),
            "broadcast = _c10d_functional.broadcast.default(x, 2, 0) : f32[8, 4][4, 1]cpu\n"
            "wait_tensor = _c10d_functional.wait_tensor.default(broadcast) : f32[8, 4][4, 1]cpu\n");
}

TEST(FunctionalCollectives, AllGatherAlongRows) {
  EXPECT_EQ(recorded([](const Tensor &x) { return all_gather_tensor(x, 0, "0"); }),
            "all_gather_into_tensor = _c10d_functional.all_gather_into_tensor.default(x, 4, 0) : f32[32, 4][4, 1]cpu\n"
            "wait_tensor = _c10d_functional.wait_tensor.default(all_gather_into_tensor) : f32[32, 4][4, 1]cpu\n");
}

TEST(FunctionalCollectives, AllGatherAlongAnotherDimension) {
  EXPECT_EQ(
      recorded([](const Tensor &x) { return all_gather_tensor_autograd(x, 1, "0"); }),
      "all_gather_into_tensor = _c10d_functional_autograd.all_gather_into_tensor.default(x, 4, 0) : f32[32, 4][4, "
      "1]cpu\n"
      "wait_tensor = _c10d_functional.wait_tensor.default(all_gather_into_tensor) : f32[32, 4][4, 1]cpu\n"
      "split = aten.split.Tensor(wait_tensor, 8) : (f32[8, 4][4, 1]cpu, f32[8, 4][4, 1]cpu, f32[8, 4][4, 1]cpu, "
      "f32[8, 4][4, 1]cpu)\n"
      "getitem = operator.getitem(split, 0) : f32[8, 4][4, 1]cpu\n"
      "getitem_1 = operator.getitem(split, 1) : f32[8, 4][4, 1]cpu\n"
      "getitem_2 = operator.getitem(split, 2) : f32[8, 4][4, 1]cpu\n"
      "getitem_3 = operator.getitem(split, 3) : f32[8, 4][4, 1]cpu\n"
      "cat = aten.cat.default([getitem, getitem_1, getitem_2, getitem_3], 1) : f32[8, 16][16, 1]cpu\n");
}

TEST(FunctionalCollectives, ReduceScatterAlongRows) {
  EXPECT_EQ(
      recorded([](const Tensor &x) { return reduce_scatter_tensor(x, "avg", 0, "0"); }),
      "reduce_scatter_tensor = _c10d_functional.reduce_scatter_tensor.default(x, avg, 4, 0) : f32[2, 4][4, 1]cpu\n"
      "wait_tensor = _c10d_functional.wait_tensor.default(reduce_scatter_tensor) : f32[2, 4][4, 1]cpu\n");
}

TEST(FunctionalCollectives, ReduceScatterAlongAnotherDimension) {
  std::string text = recorded([](const Tensor &x) { return reduce_scatter_tensor_autograd(x, "sum", 1, "0"); });
  EXPECT_EQ(text.substr(text.find("cat =")),
            "cat = aten.cat.default([getitem, getitem_1, getitem_2, getitem_3]) : f32[32, 1][1, 1]cpu\n"
            "reduce_scatter_tensor = _c10d_functional_autograd.reduce_scatter_tensor.default(cat, sum, 4, 0) : f32[8, "
            "1][1, 1]cpu\n"
            "wait_tensor = _c10d_functional.wait_tensor.default(reduce_scatter_tensor) : f32[8, 1][1, 1]cpu\n");
}

TEST(FunctionalCollectives, CoalescedFormsWaitForEachElement) {
  EXPECT_EQ(recordedList([](const std::vector<Tensor> &list) { return all_reduce_coalesced(list, "max", "0"); }),
            "all_reduce_coalesced = _c10d_functional.all_reduce_coalesced.default([x, y], max, 0) : (f32[8, 4][4, "
            "1]cpu, f32[4][1]cpu)\n"
            "getitem = operator.getitem(all_reduce_coalesced, 0) : f32[8, 4][4, 1]cpu\n"
            "getitem_1 = operator.getitem(all_reduce_coalesced, 1) : f32[4][1]cpu\n"
            "wait_tensor = _c10d_functional.wait_tensor.default(getitem) : f32[8, 4][4, 1]cpu\n"
            "wait_tensor_1 = _c10d_functional.wait_tensor.default(getitem_1) : f32[4][1]cpu\n");
  std::string gathered =
      recordedList([](const std::vector<Tensor> &list) { return all_gather_into_tensor_coalesced(list, "0"); });
  EXPECT_EQ(gathered.substr(0, gathered.find('\n')),
            "all_gather_into_tensor_coalesced = _c10d_functional.all_gather_into_tensor_coalesced.default([x, y], 4, "
            "0) : (f32[32, 4][4, 1]cpu, f32[16][1]cpu)");
  std::string scattered = recordedList([](const std::vector<Tensor> &list) {
    return reduce_scatter_tensor_coalesced(list, "sum", {1, 0}, "0");
  });
  size_t at = scattered.find("reduce_scatter_tensor_coalesced =");
  EXPECT_EQ(scattered.substr(at, scattered.find('\n', at) - at),
            "reduce_scatter_tensor_coalesced = _c10d_functional.reduce_scatter_tensor_coalesced.default([cat, y], sum, "
            "4, 0) : (f32[8, 1][1, 1]cpu, f32[1][1]cpu)");
}

TEST(FunctionalCollectives, AllToAllWithEqualAndUnevenSplits) {
  EXPECT_EQ(recorded([](const Tensor &x) { return all_to_all_single(x, std::nullopt, std::nullopt, "0"); }),
            "all_to_all_single = _c10d_functional.all_to_all_single.default(x, [2, 2, 2, 2], [2, 2, 2, 2], 0) : f32[8, "
            "4][4, 1]cpu\n"
            "wait_tensor = _c10d_functional.wait_tensor.default(all_to_all_single) : f32[8, 4][4, 1]cpu\n");
  std::string uneven = recorded([](const Tensor &x) {
    return all_to_all_single_autograd(x, std::vector<int64_t>{1, 2, 3, 4}, std::vector<int64_t>{5, 1, 1, 1}, "0");
  });
  EXPECT_EQ(uneven.substr(0, uneven.find('\n')),
            "all_to_all_single = _c10d_functional_autograd.all_to_all_single.default(x, [1, 2, 3, 4], [5, 1, 1, 1], 0) "
            ": f32[10, 4][4, 1]cpu");
}

TEST(FunctionalCollectives, PermuteIsAnAllToAllOfOneRank) {
  Traced t({.worldSize = 4, .rank = 1});
  Tensor x = t.input("x", {6});
  EXPECT_EQ(t.finishText({permute_tensor(x, {1, 2, 3, 0}, "0")}),
            "all_to_all_single = _c10d_functional.all_to_all_single.default(x, [6, 0, 0, 0], [0, 0, 6, 0], 0) : "
            "f32[6][1]cpu\n"
            "wait_tensor = _c10d_functional.wait_tensor.default(all_to_all_single) : f32[6][1]cpu\n");
}

TEST(FunctionalCollectives, SplitsOfAllRanksAreThoseOfTheTracesRank) {
  Traced t({.worldSize = 2, .rank = 1});
  Tensor x = t.input("x", {5});
  EXPECT_EQ(t.finishText({all_to_all_single_of_ranks(x, {{{3, 1}, {2, 3}}}, "0")}),
            "all_to_all_single = _c10d_functional.all_to_all_single.default(x, [1, 3], [2, 3], 0) : f32[4][1]cpu\n"
            "wait_tensor = _c10d_functional.wait_tensor.default(all_to_all_single) : f32[4][1]cpu\n");
}

TEST(FunctionalCollectives, WaitingTwiceIsRecordedTwice) {
  std::string text = recorded([](const Tensor &x) { return wait_tensor(all_reduce(x, "sum", "0")); });
  EXPECT_NE(text.find("wait_tensor_1 = _c10d_functional.wait_tensor.default(wait_tensor)"), std::string::npos);
}

TEST(FunctionalCollectives, PremulSumMultipliesFirst) {
  EXPECT_EQ(recorded([](const Tensor &x) { return all_reduce(x, premul_sum(0.5), "0"); }),
            "mul = aten.mul.Tensor(x, 0.50) : f32[8, 4][4, 1]cpu\n"
            "all_reduce = _c10d_functional.all_reduce.default(mul, sum, 0) : f32[8, 4][4, 1]cpu\n"
            "wait_tensor = _c10d_functional.wait_tensor.default(all_reduce) : f32[8, 4][4, 1]cpu\n");
  Traced t;
  Tensor x = t.input("x", {4}), factor = t.input("f", {});
  std::string text = t.finishText({reduce_scatter_tensor(x, premul_sum(factor), 0, "0")});
  EXPECT_EQ(text.substr(0, text.find('\n')), "mul = aten.mul.Tensor(x, f) : f32[4][1]cpu");
}

class ReduceOpTest : public testing::TestWithParam<const char *> {};

TEST_P(ReduceOpTest, IsTakenInAnyLetterCase) {
  std::string upper = llvm::StringRef(GetParam()).upper();
  EXPECT_EQ(ReduceOp(upper).name(), GetParam());
  Traced t;
  Tensor x = t.input("x", {4}, DType::I64);
  Graph &graph = t.finish({all_reduce(x, upper, "0")});
  EXPECT_EQ(graph.find("all_reduce")->args()[1].text(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, ReduceOpTest,
                         testing::Values("sum", "avg", "product", "min", "max", "band", "bor", "bxor"));

// --- Refusals --------------------------------------------------------------------------------------------------------

TEST(FunctionalCollectiveErrors, AnInputThatIsNotContiguous) {
  Traced t;
  EXPECT_EQ(errorOf(all_gather_tensor(tracer::t(t.input("x", {2, 4})), 0, "0")),
            "error: all_gather_tensor: needs a contiguous input, got f32[4, 2][1, 4]cpu [trace.contiguous]\n"
            "  note: call contiguous(input) first\n");
}

TEST(FunctionalCollectiveErrors, ADimensionThatCannotBeShared) {
  Traced t;
  Tensor x = t.input("x", {8, 6});
  EXPECT_EQ(errorOf(reduce_scatter_tensor(x, "sum", 1, "0")),
            "error: reduce_scatter_tensor: input dimension 1 (6) must be a multiple of group_size 4 "
            "[trace.scatter-dim]\n");
  EXPECT_EQ(errorOf(reduce_scatter_tensor_coalesced({x, x}, "sum", {0, 1}, "0")[0]),
            "error: reduce_scatter_tensor_coalesced: input dimension 1 (6) must be a multiple of group_size 4 for "
            "tensor at index 1 [trace.scatter-dim]\n");
}

TEST(FunctionalCollectiveErrors, TooFewScatterDimensions) {
  Traced t;
  Tensor x = t.input("x", {8});
  EXPECT_EQ(errorOf(reduce_scatter_tensor_coalesced({x, x}, "sum", {0}, "0")[0]),
            "error: reduce_scatter_tensor_coalesced: got 1 scatter dimensions for 2 tensors [trace.scatter-dims]\n"
            "  note: one dimension a tensor\n");
}

TEST(FunctionalCollectiveErrors, SplitsOnOneSideOnly) {
  Traced t;
  EXPECT_EQ(errorOf(all_to_all_single(t.input("x", {8}), std::vector<int64_t>{2, 2, 2, 2}, std::nullopt, "0")),
            "error: all_to_all_single: output_split_sizes and input_split_sizes must either be specified together or "
            "both set to None [trace.splits]\n");
}

TEST(FunctionalCollectiveErrors, SplitsOfAllRanksWithoutRankOrOfOtherRanks) {
  {
    Traced t;
    EXPECT_EQ(errorOf(all_to_all_single_of_ranks(t.input("x", {8}), {{{4, 4}, {4, 4}}}, "0")),
              "error: all_to_all_single_of_ranks: its splits hold the rank, and this trace is one text for every rank "
              "[trace.rank]\n  note: give the trace a rank (TraceOptions::rank)\n");
  }
  Traced t({.worldSize = 4, .rank = 3});
  EXPECT_EQ(errorOf(all_to_all_single_of_ranks(t.input("x", {8}), {{{4, 4}, {4, 4}}}, "0")),
            "error: all_to_all_single_of_ranks: got 2 lists of splits for a group of 4 ranks [trace.splits]\n"
            "  note: rank r sends rows[r][p] rows to rank p of the group\n");
}

TEST(FunctionalCollectiveErrors, APermutationWithoutRankOrThatIsNone) {
  {
    Traced t;
    EXPECT_EQ(errorOf(permute_tensor(t.input("x", {8}), {1, 2, 3, 0}, "0")),
              "error: permute_tensor: its splits hold the rank, and this trace is one text for every rank "
              "[trace.rank]\n  note: give the trace a rank (TraceOptions::rank)\n");
  }
  Traced t({.worldSize = 4, .rank = 3});
  Tensor x = t.input("x", {8});
  EXPECT_EQ(errorOf(permute_tensor(x, {1, 0}, "0")),
            "error: permute_tensor: got 2 destinations for a group of 4 ranks [trace.permutation]\n");
  EXPECT_EQ(errorOf(permute_tensor(x, {1, 2, 3, 4}, "0")),
            "error: permute_tensor: destination 4 in a group of 4 ranks [trace.permutation]\n");
  t.trace().addGroup({.name = "1", .ranks = {0, 1}});
  EXPECT_EQ(errorOf(permute_tensor(x, {1, 0}, std::vector<int64_t>{0, 1})),
            "error: permute_tensor: Global rank 3 is not part of group 1 [trace.rank]\n");
}

TEST(FunctionalCollectiveErrors, AReductionThatNobodyKnows) {
  Traced t;
  EXPECT_EQ(errorOf(all_reduce(t.input("x", {8}), "Median", "0")),
            "error: all_reduce: no reduction 'median' [trace.reduce-op]\n"
            "  note: sum, avg, product, min, max, band, bor, bxor, or premul_sum(factor)\n");
}

// --- Computed values -------------------------------------------------------------------------------------------------

TEST(FunctionalCollectives, ComputeTheSameAfterO2) {
  Traced t;
  Tensor x = t.input("x", {8, 4}), y = t.input("y", {8, 4});
  DeviceMesh mesh("cpu", {2, 2}, {"dp", "tp"});
  std::vector<Tensor> outputs = {
      all_reduce(x * 2, "sum", std::pair(mesh, 1)),          broadcast(y, 1, "0"),
      all_gather_tensor(x, 1, std::pair(mesh, 0)),           reduce_scatter_tensor(y + x, "avg", 1, "0"),
      all_to_all_single(x, std::nullopt, std::nullopt, "0"),
  };
  for (const Tensor &tensor : all_reduce_coalesced({x, y}, "max", "0"))
    outputs.push_back(tensor + 1);
  for (const Tensor &tensor : reduce_scatter_tensor_coalesced({x, y}, "sum", {1, 0}, "0"))
    outputs.push_back(tensor * 3);
  EXPECT_EQ(differencesAfterO2(t.finish(outputs), 4), "");
}

} // namespace
} // namespace ccgraph::test

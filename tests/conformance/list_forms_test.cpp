// Tests list collectives that name one piece of memory twice: the interpreter and plans must give the results of gloo.
// All rows are read before any is written, and they are written in the order of the list. The expected numbers come
// from two real gloo ranks.
#include "conformance/engine_under_test.h"
#include "support/rank_program.h"

#include "ccgraph/ir/plan_verifier.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/toolkit/group_assumption.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

using Row = std::vector<double>;

struct ListForm {
  const char *name;
  const char *text;
  /// by rank, then by output
  std::vector<std::vector<Row>> expected;
};

std::ostream &operator<<(std::ostream &os, const ListForm &form) { return os << form.name; }

const Row sums = {12, 14, 16, 18};

const ListForm forms[] = {
    {"same_tensor_twice",
     R"(x: "f32[4][1]cpu"
      a: "f32[4][1]cpu" = aten.clone.default(x)
      l = _c10d_functional.all_reduce_coalesced_.default([a, a], 'sum', '0')
      p: "f32[4][1]cpu" = l[0]
      q: "f32[4][1]cpu" = l[1]
      v: "f32[4][1]cpu" = _c10d_functional.wait_tensor.default(p)
      w: "f32[4][1]cpu" = _c10d_functional.wait_tensor.default(q)
      return (v, a))",
     {{sums, sums}, {sums, sums}}},
    {"views_that_overlap",
     R"(x: "f32[4][1]cpu"
      a: "f32[4][1]cpu" = aten.clone.default(x)
      s: "f32[3][1]cpu" = aten.slice.Tensor(a, 0, 0, 3)
      t: "f32[3][1]cpu" = aten.slice.Tensor(a, 0, 1, 4)
      l = _c10d_functional.all_reduce_coalesced_.default([s, t, s], 'sum', '0')
      p: "f32[3][1]cpu" = l[0]
      q: "f32[3][1]cpu" = l[1]
      r: "f32[3][1]cpu" = l[2]
      u: "f32[3][1]cpu" = _c10d_functional.wait_tensor.default(p)
      v: "f32[3][1]cpu" = _c10d_functional.wait_tensor.default(q)
      w: "f32[3][1]cpu" = _c10d_functional.wait_tensor.default(r)
      return (v, a))",
     {{{14, 16, 18}, sums}, {{14, 16, 18}, sums}}},
    // 0/0 is at the first element of rank 0 and at the last element of rank 1: NaN takes precedence over a number,
    // whichever comes first. gloo differs here: it compares with <, and so keeps only the NaN of rank 0.
    {"nan_in_max_and_min",
     R"(x: "f32[4][1]cpu"
      a: "f32[4][1]cpu" = aten.sub.Tensor(x, 1)
      b: "f32[4][1]cpu" = aten.sub.Tensor(x, 14)
      p: "f32[4][1]cpu" = aten.div.Tensor(a, a)
      q: "f32[4][1]cpu" = aten.div.Tensor(b, b)
      c: "f32[4][1]cpu" = _c10d_functional.all_reduce.default(p, 'max', '0')
      d: "f32[4][1]cpu" = _c10d_functional.all_reduce.default(q, 'max', '0')
      e: "f32[4][1]cpu" = _c10d_functional.all_reduce.default(p, 'min', '0')
      f: "f32[4][1]cpu" = _c10d_functional.all_reduce.default(q, 'min', '0')
      g: "f32[4][1]cpu" = _c10d_functional.wait_tensor.default(c)
      h: "f32[4][1]cpu" = _c10d_functional.wait_tensor.default(d)
      i: "f32[4][1]cpu" = _c10d_functional.wait_tensor.default(e)
      j: "f32[4][1]cpu" = _c10d_functional.wait_tensor.default(f)
      k: "f32[4][1]cpu" = aten.nan_to_num.default(g, 77.0)
      l: "f32[4][1]cpu" = aten.nan_to_num.default(h, 77.0)
      m: "f32[4][1]cpu" = aten.nan_to_num.default(i, 77.0)
      n: "f32[4][1]cpu" = aten.nan_to_num.default(j, 77.0)
      return (k, l, m, n))",
     {{{77, 1, 1, 1}, {1, 1, 1, 77}, {77, 1, 1, 1}, {1, 1, 1, 77}},
      {{77, 1, 1, 1}, {1, 1, 1, 77}, {77, 1, 1, 1}, {1, 1, 1, 77}}}},
    {"sent_twice",
     R"(x: "f32[4][1]cpu"
      l = _c10d_functional.all_gather_into_tensor_coalesced.default([x, x], 2, '0')
      p: "f32[8][1]cpu" = l[0]
      q: "f32[8][1]cpu" = l[1]
      v: "f32[8][1]cpu" = _c10d_functional.wait_tensor.default(p)
      w: "f32[8][1]cpu" = _c10d_functional.wait_tensor.default(q)
      return (v, w))",
     {{{1, 2, 3, 4, 11, 12, 13, 14}, {1, 2, 3, 4, 11, 12, 13, 14}},
      {{1, 2, 3, 4, 11, 12, 13, 14}, {1, 2, 3, 4, 11, 12, 13, 14}}}},
    {"pieces_that_overlap",
     R"(x: "f32[4][1]cpu"
      a: "f32[4][1]cpu" = aten.clone.default(x)
      s: "f32[2][1]cpu" = aten.slice.Tensor(x, 0, 0, 2)
      o: "f32[2][1]cpu" = aten.slice.Tensor(a, 0, 0, 2)
      p: "f32[2][1]cpu" = aten.slice.Tensor(a, 0, 1, 3)
      l = c10d.allgather_.default([[o, p]], [s], '0')
      return (a,))",
     {{{1, 11, 12, 4}}, {{1, 11, 12, 14}}}},
    {"filled_twice",
     R"(x: "f32[4][1]cpu"
      a: "f32[4][1]cpu" = aten.clone.default(x)
      s: "f32[2][1]cpu" = aten.slice.Tensor(x, 0, 0, 2)
      t: "f32[2][1]cpu" = aten.slice.Tensor(x, 0, 2, 4)
      l = c10d.allgather_into_tensor_coalesced_.default([a, a], [s, t], '0')
      return (a,))",
     {{{3, 4, 13, 14}}, {{3, 4, 13, 14}}}},
    {"filled_where_another_sends",
     R"(x: "f32[4][1]cpu"
      a: "f32[4][1]cpu" = aten.clone.default(x)
      b: "f32[4][1]cpu" = aten.clone.default(x)
      s: "f32[2][1]cpu" = aten.slice.Tensor(b, 0, 0, 2)
      t: "f32[2][1]cpu" = aten.slice.Tensor(a, 0, 0, 2)
      l = c10d.allgather_into_tensor_coalesced_.default([a, b], [s, t], '0')
      return (a, b))",
     {{{1, 2, 11, 12}, {1, 2, 11, 12}}, {{1, 2, 11, 12}, {1, 2, 11, 12}}}},
};

class ListForms : public testing::TestWithParam<ListForm> {
protected:
  static std::vector<TensorMap> inputs() {
    return {{{"in.x", hostTensor(DType::F32, {4}, {1, 2, 3, 4})}},
            {{"in.x", hostTensor(DType::F32, {4}, {11, 12, 13, 14})}}};
  }
};

TEST_P(ListForms, InterpreterGivesWhatGlooGives) {
  RankProgram program(2, GetParam().text);
  for (size_t rank = 0; rank < 2; ++rank)
    program.input(rank, "x", inputs()[rank].at("in.x"));
  for (size_t rank = 0; rank < 2; ++rank)
    for (size_t i = 0; i < GetParam().expected[rank].size(); ++i)
      EXPECT_EQ(program.output(rank, "out." + std::to_string(i)), GetParam().expected[rank][i]) << rank << ' ' << i;
}

TEST_P(ListForms, PlanGivesWhatGlooGives) {
  if (!runsRanks(2))
    GTEST_SKIP();
  Context context;
  std::unique_ptr<Graph> graph = programGraph(context, GetParam().text);
  assumeGroups(*graph, 2);
  llvm::Expected<std::unique_ptr<Plan>> lowered = lowerGraph(*graph);
  ASSERT_TRUE(static_cast<bool>(lowered)) << llvm::toString(lowered.takeError());
  std::unique_ptr<Plan> plan = std::move(*lowered);
  EXPECT_EQ(llvm::toString(verifyPlanOrError(*plan)), "");
  for (uint64_t seed = 0; seed < 8; ++seed) {
    runtime::PlanRequest request{.plans = {plan.get()}, .ranks = 2, .inputs = inputs()};
    request.seed = seed;
    runtime::RunResult results = mustRun(request);
    for (size_t rank = 0; rank < 2; ++rank)
      for (size_t i = 0; sees(rank) && i < GetParam().expected[rank].size(); ++i)
        EXPECT_EQ(numbersOf(results[rank].at("out." + std::to_string(i))), GetParam().expected[rank][i])
            << rank << ' ' << i << ", seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Conformance, ListForms, testing::ValuesIn(forms),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace ccgraph::test

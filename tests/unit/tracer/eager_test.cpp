// Tests eager sessions: operators compute immediately on N ranks, and collectives wait at their first real use.
#include "traced.h"

#include "ccgraph/runtime/interpreter.h"
#include "ccgraph/tracer/comm_tensor.h"
#include "ccgraph/tracer/eager.h"
#include "ccgraph/tracer/facts.h"
#include "support/noted.h"
#include "support/rank_program.h"

#include "llvm/Support/Format.h"

namespace ccgraph::test {
namespace {

using namespace tracer;
using Row = std::vector<double>;

/// A session on the interpreter, which counts its runs.
struct EagerTest : testing::Test {
  Context context;
  size_t ranks = 2;
  size_t waits = 0;
  Eager eager = llvm::cantFail(Eager::begin(context, {.ranks = ranks, .execute = execution()}));

  Execute execution() {
    return [this](const Graph &graph, std::vector<TensorMap> inputs) {
      for (const Node *node : graph)
        waits += node->target().str() == "_c10d_functional.wait_tensor.default" ? 1 : 0;
      runtime::RunRequest request{.graphs = {&graph}, .ranks = inputs.size(), .inputs = std::move(inputs)};
      return runtime::interpret(request);
    };
  }
  /// Returns f32; element i of rank r is 10 (r + 1) + i.
  Tensor legible(const std::vector<int64_t> &sizes) {
    std::vector<HostTensor> values;
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    for (size_t rank = 0; rank != ranks; ++rank) {
      Row row;
      for (int64_t i = 0; i != count; ++i)
        row.push_back(10.0 * static_cast<double>(rank + 1) + static_cast<double>(i));
      values.push_back(hostTensor(DType::F32, sizes, row));
    }
    return eager.tensor(values);
  }
  Row on(size_t rank, const Tensor &tensor) {
    Row row = numbersOf(llvm::cantFail(eager.values(tensor))[rank]);
    std::string text;
    llvm::raw_string_ostream os(text);
    for (double number : row)
      os << " " << llvm::format("%g", number);
    note("values", "rank " + std::to_string(rank) + ":" + os.str());
    return row;
  }
};

TEST_F(EagerTest, OperatorsComputeOnEveryRank) {
  Tensor x = legible({2});
  EXPECT_EQ(x.typeText(), "f32[2][1]cpu");
  Tensor y = x * 2 + 1;
  EXPECT_EQ(on(0, y), (Row{21, 23}));
  EXPECT_EQ(on(1, y), (Row{41, 43}));
  EXPECT_EQ(on(1, zeros({2}) - x), (Row{-20, -21}));
}

TEST_F(EagerTest, APermutationHandsEachRankItsTensor) {
  Tensor x = legible({2});
  Tensor y = collectives::permute_tensor(x * 2, {1, 0}, "0");
  EXPECT_EQ(on(0, y), (Row{40, 42}));
  EXPECT_EQ(on(1, y), (Row{20, 22}));
  EXPECT_EQ(on(1, collectives::permute_tensor(x, {0, 1}, "0")), (Row{20, 21}));
  EXPECT_NE(errorOf(collectives::permute_tensor(x, {0, 0}, "0")).find("rank 1 receives nothing"), std::string::npos);
  EXPECT_EQ(errorOf(collectives::permute_tensor(x, {0}, "0")),
            "error: permute_tensor: got 1 destinations for a group of 2 ranks [trace.permutation]\n");
}

TEST_F(EagerTest, SplitsThatDifferAreRefusedSinceOneCallIsAllRanks) {
  Tensor x = legible({4});
  const std::vector<int64_t> uneven = {3, 1};
  EXPECT_EQ(errorOf(collectives::all_to_all_single(x, uneven, uneven, "0")),
            "error: all_to_all_single: got splits that are not equal, expected equal ones in a session: one call is "
            "the call of all ranks, and a "
            "tensor has one shape on all of them [eager.splits]\n"
            "  note: give the splits of every rank to all_to_all_single_of_ranks\n");
  const std::vector<int64_t> even = {2, 2};
  EXPECT_EQ(on(1, collectives::all_to_all_single(x, even, even, "0")), (Row{12, 13, 22, 23}));
}

TEST_F(EagerTest, SplitsOfAllRanksMayDiffer) {
  Tensor x = legible({4});
  const collectives::RankSplits sent = {{{3, 1}, {1, 3}}};
  Tensor y = collectives::all_to_all_single_of_ranks(x, sent, "0");
  EXPECT_EQ(y.typeText(), "f32[4][1]cpu");
  EXPECT_EQ(on(0, y), (Row{10, 11, 12, 20}));
  EXPECT_EQ(on(1, y), (Row{13, 21, 22, 23}));
  Tensor rows = legible({2, 2});
  Tensor swapped = collectives::all_to_all_single_of_ranks(rows, {{{0, 2}, {2, 0}}}, "0");
  EXPECT_EQ(on(0, swapped), (Row{20, 21, 22, 23}));
  EXPECT_EQ(on(1, swapped), (Row{10, 11, 12, 13}));
}

TEST_F(EagerTest, SplitsOfAllRanksThatDoNotFitAreRefused) {
  Tensor x = legible({4});
  auto error = [&](std::vector<std::vector<int64_t>> rows) {
    return errorOf(collectives::all_to_all_single_of_ranks(x, {std::move(rows)}, "0"));
  };
  EXPECT_EQ(error({{3, 1}, {3, 1}}),
            "error: all_to_all_single_of_ranks: rank 0 receives 6 rows and rank 1 receives 2, and a tensor of a "
            "session has one shape on all ranks [eager.splits]\n"
            "  note: pad the rows, or trace the program for each rank\n");
  EXPECT_EQ(error({{2, 2}}), "error: all_to_all_single_of_ranks: got 1 lists of splits for a group of 2 ranks "
                             "[trace.splits]\n  note: rank r sends rows[r][p] rows to rank p of the group\n");
  EXPECT_NE(error({{2, 2}, {4}}).find("the list of rank 1 has 1 splits, expected 2"), std::string::npos);
  EXPECT_NE(error({{5, -1}, {2, 2}}).find("the list of rank 0 has a negative split"), std::string::npos);
  EXPECT_NE(error({{2, 2}, {2, 1}}).find("the splits of rank 1 are of 3 rows, and its tensor has 4"),
            std::string::npos);
}

TEST_F(EagerTest, SplitsOfAGroupThatLeavesOutARankAreRefused) {
  Group first;
  first.name = "first";
  first.ranks = {0};
  llvm::cantFail(eager.addGroup(first));
  EXPECT_EQ(errorOf(collectives::all_to_all_single_of_ranks(legible({4}), {{{4}}}, "first")),
            "error: all_to_all_single_of_ranks: rank 1 is not part of group first, and a session has all ranks' "
            "results [eager.group]\n  note: let every rank of the session be in one cell of the group\n");
}

TEST_F(EagerTest, ListsOfResults) {
  Tensor x = legible({4});
  TensorList halves = split(x, 2);
  EXPECT_EQ(on(1, halves[1]), (Row{22, 23}));
  TensorList moments = var_mean(x, {0}, 0);
  EXPECT_EQ(on(0, moments[0]), (Row{1.25}));
  EXPECT_EQ(on(0, moments[1]), (Row{11.5}));
}

TEST_F(EagerTest, AResultOfACollectiveWaitsAtItsFirstRealUse) {
  Tensor y = collectives::all_reduce(legible({2}), "sum", "0");
  EXPECT_TRUE(eager.isInFlight(y));
  EXPECT_EQ(y.typeText(), "f32[2][1]cpu");
  Tensor seen = unsqueeze(view(y, {2, 1}), 0);
  EXPECT_TRUE(eager.isInFlight(seen));
  EXPECT_EQ(waits, 0U);
  Tensor product = seen * 2;
  EXPECT_EQ(waits, 1U);
  EXPECT_FALSE(eager.isInFlight(y));
  EXPECT_FALSE(eager.isInFlight(seen));
  EXPECT_FALSE(eager.isInFlight(product));
  EXPECT_EQ(on(0, product), (Row{60, 64}));
  EXPECT_EQ(on(1, y), (Row{30, 32}));
  EXPECT_EQ(waits, 1U);
}

TEST_F(EagerTest, CopyingOutWaits) {
  Tensor y = collectives::all_gather_tensor(legible({1}), 0, "0");
  EXPECT_EQ(on(0, y), (Row{10, 20}));
  EXPECT_EQ(waits, 1U);
}

TEST_F(EagerTest, WaitingTwiceIsWaitingOnce) {
  Tensor y = collectives::broadcast(legible({1}), 1, "0");
  Tensor once = collectives::wait_tensor(y);
  Tensor twice = collectives::wait_tensor(once);
  EXPECT_EQ(waits, 1U);
  EXPECT_EQ(on(0, twice), (Row{20}));
  EXPECT_EQ(on(1, y), (Row{20}));
}

TEST_F(EagerTest, WhatC10dWritesIsInFlightUntilItIsRead) {
  Tensor x = legible({2});
  Tensor other = legible({2});
  c10d::Work work = c10d::allreduce_({x}, "0", "sum");
  EXPECT_EQ(work.error(), nullptr);
  Tensor seen = view(x, {1, 2});
  EXPECT_EQ(on(0, other * 2), (Row{20, 22}));
  EXPECT_TRUE(eager.isInFlight(x));
  EXPECT_TRUE(eager.isInFlight(seen));
  EXPECT_EQ(waits, 0U);
  EXPECT_EQ(on(1, seen * 2), (Row{60, 64}));
  EXPECT_FALSE(eager.isInFlight(x));
  EXPECT_EQ(waits, 1U);
}

TEST_F(EagerTest, PartsOfOneBufferArriveThere) {
  Tensor x = legible({2}), buffer = zeros({4}), taken = zeros({2});
  TensorList halves = split(buffer, 2);
  c10d::allgather_({{halves[1], taken}}, {x}, "0");
  EXPECT_TRUE(eager.isInFlight(buffer));
  EXPECT_EQ(on(0, buffer), (Row{0, 0, 10, 11}));
  EXPECT_EQ(on(1, taken), (Row{20, 21}));
  EXPECT_FALSE(eager.isInFlight(buffer));
}

TEST_F(EagerTest, WritesAndLaunchesOfC10dKeepTheirOrder) {
  Tensor x = legible({2});
  c10d::broadcast_({x}, "0", 1);
  mul_(x, 2);
  EXPECT_FALSE(eager.isInFlight(x));
  c10d::allreduce_({x}, "0", "max");
  c10d::allreduce_({x}, "0", "sum");
  EXPECT_EQ(waits, 2U);
  EXPECT_EQ(on(0, x), (Row{80, 84}));
}

TEST_F(EagerTest, WhatDoesNotFitIsRefusedWhereC10dIsCalled) {
  Tensor x = legible({2}), small = zeros({3});
  c10d::Work work = c10d::_allgather_base_(small, x, "0");
  ASSERT_NE(work.error(), nullptr);
  EXPECT_EQ(noted(work.error()),
            "error: aten.copy_.default: The size of tensor a (3) must match the size of tensor b (4) at non-singleton "
            "dimension 0 [trace.written]\n");
  EXPECT_FALSE(eager.isInFlight(small));
}

TEST_F(EagerTest, ACollectiveOfAnInFlightTensorWaitsForThatOne) {
  Tensor y = collectives::all_reduce(legible({2}), "max", "0");
  Tensor z = collectives::reduce_scatter_tensor(y, "sum", 0, "0");
  EXPECT_FALSE(eager.isInFlight(y));
  EXPECT_TRUE(eager.isInFlight(z));
  EXPECT_EQ(on(0, z), (Row{40}));
  EXPECT_EQ(on(1, z), (Row{42}));
}

TEST_F(EagerTest, OneWaitLandsWhatAListOfResultsShares) {
  TensorList both = collectives::all_reduce_coalesced({legible({1}), legible({2})}, "sum", "0");
  EXPECT_EQ(on(0, both[1]), (Row{30, 32}));
  EXPECT_FALSE(eager.isInFlight(both[0]));
  EXPECT_EQ(on(1, both[0]), (Row{30}));
}

TEST_F(EagerTest, ALaunchKeepsWhatItWasGiven) {
  Tensor x = legible({1});
  Tensor y = collectives::all_gather_tensor(x, 0, "0");
  add_(x, 100);
  EXPECT_EQ(on(0, y), (Row{10, 20}));
  EXPECT_EQ(on(0, x), (Row{110}));
}

TEST_F(EagerTest, WritingAViewWritesWhatItIsAViewOf) {
  Tensor x = legible({4});
  Tensor columns = transpose(view(x, {2, 2}), 0, 1);
  mul_(select(columns, 0, 0), 2);
  EXPECT_EQ(on(0, x), (Row{20, 11, 24, 13}));
  EXPECT_EQ(on(1, columns), (Row{40, 44, 21, 23}));
  add_(reshape(x, {2, 2}), 1);
  EXPECT_EQ(on(0, x), (Row{21, 12, 25, 14}));
  add_(reshape(columns, {4}), 1);
  EXPECT_EQ(on(0, x), (Row{21, 12, 25, 14}));
  Tensor same = x;
  zero_(same);
  EXPECT_EQ(on(1, columns), (Row{0, 0, 0, 0}));
}

TEST_F(EagerTest, SynchronousInPlaceCollectivesWrite) {
  Tensor x = legible({1}), whole = zeros({2});
  distributed::all_reduce(x, "avg");
  distributed::all_gather_into_tensor(whole, x * 2);
  EXPECT_EQ(on(0, x), (Row{15}));
  EXPECT_EQ(on(1, whole), (Row{30, 30}));
}

TEST_F(EagerTest, ModelsComputeWhatTheirTraceDoes) {
  auto block = [](const Tensor &x, const Tensor &w) {
    Tensor whole = collectives::all_gather_tensor(w, 1, "0");
    return collectives::reduce_scatter_tensor(softmax(mm(x, whole), 1), "sum", 0, "0");
  };
  Row computed = on(1, block(legible({2, 2}), legible({2, 1}) / 16));
  Eager moved = std::move(eager);
  Row traced;
  { Eager ended = std::move(moved); }
  Traced t({.worldSize = 2});
  Tensor x = t.input("x", {2, 2}), w = t.input("w", {2, 1});
  Graph &graph = t.finish({block(x, w / 16)});
  runtime::RunRequest request{.graphs = {&graph}, .ranks = 2};
  for (double rank : {1.0, 2.0})
    request.inputs.push_back(
        {{"in.x", hostTensor(DType::F32, {2, 2}, {10 * rank, 10 * rank + 1, 10 * rank + 2, 10 * rank + 3})},
         {"in.w", hostTensor(DType::F32, {2, 1}, {10 * rank, 10 * rank + 1})}});
  EXPECT_EQ(numbersOf(llvm::cantFail(runtime::interpret(request))[1].at("out.0")), computed);
}

TEST_F(EagerTest, ATensorMayStandTwiceInACallThatWritesIt) {
  Tensor x = legible({2});
  add_(x, x);
  EXPECT_EQ(on(1, x), (Row{40, 42}));
}

// --- Refusals --------------------------------------------------------------------------------------------------------

TEST_F(EagerTest, RefusesWhatATraceRefuses) {
  Tensor x = legible({2, 3});
  Tensor wrong = mm(x, x);
  EXPECT_EQ(errorOf(wrong),
            "error: mm: multiplies f32[2, 3][3, 1]cpu by f32[2, 3][3, 1]cpu: 3 columns meet 2 rows [types.operands]\n"
            "  note: transpose one of them\n");
  EXPECT_EQ(errorOf(relu(wrong) + 1), errorOf(wrong));
  EXPECT_EQ(errorOf(eager.values(wrong).takeError()), errorOf(wrong));
  EXPECT_EQ(errorOf(mm(x, Tensor())),
            "error: aten.mm.default: argument 'mat2' was never given a value [trace.absent]\n"
            "  note: a Tensor that is default-constructed is absent: assign one to it first\n");
}

TEST_F(EagerTest, RefusesWhatDiffersByRank) {
  EXPECT_NE(errorOf(distributed::get_rank().takeError()).find("differs by rank"), std::string::npos);
  EXPECT_EQ(llvm::cantFail(distributed::get_world_size()), 2);
}

TEST_F(EagerTest, SaysAtTheWaitWhatIsWrongWithACollective) {
  Tensor y = collectives::broadcast(legible({1}), 7, "0");
  EXPECT_TRUE(eager.isInFlight(y));
  EXPECT_EQ(errorOf(y + 1), "error: broadcast: has rank 7 as its root; expected 0 to 1 [types.rank]\n"
                            "  note: roots and peers are counted within the group, not globally\n");
}

TEST_F(EagerTest, SaysWhatTheRunSays) {
  Tensor at = to(legible({1}), DType::I64);
  EXPECT_NE(errorOf(index_select(legible({4}), 0, at)).find("[run.kernel]"), std::string::npos)
      << errorOf(index_select(legible({4}), 0, at));
}

TEST_F(EagerTest, RefusesValuesThatFitNoTensor) {
  EXPECT_EQ(errorOf(eager.tensor({hostTensor(DType::F32, {1}, {1})})),
            "error: tensor: got 1 values for 2 ranks [trace.eager]\n"
            "  note: give one value a rank, all of one dtype and shape\n");
}

TEST_F(EagerTest, RefusesTensorsOfAnotherSession) {
  Tensor x = legible({1});
  { Eager ended = std::move(eager); }
  EXPECT_EQ(errorOf(x + 1), "error: aten.add.Tensor: is called while no trace is open on this thread [trace.none]\n"
                            "  note: open one with Trace::begin, and finish it after the last call\n");
  Traced t;
  EXPECT_EQ(
      errorOf(x + 1),
      "error: aten.add.Tensor: is given a tensor of a trace that is finished, f32[1][1]cpu [trace.finished-tensor]\n"
      "  note: make it an input of this trace\n");
  Tensor traced = t.input("x", {1});
  (void)t.finishText({});
  Eager again = llvm::cantFail(Eager::begin(context, {.ranks = 1, .execute = execution()}));
  EXPECT_EQ(errorOf(traced + 1), "error: aten.add.Tensor: is given a tensor of a trace or of another session, "
                                 "f32[1][1]cpu [trace.foreign-tensor]\n  note: make it a tensor of this session\n");
}

TEST_F(EagerTest, IsTheOnlyModeOfItsThread) {
  Context other;
  EXPECT_EQ(errorOf(Trace::begin(other).takeError()),
            "error: forward: this thread has a trace that is open [trace.second]\n"
            "  note: finish that one first; other threads may have traces of their own\n");
  EXPECT_EQ(errorOf(Eager::begin(other, {.ranks = 1, .execute = execution()}).takeError()),
            "error: eager: this thread has a trace or a session that is open [trace.second]\n"
            "  note: finish that one first; other threads may have their own\n");
}

TEST(EagerErrors, ASessionOfNothing) {
  Context context;
  std::string repair = "  note: give the number of ranks, and what runs a graph on them\n";
  EXPECT_EQ(errorOf(Eager::begin(context, {.ranks = 1}).takeError()),
            "error: eager: a session that nothing executes [trace.eager]\n" + repair);
  Execute nothing = [](const Graph &, std::vector<TensorMap> inputs) { return inputs; };
  EXPECT_EQ(errorOf(Eager::begin(context, {.ranks = 0, .execute = nothing}).takeError()),
            "error: eager: a session of no ranks [trace.eager]\n" + repair);
  Eager session = llvm::cantFail(Eager::begin(context, {.ranks = 1, .execute = nothing}));
  EXPECT_EQ(errorOf(zeros({1})), "error: out.0: what executes gave no such result [trace.eager]\n");
}

} // namespace
} // namespace ccgraph::test

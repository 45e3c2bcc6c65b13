// Tests every kind of collective by plan: each member receives the values that exchange.h defines, in every order, for
// every size, and in place.
#include "conformance/engine_under_test.h"
#include "support/plan_builder.h"

#include "ccgraph/runtime/comparison.h"
#include "collectives/exchange.h"
#include "collectives/reduce.h"
#include "support/rank_program.h"
#include "tensor/numbers.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ccgraph::test {
namespace {

using Row = std::vector<double>;
using Kind = CollectiveKind;

void expectRow(const runtime::RunResult &results, size_t rank, const Row &expected, const std::string &name = "out.0") {
  if (sees(rank)) {
    EXPECT_EQ(numbersOf(results[rank].at(name)), expected) << "rank " << rank;
  }
}

runtime::RunResult runOn(const Plan &plan, std::vector<TensorMap> inputs) {
  runtime::PlanRequest request{.plans = {&plan}, .ranks = inputs.size(), .inputs = std::move(inputs)};
  return mustRun(request);
}

/// One collective from the view of every member, sizes in elements.
struct Exchange {
  const char *name = "";
  Kind kind = Kind::AllReduce;
  DType dtype = DType::F32;
  std::optional<ReduceOp> reduceOp;
  /// elements of a row that member m of n sends, and receives
  int64_t (*sent)(int64_t n, int64_t m) = nullptr;
  int64_t (*received)(int64_t n, int64_t m) = nullptr;
  /// for an all_to_all: elements from member `from` to member `to`
  int64_t (*split)(int64_t from, int64_t to) = nullptr;
  /// the offset of the receiving row in the sending row, or of the sending row in a longer receiving row; negative: the
  /// receiving row has memory of its own.
  int64_t (*overlap)(int64_t n, int64_t m) = nullptr;
};

/// The number of elements in a share. Engines use other algorithms for few elements, for many, and for numbers that
/// cannot be divided evenly.
int64_t width = 150;
constexpr int64_t widths[] = {1, 150, 20'011};
int64_t one(int64_t, int64_t) { return width; }
int64_t all(int64_t n, int64_t) { return n * width; }
int64_t uneven(int64_t from, int64_t to) { return width * (3 * from + 2 * to); }
int64_t unevenSent(int64_t n, int64_t m) {
  int64_t sum = 0;
  for (int64_t to = 0; to < n; ++to)
    sum += uneven(m, to);
  return sum;
}
int64_t unevenReceived(int64_t n, int64_t m) {
  int64_t sum = 0;
  for (int64_t from = 0; from < n; ++from)
    sum += uneven(from, m);
  return sum;
}
int64_t atStart(int64_t, int64_t) { return 0; }
int64_t atChunk(int64_t, int64_t m) { return m * width; }

const Exchange exchanges[] = {
    {"all_reduce", Kind::AllReduce, DType::F32, ReduceOp::Sum, one, one},
    {"all_reduce_in_place", Kind::AllReduce, DType::F32, ReduceOp::Sum, one, one, nullptr, atStart},
    {"all_reduce_avg_bf16", Kind::AllReduce, DType::BF16, ReduceOp::Avg, one, one},
    {"all_reduce_max_i64_in_place", Kind::AllReduce, DType::I64, ReduceOp::Max, one, one, nullptr, atStart},
    {"reduce_scatter", Kind::ReduceScatter, DType::F32, ReduceOp::Sum, all, one},
    {"reduce_scatter_f16", Kind::ReduceScatter, DType::F16, ReduceOp::Sum, all, one},
    {"reduce_scatter_in_place", Kind::ReduceScatter, DType::F32, ReduceOp::Product, all, one, nullptr, atChunk},
    {"all_gather", Kind::AllGather, DType::F32, {}, one, all},
    {"all_gather_in_place", Kind::AllGather, DType::I32, {}, one, all, nullptr, atChunk},
    {"all_gather_f8e4m3fn", Kind::AllGather, DType::F8E4M3FN, {}, one, all},
    {"all_to_all", Kind::AllToAll, DType::F32, {}, unevenSent, unevenReceived, uneven},
    {"broadcast", Kind::Broadcast, DType::F32, {}, one, one},
    {"broadcast_in_place", Kind::Broadcast, DType::F32, {}, one, one, nullptr, atStart},
    {"scatter", Kind::Scatter, DType::F32, {}, all, one},
    {"scatter_f8e5m2", Kind::Scatter, DType::F8E5M2, {}, all, one},
    {"scatter_in_place", Kind::Scatter, DType::F32, {}, all, one, nullptr, atChunk},
};

/// The plans of all members, and what they send.
class ExchangeCase {
public:
  ExchangeCase(const Exchange &exchange, int64_t n) : exchange_(exchange), n_(n) {
    // The ranks are rotated, because a group has its own order of ranks.
    for (int64_t m = 0; m < n; ++m)
      ranks_.push_back((m + 1) % n);
    builders_.resize(static_cast<size_t>(n));
    inputs_.resize(static_cast<size_t>(n));
    for (int64_t m = 0; m < n; ++m)
      build(m);
  }

  void run(uint64_t seed) {
    runtime::PlanRequest request;
    for (const auto &builder : builders_)
      request.plans.push_back(&builder->plan);
    request.ranks = builders_.size();
    request.inputs = inputs_;
    request.seed = seed;
    runtime::RunResult results = mustRun(request);
    std::vector<runtime::Tensor> expected = expectation();
    for (int64_t m = 0; m < n_; ++m)
      if (sees(rank(m))) {
        EXPECT_EQ(differenceFrom(expected[static_cast<size_t>(m)].toHost(), results[rank(m)].at("out.0")), "")
            << "member " << m << " of " << n_ << ", width " << width << ", seed " << seed;
      }
  }

private:
  [[nodiscard]] size_t rank(int64_t m) const { return static_cast<size_t>(ranks_[static_cast<size_t>(m)]); }
  [[nodiscard]] int64_t root() const { return n_ - 1; }
  /// Returns "" if the tensors are equal: bitwise, except for floats that the engine reduces in its own order.
  [[nodiscard]] std::string differenceFrom(const HostTensor &expected, const HostTensor &got) const {
    runtime::ComparisonRules rules;
    if (addsInItsOwnOrder() && exchange_.reduceOp && (isFloat(exchange_.dtype) || isComplex(exchange_.dtype))) {
      double unit = sizeInBytes(exchange_.dtype) < 4 ? 0.01 : 1e-5;
      rules.otherwise = {.bitwise = false, .atol = unit * 150 * static_cast<double>(n_), .rtol = unit};
    }
    std::vector<TensorMap> wanted = {{{"out.0", expected}}}, given = {{{"out.0", got}}}, inputs(1);
    runtime::Comparison comparison = runtime::compareRuns({wanted, given, inputs}, rules);
    return comparison.equal() ? "" : comparison.differences.front().message;
  }
  [[nodiscard]] std::vector<int64_t> counts(int64_t m, bool send) const {
    std::vector<int64_t> list;
    for (int64_t peer = 0; exchange_.split && peer < n_; ++peer)
      list.push_back(send ? exchange_.split(m, peer) : exchange_.split(peer, m));
    return list;
  }

  /// x is copied to the buffer that the collective reads, so that the collective may write there.
  void build(int64_t m) {
    builders_[rank(m)] = std::make_unique<PlanBuilder>();
    PlanBuilder &b = *builders_[rank(m)];
    int64_t sent = exchange_.sent(n_, m), received = exchange_.received(n_, m);
    const Type *sendType = b.type({sent}, exchange_.dtype), *receiveType = b.type({received}, exchange_.dtype);
    PlanWindow x = b.input("x", sendType);
    PlanWindow send = b.buffer(Home::Communication, "s", sent > received ? sendType : receiveType), receive = send;
    if (!exchange_.overlap) {
      send = b.buffer(Home::Communication, "send", sendType);
      receive = b.buffer(Home::Communication, "receive", receiveType);
    } else if (sent > received) {
      receive = b.part(send, {received}, exchange_.overlap(n_, m));
    } else if (sent < received) {
      send = b.part(receive, {sent}, exchange_.overlap(n_, m));
    }
    PlanCollective call;
    call.kind = exchange_.kind;
    call.reduceOp = exchange_.reduceOp;
    call.root = exchange_.kind == Kind::Broadcast || exchange_.kind == Kind::Scatter ? root() : -1;
    bool sends = exchange_.kind != Kind::Scatter || m == root();
    call.rows = {{sends ? std::optional(send) : std::nullopt, receive}};
    for (int64_t count : counts(m, true))
      call.sendCounts.emplace_back(count);
    for (int64_t count : counts(m, false))
      call.receiveCounts.emplace_back(count);
    b.copy("c", x, send);
    b.collective("e", b.collectives(b.group("g", ranks_)), {call});
    // A peer must have read the sent data before a collective ends, so the data is overwritten right after it.
    b.copy("spoil", x, send);
    b.plan.outputs.push_back(PlanValue::tensor(receive));
    b.order("c", "e");
    if (exchange_.overlap)
      b.plan.steps.pop_back();
    else
      b.order("e", "spoil");
    inputs_[rank(m)]["in.x"] = hostTensor(exchange_.dtype, {sent}, numbers(m, sent));
  }

  static Row numbers(int64_t m, int64_t count) {
    runtime::Numbers draw(static_cast<uint64_t>(m));
    Row row;
    for (int64_t i = 0; i < count; ++i)
      row.push_back(static_cast<double>(draw.next() % 2000) / 8 - 100);
    return row;
  }

  [[nodiscard]] std::vector<runtime::Tensor> expectation() const {
    std::vector<runtime::Launch> launches(static_cast<size_t>(n_));
    std::vector<const runtime::Launch *> members;
    for (int64_t m = 0; m < n_; ++m) {
      runtime::Launch &launch = launches[static_cast<size_t>(m)];
      launch.kind = exchange_.kind;
      launch.reduceOp = exchange_.reduceOp;
      launch.root = root();
      launch.send.emplace_back(runtime::Tensor::fromHost(inputs_[rank(m)].at("in.x")));
      launch.sendCounts = counts(m, true);
      launch.receiveCounts = counts(m, false);
      members.push_back(&launch);
    }
    return runtime::exchangeRow(members, 0);
  }

  const Exchange &exchange_;
  int64_t n_;
  std::vector<int64_t> ranks_;
  std::vector<std::unique_ptr<PlanBuilder>> builders_;
  std::vector<TensorMap> inputs_;
};

class Exchanges : public testing::TestWithParam<Exchange> {};

TEST_P(Exchanges, GiveWhatIsDefined) {
  for (size_t n : rankCounts(9))
    for (int64_t chosen : widths) {
      width = chosen;
      ExchangeCase exchange(GetParam(), static_cast<int64_t>(n));
      for (uint64_t seed = 0; seed < seedsToTry(width < 1000 ? 8 : 2); ++seed)
        exchange.run(seed);
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Exchanges, testing::ValuesIn(exchanges),
                         [](const auto &info) { return std::string(info.param.name); });

/// Tests each reduction of each dtype, on a row whose length is divisible by no number of ranks except one.
TEST(Reductions, AreTheInterpretersToTheBit) {
  constexpr ReduceOp ops[] = {ReduceOp::Sum, ReduceOp::Avg,  ReduceOp::Product, ReduceOp::Min,
                              ReduceOp::Max, ReduceOp::Band, ReduceOp::Bor,     ReduceOp::Bxor};
  width = 20'011;
  size_t tried = 0;
  for (size_t n : rankCounts(4))
    for (unsigned dtype = 0; dtype < numDTypes; ++dtype)
      for (ReduceOp op : ops) {
        if (llvm::errorToBool(runtime::checkReducible(op, static_cast<DType>(dtype))))
          continue;
        Exchange exchange{"", Kind::AllReduce, static_cast<DType>(dtype), op, one, one};
        ExchangeCase(exchange, static_cast<int64_t>(n)).run(0);
        ++tried;
      }
  EXPECT_TRUE(tried > 50 || rankCounts(4).empty());
}

PlanCollective transfer(Kind kind, int64_t peer, int64_t tag, const PlanWindow &window) {
  PlanCollective call;
  call.kind = kind;
  call.peer = peer;
  call.tag = tag;
  call.rows = {kind == Kind::Send ? PlanRow{window, {}} : PlanRow{{}, window}};
  return call;
}

/// Rank 0 sends x[0], x[1] and x[2]; rank 1 receives them into y[2], y[0] and y[1], by order and by tag.
TEST(Transfers, MeetByEndsAndTag) {
  if (!runsRanks(2))
    return;
  PlanBuilder sender, receiver;
  PlanWindow x = sender.input("x", {3}), y = receiver.comm("y", {3});
  for (PlanBuilder *b : {&sender, &receiver})
    b->group("pp", {0, 1});
  StreamId plain = sender.transfers(0), tagged = sender.transfers(0);
  sender.collective("s0", plain, {transfer(Kind::Send, 1, 0, sender.part(x, {1}, 0))});
  sender.collective("s1", plain, {transfer(Kind::Send, 1, 0, sender.part(x, {1}, 1))});
  sender.collective("s2", tagged, {transfer(Kind::Send, 1, 7, sender.part(x, {1}, 2))});
  plain = receiver.transfers(0), tagged = receiver.transfers(0);
  receiver.collective("r2", tagged, {transfer(Kind::Recv, 0, 7, receiver.part(y, {1}, 1))});
  receiver.collective("r0", plain, {transfer(Kind::Recv, 0, 0, receiver.part(y, {1}, 2))});
  receiver.collective("r1", plain, {transfer(Kind::Recv, 0, 0, receiver.part(y, {1}, 0))});
  receiver.returns(y);
  runtime::PlanRequest request;
  request.plans = {&sender.plan, &receiver.plan};
  request.ranks = 2;
  request.inputs = {{{"in.x", hostTensor(DType::F32, {3}, {10, 20, 30})}}, {}};
  for (request.seed = 0; request.seed < 20; ++*request.seed)
    expectRow(mustRun(request), 1, {20, 30, 10});
}

/// Both ranks send to and receive from each other in one step, so no rank waits for a later receive.
TEST(Transfers, ABatchStartsTogether) {
  if (!runsRanks(2))
    return;
  PlanBuilder builders[2];
  runtime::PlanRequest request;
  request.ranks = 2;
  for (int rank = 0; rank < 2; ++rank) {
    PlanBuilder &b = builders[rank];
    PlanWindow x = b.input("x", {1}), y = b.comm("y", {1});
    StreamId stream = b.transfers(b.group("pp", {0, 1}));
    b.collective("b", stream, {transfer(Kind::Send, 1 - rank, 0, x), transfer(Kind::Recv, 1 - rank, 0, y)});
    b.returns(y);
    request.plans.push_back(&b.plan);
    request.inputs.push_back({{"in.x", hostTensor(DType::F32, {1}, {10.0 * (rank + 1)})}});
  }
  for (request.seed = 0; request.seed < 20; ++*request.seed) {
    runtime::RunResult results = mustRun(request);
    expectRow(results, 0, {20});
    expectRow(results, 1, {10});
  }
}

TEST(Collectives, ABarrierWaitsForAll) {
  if (!runsRanks(3))
    return;
  PlanBuilder b;
  PlanCollective barrier;
  barrier.kind = Kind::Barrier;
  b.collective("b", b.collectives(b.group("g", {0, 1, 2})), {barrier});
  EXPECT_EQ(runOn(b.plan, {{}, {}, {}}).size(), 3U);
}

TEST(Collectives, RowsOfAListMoveTogether) {
  if (!runsRanks(2))
    return;
  PlanBuilder b;
  PlanWindow x = b.input("x", {4}), y = b.comm("y", {1}), z = b.comm("z", {3});
  PlanCollective call;
  call.kind = Kind::AllReduce;
  call.reduceOp = ReduceOp::Sum;
  call.rows = {{b.part(x, {1}, 0), y}, {b.part(x, {3}, 1), z}};
  b.collective("l", b.collectives(b.group("g", {0, 1})), {call});
  b.returns(y);
  b.returns(z);
  TensorMap inputs = {{"in.x", hostTensor(DType::F32, {4}, {1, 2, 3, 4})}};
  runtime::RunResult results = runOn(b.plan, {inputs, inputs});
  expectRow(results, 1, {2});
  expectRow(results, 1, {4, 6, 8}, "out.1");
}

/// One plan serves four ranks, each of which uses its own subgroup.
TEST(Collectives, EachRankTakesItsCell) {
  if (!runsRanks(4))
    return;
  PlanBuilder b;
  PlanWindow x = b.input("x", {1}), y = b.comm("y", {1});
  b.plan.groups.push_back({.name = "tp", .partition = {{0, 2}, {3, 1}}});
  PlanCollective call;
  call.kind = Kind::AllReduce;
  call.reduceOp = ReduceOp::Sum;
  call.rows = {{x, y}};
  b.collective("ar", b.collectives(0), {call});
  b.returns(y);
  std::vector<TensorMap> inputs(4);
  for (size_t rank = 0; rank < 4; ++rank)
    inputs[rank]["in.x"] = hostTensor(DType::F32, {1}, {std::pow(10.0, static_cast<double>(rank))});
  runtime::RunResult results = runOn(b.plan, inputs);
  expectRow(results, 0, {101});
  expectRow(results, 3, {1010});
}

} // namespace
} // namespace ccgraph::test

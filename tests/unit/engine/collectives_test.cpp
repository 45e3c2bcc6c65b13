// Tests the local engine's errors for invalid collectives; tests/conformance tests valid ones.
#include "support/plan_builder.h"

#include "support/rank_program.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

using Kind = CollectiveKind;

PlanCollective transfer(Kind kind, int64_t peer, int64_t tag, const PlanWindow &window) {
  PlanCollective call;
  call.kind = kind;
  call.peer = peer;
  call.tag = tag;
  call.rows = {kind == Kind::Send ? PlanRow{window, {}} : PlanRow{{}, window}};
  return call;
}

TEST(PlanTransfers, AReceiveWithoutItsSendIsADeadlock) {
  PlanBuilder receiver, idle;
  PlanWindow y = receiver.comm("y", {1});
  StreamId stream = receiver.transfers(receiver.group("pp", {0, 1}));
  receiver.collective("r", stream, {transfer(Kind::Recv, 1, 3, y)});
  runtime::PlanRequest request;
  request.plans = {&receiver.plan, &idle.plan};
  request.ranks = 2;
  request.inputs.resize(2);
  EXPECT_EQ(errorOf(runPlans(*runtime::findEngine("local"), request)),
            "error: r: no rank can continue: rank 0 waits for recv `r`, tag 3, whose other end, rank 1, has not sent "
            "[run.deadlock]\n"
            "  note: rank 1 has ended\n");
}

// --- Errors -----------------------------------------------------------------------------------------------

std::string errorOfRow(const std::function<PlanRow(PlanBuilder &)> &row, Kind kind = Kind::AllReduce) {
  PlanBuilder b;
  PlanCollective call;
  call.kind = kind;
  call.rows = {row(b)};
  if (kind == Kind::AllReduce)
    call.reduceOp = ReduceOp::Sum;
  if (kind == Kind::Scatter)
    call.root = 0;
  b.collective("c", b.collectives(b.group("g", {0})), {call});
  return errorOf(runLocally(b.plan, {{{"in.x", hostTensor(DType::F32, {4}, {1, 2, 3, 4})}}}));
}

TEST(PlanCollective, RowsMustNotOverlapHalf) {
  EXPECT_EQ(errorOfRow([](PlanBuilder &b) {
              PlanWindow x = b.input("x", {4});
              return PlanRow{b.part(x, {3}, 0), b.part(x, {3}, 1)};
            }),
            "error: c: rank 0: sends and receives in memory that overlaps, all_reduce `c`: expected rows apart, or one "
            "within the "
            "other as in-place forms have it [run.plan]\n");
}

TEST(PlanCollective, RowsMustHaveNoGaps) {
  EXPECT_EQ(errorOfRow([](PlanBuilder &b) {
              PlanWindow x = b.input("x", {4});
              return PlanRow{PlanWindow{x.buffer, b.stridedType({2}, {2}), Dim(0)}, b.comm("y", {2})};
            }),
            "error: c: rank 0: got a row f32[2][2], expected one without gaps [run.plan]\n  note: copy it into such a "
            "row before\n");
}

TEST(PlanCollective, RowsMustFitTheGroup) {
  EXPECT_EQ(
      errorOfRow([](PlanBuilder &b) {
        return PlanRow{b.input("x", {4}), b.comm("y", {3})};
      }),
      "error: c: rank 0: got a result of 3 elements, expected 4 for 4 sent by each of 1 ranks [run.collective]\n");
  EXPECT_EQ(errorOfRow(
                [](PlanBuilder &b) {
                  return PlanRow{b.input("x", {4}), b.comm("y", {3})};
                },
                Kind::Scatter),
            "error: c: rank 0: got 4 elements to scatter, expected 3, a share for each of 1 ranks [run.collective]\n");
}

TEST(PlanCollective, SplitsMustMeet) {
  PlanBuilder builders[2];
  runtime::PlanRequest request;
  request.ranks = 2;
  for (int rank = 0; rank < 2; ++rank) {
    PlanBuilder &b = builders[rank];
    PlanCollective call;
    call.kind = Kind::AllToAll;
    call.rows = {{b.input("x", {3}), b.comm("y", {3})}};
    call.sendCounts = {Dim(1), Dim(2)};
    call.receiveCounts = {Dim(1), Dim(2)};
    b.collective("c", b.collectives(b.group("g", {0, 1})), {call});
    request.plans.push_back(&b.plan);
    request.inputs.push_back({{"in.x", hostTensor(DType::F32, {3}, {1, 2, 3})}});
  }
  EXPECT_EQ(errorOf(runPlans(*runtime::findEngine("local"), request)),
            "error: c: rank 0 sends 2 elements to rank 1, which expects 1 [run.ranks-disagree]\n  note: the output "
            "splits of a rank "
            "must be the input splits of its peers\n");
}

} // namespace
} // namespace ccgraph::test

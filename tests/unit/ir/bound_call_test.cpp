// Bound calls: rows, splits, counts, fresh sizes and transfers of each form of a collective, with sizes that are
// numbers or symbols, and the errors of calls that make no sense.
#include "ccgraph/ir/context.h"
#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/internal/bound_call.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

using Kind = CallOperand::Kind;

CallOperand number(int64_t value) { return CallOperand::ofNumber(Dim(value)); }
CallOperand word(std::string text) { return CallOperand::ofText(Kind::String, std::move(text)); }
CallOperand list(std::vector<CallOperand> elements) {
  CallOperand operand;
  operand.kind = Kind::List;
  operand.elements = std::move(elements);
  return operand;
}

class BoundCallTest : public testing::Test {
protected:
  CallOperand tensor(llvm::ArrayRef<Dim> sizes, DType dtype = DType::F32) {
    return CallOperand::ofTensor({handles_++, dtype, llvm::SmallVector<Dim, 6>(sizes.begin(), sizes.end())});
  }
  CallOperands call(const char *op, std::vector<CallOperand> arguments) {
    CallOperands operands;
    operands.op = context_.ops().lookup(std::string(op) + ".default");
    operands.objects = &objects_;
    operands.arguments = std::move(arguments);
    operands.error = [](const llvm::Twine &message, const llvm::Twine &) {
      return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
    };
    EXPECT_NE(operands.op, nullptr) << op;
    return operands;
  }
  BoundCall bound(const CallOperands &operands, int64_t groupSize) {
    llvm::Expected<BoundCall> call = bindCollective(context_, operands, groupSize);
    if (call)
      return *call;
    ADD_FAILURE() << llvm::toString(call.takeError());
    return {};
  }
  std::string refusal(const CallOperands &operands, int64_t groupSize) {
    llvm::Expected<BoundCall> call = bindCollective(context_, operands, groupSize);
    return call ? "" : llvm::toString(call.takeError());
  }
  std::string fresh(const CallOperands &operands, int64_t groupSize, size_t row = 0) {
    BoundCall call = bound(operands, groupSize);
    auto sizes = freshSizes(context_, operands, call, row, groupSize);
    return sizes ? text(*sizes) : llvm::toString(sizes.takeError());
  }
  static std::string text(llvm::ArrayRef<Dim> dims) {
    std::string text;
    for (const Dim &dim : dims)
      text += (text.empty() ? "" : " ") + dim.str();
    return text;
  }

  Context context_;
  ObjectMeanings objects_ = {{"op", {.reduceOp = "max", .group = ""}}, {"pg", {.reduceOp = "", .group = "tp"}}};
  Dim symbol_ = Dim(context_.symbolic("s0"));
  size_t handles_ = 0;
};

TEST_F(BoundCallTest, FreshSizesFollowFromKindAndGroup) {
  EXPECT_EQ(fresh(call("_c10d_functional.all_gather_into_tensor", {tensor({3, 5}), number(4), word("tp")}), 4), "12 5");
  EXPECT_EQ(fresh(call("_c10d_functional.all_gather_into_tensor", {tensor({}), number(4), word("tp")}), 4), "4");
  EXPECT_EQ(fresh(call("_c10d_functional.all_gather_into_tensor", {tensor({symbol_, 2}), number(4), word("tp")}), 4),
            "4*s0 2");
  EXPECT_EQ(fresh(call("_c10d_functional.all_reduce", {tensor({3, 5}), word("sum"), word("tp")}), 4), "3 5");
  EXPECT_EQ(
      fresh(call("_c10d_functional.reduce_scatter_tensor", {tensor({8, 5}), word("sum"), number(4), word("tp")}), 4),
      "2 5");
  EXPECT_EQ(fresh(call("_c10d_functional.reduce_scatter_tensor", {tensor({7}), word("sum"), number(4), word("tp")}), 4),
            "got sizes [7] to scatter, expected a first dimension that is a multiple of 4");
}

TEST_F(BoundCallTest, EachTensorOfAListIsARow) {
  CallOperands operands = call("_c10d_functional.all_gather_into_tensor_coalesced",
                               {list({tensor({2}), tensor({3, 4})}), number(2), word("tp")});
  BoundCall both = bound(operands, 2);
  ASSERT_EQ(both.send.size(), 2U);
  EXPECT_EQ(both.send[1].front().handle, 1U);
  EXPECT_EQ(both.place, ReceivePlace::Fresh);
  EXPECT_EQ(fresh(operands, 2, 1), "6 4");
}

TEST_F(BoundCallTest, AnAllToAllCountsElementsForEachMember) {
  auto exchange = [&](CallOperand output, CallOperand input, const Dim &rows) {
    return call("_c10d_functional.all_to_all_single",
                {tensor({rows, 3}), std::move(output), std::move(input), word("tp")});
  };
  CallOperands uneven = exchange(list({number(1), number(2)}), list({number(4), number(1)}), 5);
  EXPECT_EQ(text(bound(uneven, 2).sendCounts), "12 3");
  EXPECT_EQ(text(bound(uneven, 2).receiveCounts), "3 6");
  EXPECT_EQ(fresh(uneven, 2), "3 3");
  CallOperands symbolic = exchange(list({CallOperand::ofNumber(symbol_), number(2)}), list({number(4), number(1)}), 5);
  EXPECT_EQ(text(bound(symbolic, 2).receiveCounts), "3*s0 6");
  EXPECT_EQ(text(bound(exchange({}, {}, 6), 2).sendCounts), "9 9");
  EXPECT_EQ(refusal(exchange({}, {}, 5), 2),
            "got f32[5, 3] without splits, expected a first dimension that is a multiple of 2");
  EXPECT_EQ(refusal(exchange(list({number(1)}), {}, 6), 2), "got 1 splits, expected one for each of 2 ranks");
  EXPECT_EQ(refusal(exchange(list({word("a")}), {}, 6), 2),
            "argument 1 (output_split_sizes): got a list of 1, expected a list of integers");
}

TEST_F(BoundCallTest, PiecesOfAListAreThePartsOfOneRow) {
  BoundCall parts =
      bound(call("c10d.alltoall_", {list({tensor({1}), tensor({2})}), list({tensor({2}), tensor({1})})}), 2);
  ASSERT_EQ(parts.send.size(), 1U);
  EXPECT_EQ(parts.place, ReceivePlace::Buffers);
  EXPECT_EQ(text(parts.sendCounts), "2 1");
  EXPECT_EQ(text(parts.receiveCounts), "1 2");
  BoundCall gathered =
      bound(call("c10d.allgather_", {list({list({tensor({2}), tensor({2})})}), list({tensor({2})})}), 2);
  ASSERT_EQ(gathered.receive.size(), 1U);
  EXPECT_EQ(gathered.receive.front().size(), 2U);
}

TEST_F(BoundCallTest, AListFormRefusesWhatPyTorchRefuses) {
  auto reduced = [&](DType first, DType second) {
    return refusal(call("_c10d_functional.all_reduce_coalesced",
                        {list({tensor({2}, first), tensor({2}, second)}), word("sum"), word("tp")}),
                   2);
  };
  EXPECT_EQ(reduced(DType::F32, DType::F32), "");
  EXPECT_EQ(reduced(DType::F32, DType::BF16), "got a list of f32 and bf16 tensors, expected one dtype");
}

TEST_F(BoundCallTest, AnObjectIsAReductionOrAGroupWhereAFileSaysSo) {
  auto reduced = [&](const char *object) {
    return call("_c10d_functional.all_reduce",
                {tensor({2}), CallOperand::ofText(Kind::Object, object), CallOperand::ofText(Kind::Object, "pg")});
  };
  EXPECT_EQ(bound(reduced("op"), 2).reduceOp, ReduceOp::Max);
  EXPECT_EQ(refusal(reduced("other"), 2), "the reduction is the object `other`, whose meaning no file states");
  GroupTable table;
  table.set({.name = "tp", .ranks = {3, 4}});
  table.set({.name = "dp", .ranks = {3}});
  CallOperands operands = reduced("op");
  llvm::Expected<Group> group = bindGroup(operands, table, operands.error);
  ASSERT_TRUE(static_cast<bool>(group)) << llvm::toString(group.takeError());
  EXPECT_EQ(intListText(group->ranks), "[3, 4]");
  operands.arguments[2] = list({number(5), number(7)});
  group = bindGroup(operands, table, operands.error);
  ASSERT_TRUE(static_cast<bool>(group));
  EXPECT_EQ(intListText(group->ranks), "[5, 7]");
  operands.arguments[2] = word("pp");
  group = bindGroup(operands, table, operands.error);
  EXPECT_EQ(llvm::toString(group.takeError()), "group 'pp' has no ranks: the group table has 'tp', 'dp'");
}

TEST_F(BoundCallTest, ShardsMoveFromOneDimensionToAnother) {
  auto moved = [&](int64_t gather, int64_t shard) {
    return call("_dtensor.shard_dim_alltoall", {tensor({4, 8}), number(gather), number(shard), word("tp")});
  };
  BoundCall call = bound(moved(0, 1), 2);
  ASSERT_TRUE(call.exchange.has_value());
  EXPECT_EQ(call.exchange->chunk, 4);
  EXPECT_EQ(call.exchange->part, 4);
  EXPECT_EQ(intListText(call.exchange->resultSizes), "[8, 4]");
  EXPECT_EQ(text(call.sendCounts), "16 16");
  EXPECT_NE(refusal(moved(0, 1), 3), "");
  EXPECT_EQ(refusal(moved(0, 2), 2), "argument 2 (shard_dim): got the integer 2, expected a dimension of f32[4, 8]");
}

TEST_F(BoundCallTest, ABatchIsItsTransfersInOrder) {
  auto batch = [&](int64_t secondPeer) {
    return call("_c10d_functional.batch_p2p_ops",
                {list({word("isend"), word("irecv")}), list({number(1), number(secondPeer)}),
                 list({number(0), number(9)}), list({tensor({2}), tensor({3})}), word("tp")});
  };
  llvm::Expected<std::vector<BoundTransfer>> transfers = bindTransfers(batch(3), 4);
  ASSERT_TRUE(static_cast<bool>(transfers)) << llvm::toString(transfers.takeError());
  ASSERT_EQ(transfers->size(), 2U);
  EXPECT_EQ((*transfers)[0].kind, CollectiveKind::Send);
  EXPECT_EQ((*transfers)[1].kind, CollectiveKind::Recv);
  EXPECT_EQ((*transfers)[1].peer, 3);
  EXPECT_EQ((*transfers)[1].tag, 9);
  EXPECT_EQ((*transfers)[1].tensor.sizes.front(), Dim(3));
  transfers = bindTransfers(batch(4), 4);
  EXPECT_EQ(llvm::toString(transfers.takeError()), "got peer 4, expected a rank within the group, 0 to 3");
}

} // namespace
} // namespace ccgraph

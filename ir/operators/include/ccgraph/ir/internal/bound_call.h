// BoundCall: a call of a collective, bound to its operands.
//
// About fifty operators launch communication. They differ in where the group, the reduction and the tensors are among
// the arguments (CollectiveSpec in op_def.h), and in how tensors form rows:
//   all_gather(x)                               sends the row x, and fills one new row
//   all_reduce_coalesced([a, b])                sends two rows, and fills two new rows
//   c10d.allgather_([[o0, o1]], [x])            sends the row x, and fills one row that consists of o0 and o1
//   c10d.alltoall_([o0, o1], [i0, i1])          sends one row of two parts, and fills one row of two parts
// bindCollective() reads any of these forms. The interpreter binds calls whose sizes are numbers, lowering binds calls
// whose sizes may be symbolic. The legality checker binds calls by code of its own, so that one error cannot pass both.
//
// The caller evaluates the arguments (CallOperands) and numbers the tensors in them; a BoundCall names tensors by these
// numbers, so it holds no memory. Ownership: plain values; texts of operands belong to the caller. Failure: an error
// that CallOperands::error makes, with what was got, what was expected, and a repair. Cost: linear in the arguments
// and in the ranks of the group.
#pragma once

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/object_meaning.h"
#include "ccgraph/ir/symbol.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <functional>

namespace ccgraph {

/// One tensor among the operands of a call.
struct OperandTensor {
  /// the caller's number for it
  size_t handle = 0;
  DType dtype = DType::F32;
  llvm::SmallVector<Dim, 6> sizes;
};

/// One evaluated argument.
struct CallOperand {
  enum class Kind : uint8_t {
    /// left out, or None
    Absent,
    Tensor,
    List,
    Number,
    String,
    /// an object that the graph holds by name: a process group, a reduction
    Object,
    Other
  };
  Kind kind = Kind::Absent;
  OperandTensor tensor;
  Dim number;
  /// of a string: its text; of an object: its name
  std::string text;
  /// of a list
  std::vector<CallOperand> elements;

  [[nodiscard]] bool is(Kind wanted) const { return kind == wanted; }
  static CallOperand ofTensor(OperandTensor tensor);
  static CallOperand ofNumber(Dim number);
  static CallOperand ofText(Kind kind, std::string text);
};

/// Makes an error about a call, which names its place, from a message and a repair.
using CallError = std::function<llvm::Error(const llvm::Twine &message, const llvm::Twine &repair)>;

/// A call, with its arguments evaluated by its caller.
struct CallOperands {
  /// a collective or a transfer
  const OpDef *op = nullptr;
  const ObjectMeanings *objects = nullptr;
  /// by place in the schema; what is missing is Absent
  std::vector<CallOperand> arguments;
  CallError error;

  [[nodiscard]] const CollectiveSpec &spec() const { return *op->collective; }
  /// Absent for -1.
  [[nodiscard]] const CallOperand &at(int parameter) const;
};

/// The tensors of one row, whose elements follow each other.
using BoundRow = std::vector<OperandTensor>;
/// One count for each member of the group.
using BoundCounts = llvm::SmallVector<Dim, 0>;

/// The place of a call's results.
enum class ReceivePlace : uint8_t {
  /// in new memory
  Fresh,
  /// in the inputs
  Inputs,
  /// in buffers that the call gives
  Buffers
};

/// shard_dim_alltoall: member i gets chunk i of the input along dimension `shard`; what it sends is part i of the
/// result along dimension `gather`. On 2 ranks, f32[4, 8] with gather 0 and shard 1 has chunks of 4 columns, and the
/// result f32[8, 4] has parts of 4 rows.
struct ShardExchange {
  unsigned gather = 0;
  unsigned shard = 0;
  /// length of a chunk, and of a part
  int64_t chunk = 0;
  int64_t part = 0;
  IntList resultSizes;
};

struct BoundCall {
  std::optional<ReduceOp> reduceOp;
  /// rank within the group; empty for a kind without a root
  std::optional<int64_t> root;
  std::vector<BoundRow> send;
  ReceivePlace place = ReceivePlace::Fresh;
  /// empty for ReceivePlace::Fresh
  std::vector<BoundRow> receive;
  /// all_to_all of one tensor: rows of dimension 0 for and from each member; else empty
  BoundCounts sendRows;
  BoundCounts receiveRows;
  /// all_to_all: elements for and from each member; else empty
  BoundCounts sendCounts;
  BoundCounts receiveCounts;
  /// of shard_dim_alltoall only
  std::optional<ShardExchange> exchange;
};

/// One send or one receive.
struct BoundTransfer {
  CollectiveKind kind = CollectiveKind::Send;
  OperandTensor tensor;
  /// rank within the group
  int64_t peer = 0;
  int64_t tag = 0;
};

/// The group that the call names: by its name in `table`, by a list of ranks, or by an object whose meaning a file or
/// `table` gives. The group may lack members. Errors are made by `error`.
[[nodiscard]] llvm::Expected<Group> bindGroup(const CallOperands &operands, const GroupTable &table,
                                              const CallError &error);

/// Any collective but a transfer, on a group of `groupSize` members.
[[nodiscard]] llvm::Expected<BoundCall> bindCollective(Context &context, const CallOperands &operands,
                                                       int64_t groupSize);

/// Sizes of the fresh result of row `row`. PyTorch warns of rows that a reduce_scatter cannot divide evenly, and drops
/// them; here they are an error.
[[nodiscard]] llvm::Expected<llvm::SmallVector<Dim, 6>>
freshSizes(Context &context, const CallOperands &operands, const BoundCall &call, size_t row, int64_t groupSize);

/// The transfers of isend, irecv or batch_p2p_ops, in order. batch_p2p_ops(["isend", "irecv"], [1, 3], [0, 0], [a, b])
/// sends `a` to rank 1 of the group, and fills `b` from rank 3.
[[nodiscard]] llvm::Expected<std::vector<BoundTransfer>> bindTransfers(const CallOperands &operands, int64_t groupSize);

/// The value of a call that filled `rows`, in the form that its schema states. `Maker` makes values: tensor(Tensor),
/// list(std::vector<Value>), and work() for a Work object.
template <class Value, class Tensor, class Maker>
[[nodiscard]] Value valueOfCall(const OpDef &op, const std::vector<std::vector<Tensor>> &rows, const Maker &make) {
  std::vector<Value> all, nested, results;
  for (const std::vector<Tensor> &row : rows) {
    std::vector<Value> pieces;
    for (const Tensor &piece : row)
      pieces.push_back(make.tensor(piece));
    all.insert(all.end(), pieces.begin(), pieces.end());
    nested.push_back(make.list(std::move(pieces)));
  }
  for (const OpResult &result : op.results) {
    if (result.type == "Tensor" && !all.empty())
      results.push_back(all.front());
    else if (result.type == "Tensor[]" || result.type == "Tensor[][]")
      results.push_back(make.list(result.type == "Tensor[]" ? all : nested));
    else
      results.push_back(make.work());
  }
  return results.size() == 1 ? results.front() : make.list(std::move(results));
}

} // namespace ccgraph

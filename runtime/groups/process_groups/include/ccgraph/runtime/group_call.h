// GroupCall: one call of a collective or of a transfer, as a program gives it to a process group.
//
// The operations are those of torch.distributed. A call holds tensors, which it shares with the caller: until the call
// is complete, no other code may write what it sends, or access what it fills.
//
// Ownership: shares tensors. Plain data: process_group.h checks it, and backend.h executes it. Failure: none. Cost:
// handles; no element is copied.
#pragma once

#include "ccgraph/ir/collective.h"
#include "ccgraph/runtime/tensor.h"

#include <chrono>

namespace ccgraph::runtime {

enum class GroupOp : uint8_t {
  Broadcast,
  AllReduce,
  AllReduceCoalesced,
  Reduce,
  AllGather,
  AllGatherIntoTensor,
  AllGatherCoalesced,
  AllGatherIntoTensorCoalesced,
  Gather,
  Scatter,
  ReduceScatter,
  ReduceScatterTensor,
  ReduceScatterTensorCoalesced,
  AllToAll,
  AllToAllSingle,
  Barrier,
  Send,
  Recv,
  RecvAnySource
};
/// Returns the function of torch.distributed 2.15: "all_reduce"; "all_gather_single" for AllGatherIntoTensor.
[[nodiscard]] llvm::StringRef groupOpName(GroupOp op);
/// Returns c10d's OpType: "ALLREDUCE", "_ALLGATHER_BASE".
[[nodiscard]] llvm::StringRef opTypeName(GroupOp op);
/// Send, Recv or RecvAnySource.
[[nodiscard]] bool isTransfer(GroupOp op);

/// How the elements of all ranks are combined: a ReduceOp, or premul_sum, the sum of all elements times a factor.
///
/// Two are equal if their kinds are, as in torch.distributed: factors are not compared.
class Reduction {
public:
  Reduction() = default;
  Reduction(ReduceOp op) : op_(op) {} // NOLINT(google-explicit-constructor): every operator is a reduction
  [[nodiscard]] static Reduction premulSum(double factor);
  /// Fails unless the tensor has one element, of a floating-point dtype.
  [[nodiscard]] static llvm::Expected<Reduction> premulSum(const Tensor &factor);

  /// Of a premul_sum: sum.
  [[nodiscard]] ReduceOp op() const { return op_; }
  [[nodiscard]] std::optional<double> factor() const { return factor_; }
  /// "RedOpType.SUM", "RedOpType.PREMUL_SUM".
  [[nodiscard]] std::string str() const;
  /// One line, which parse() reads: "sum", "premul_sum 2.5". The factor keeps all its bits.
  [[nodiscard]] std::string serialize() const;
  /// The inverse; also accepts names of reductions in any case. Fails with "Unrecognized reduce_op: TEXT".
  [[nodiscard]] static llvm::Expected<Reduction> parse(llvm::StringRef text);
  friend bool operator==(const Reduction &a, const Reduction &b) {
    return a.op_ == b.op_ && a.factor_.has_value() == b.factor_.has_value();
  }

private:
  ReduceOp op_ = ReduceOp::Sum;
  std::optional<double> factor_;
};

struct GroupCall {
  using Milliseconds = std::chrono::milliseconds;
  GroupOp op = GroupOp::Barrier;
  /// What this rank sends: one tensor; a list of one for each member; for coalesced calls the list of the tensors.
  /// Operations in place have equal inputs and outputs.
  std::vector<Tensor> inputs;
  /// AllGatherCoalesced: the tensors of member 0, then those of member 1, and so on.
  std::vector<Tensor> outputs;
  Reduction reduction;
  /// Broadcast, Reduce, Gather, Scatter: rank within the group
  int64_t root = 0;
  /// transfers: rank within the group of the other end; -1 for RecvAnySource
  int64_t peer = -1;
  int64_t tag = 0;
  /// AllToAllSingle: rows of dimension 0 for and from each member; empty: equal parts
  std::vector<int64_t> inputSplits;
  std::vector<int64_t> outputSplits;
  /// how long the call may take
  Milliseconds timeout = std::chrono::minutes(30);
};

} // namespace ccgraph::runtime

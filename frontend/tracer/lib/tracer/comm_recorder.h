// CommRecorder: records c10d's in-place collectives in a trace.
//
//   p = c10d.allreduce_.default([x], _torchbind_obj0, _torchbind_obj1, None)
//   q = torch.distributed._spmd.comm_tensor._wrap_comm_result(p)
//   y = q[0][0]                                                       the new value of x, in flight
//
// Ownership: refers to the recorder for one call. Failure: the first reason; nothing of the call is in the graph then.
// Cost: a few nodes.
#pragma once

#include "ccgraph/tracer/collectives.h"
#include "tracer/recorder.h"

namespace ccgraph::tracer::detail {

/// The tensors of one argument: one, those of a list, or those of the only list in a list.
struct CommOperand {
  std::vector<Tensor> tensors;
  /// 0: a tensor, 1: a list, 2: a list of lists
  int depth = 0;
};

/// One call: its arguments, in the order of its schema.
struct CommCall {
  llvm::StringRef target;
  /// `written` precedes `read`, if there is one
  CommOperand written;
  std::optional<CommOperand> read = std::nullopt;
  const collectives::GroupLike &group;
  const collectives::ReduceOp *reduceOp = nullptr;
  /// after group and reduction
  std::vector<Actual> rest = {};
  /// root rank, and root tensor, where `rest` has them
  std::vector<int64_t> roots = {};
};

/// Records the call; the written tensors are in flight.
[[nodiscard]] llvm::Error recordComm(Recorder &recorder, CommCall call);

} // namespace ccgraph::tracer::detail

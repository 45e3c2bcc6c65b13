// Launch: one rank's side of one communication, independent of the form of the operator.
//
// Functional, in-place, out, coalesced, legacy and autograd forms all reduce to a kind, rows to send, rows to fill, and
// a few numbers. The engine's half (matching ranks, moving data) works on launches only, so no form can behave unlike
// another.
//
// Ownership: shares storages with the rank that launched. Plain data: nothing fails here (agreement.h checks whether it
// is valid). Cost: handles only; no element is copied.
#pragma once

#include "ccgraph/ir/collective.h"
#include "collectives/buffer.h"
#include "collectives/reduce.h"
#include "tensor/call_name.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph::runtime {

struct Launch {
  CallName call;
  /// global rank
  int64_t rank = 0;
  CollectiveKind kind = CollectiveKind::AllReduce;
  using Rows = llvm::SmallVector<Buffer, 1>;
  /// one row for each member of a coalesced launch, else one
  Rows send;
  /// rows to fill, as many as `send`; an in-place form fills the rows that it sends
  Rows receive;
  std::optional<ReduceOp> reduceOp;
  /// broadcast and scatter: member index of the source
  int64_t root = -1;
  /// point to point
  int64_t tag = 0;
  /// which step of the program this is, where all ranks run the same one; not there otherwise, nor of a transfer
  std::optional<size_t> position;
  /// all_to_all: elements for and from each member, in the group's order
  std::vector<int64_t> sendCounts;
  std::vector<int64_t> receiveCounts;
};

/// Returns the facts that must be equal on the other ranks or, for a transfer, at its other end. `members` are the
/// global ranks of the group, in its order.
[[nodiscard]] CollectiveFingerprint fingerprintOf(const Launch &launch, llvm::ArrayRef<int64_t> members);

/// A communication as messages name it: "all_reduce `ar`".
[[nodiscard]] std::string describe(const Launch &launch);

} // namespace ccgraph::runtime

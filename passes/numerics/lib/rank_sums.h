// The values of collectives, as terms.
//
// Gathers, exchanges and broadcasts move elements. A sum over ranks is a term of its elements on all ranks:
//   - over one rank it is the element, and over two ranks a + b, which has one order;
//   - with SumOrder::Ranks it is one operation on the elements in the order of the ranks;
//   - otherwise it is a call: it depends on the kind, the size and the ranks of the collective, and on all elements
//     that are sent. (NCCL: ring, tree, NVLS or PAT by the size, and the first rank by the position in the buffer,
//     NCCL_ALGO in its user guide; gloo: rings over chunks.)
// Integers and bools are equal in any order. A maximum of floats may be either of two zeros, so it has an order.
//
// Ownership: values. Failure: a text: a kind or form without a rule, inputs that do not fit together. Cost: linear in
// the runs of all members.
#pragma once

#include "held_value.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/numerics/compare_sums.h"

#include "llvm/Support/Error.h"

namespace ccgraph::numerics {

/// The launch of one member.
struct RankLaunch {
  const Node *node = nullptr;
  CollectiveCall call;
  /// the tensors that it sends, as they are at the launch
  std::vector<HeldTensor> inputs;
  /// global ranks of the group, in its order
  std::vector<int64_t> members;
};

/// The elements that a member receives, and their sizes.
struct ReceivedRow {
  DType dtype = DType::F32;
  IntList sizes;
  RunList elements;
};

/// Returns the rows that each member receives. The launches are those of the members of a group in its order.
[[nodiscard]] llvm::Expected<std::vector<std::vector<ReceivedRow>>>
receivedRows(TermTable &table, SumOrder order, llvm::ArrayRef<const RankLaunch *> launches);

} // namespace ccgraph::numerics

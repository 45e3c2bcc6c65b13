// Effects: the accesses of one node to storages and to the outside, derived from its operator's schema and its
// arguments.
//
// This is the only source of effects for the storage map, the verifier, the passes and the interpreter, so none of them
// contains a list of operators. The invariant is conservatism: an effect may be reported that does not occur, never the
// other way round.
//
// Rules (facts from PyTorch's schemas and sources):
// - `(a)` on a result is a view of the parameter with that annotation, `(a!)` writes it;
// - a tag nondeterministic_seeded is the rng domain, but attention or dropout with probability 0 is pure;
// - irecv and batch_p2p_ops write their buffers, although their schemas do not state it;
// - functional all_reduce and broadcast clone at launch; gathers, scatters, all_to_all and p2p read in flight;
// - copies to the host's memory and back read in flight; the wait on one writes the storage that it frees;
// - an argument that the schema does not contain counts as read, written, shared and reshaped;
// - a type describes a value at the time when its node ran: if the tensor may have been reshaped before a reader, the
//   type proves no view. (A step that names a tensor keeps its side of a reshape, so no legal move changes this.)
//
// Ownership: plain values. Failure: none; an opaque operator has domain All.
// Cost: effectsOf is linear in the arguments and does not allocate for up to four operands; the rest is O(1) unless
// stated otherwise. The arguments of a collective are read in collective.h.
#pragma once

#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace ccgraph {

/// The effects of one node. For the kinds of access see Access in op_def.h; in-flight bits last from the launch to the
/// first wait on its result.
struct Effects {
  /// one for each data operand
  llvm::SmallVector<Access, 4> operands;
  Domain domain = Domain::None;
  /// starts an asynchronous collective, or a copy to or from the host: its results (and in-flight operands) are in
  /// flight
  bool launches = false;
  /// completes storages of operands (Access::Complete): for a node that reads them by another name this is like a write
  bool waits = false;
  /// some result has storage of its own (false for pure views, getitem, waits, in-place forms)
  bool freshResult = true;
  /// may not be removed even without readers
  bool keepAlways = false;
};

[[nodiscard]] Effects effectsOf(const Node &node);

/// Returns the spec of a collective call; null for any other node.
[[nodiscard]] const CollectiveSpec *collectiveOf(const Node &node);
/// Returns true for wait_tensor and wait_tensors, in every form.
[[nodiscard]] bool isWait(const Node &node);
/// Returns the value whose storage a wait frees; null if it frees none.
[[nodiscard]] const Node *freedBy(const Node &node);
/// Returns true for a copy to the host's memory or back, which ao.wait_tensor completes.
[[nodiscard]] bool isHostCopy(const Node &node);
/// Returns true for a copy to the host's memory. Its result takes no memory of the device.
[[nodiscard]] bool isOffload(const Node &node);
/// Returns true for operator.getitem, whatever its index.
[[nodiscard]] bool isGetItem(const Node &node);
/// Returns the literal, non-negative index of a getitem; empty for any other node or index.
[[nodiscard]] std::optional<int64_t> getItemIndex(const Node &node);
/// Returns true if the node's result shares its first operand's storage without reading it (views, getitem, and reshape
/// whose strides prove a view).
[[nodiscard]] bool isViewLike(const Node &node);

/// Returns true if some node before `point` may reshape the tensor that the value names (Access::Reshape), under any of
/// its names. The value's type then need not be valid there. O(1) in a graph without such operators, else linear in the
/// names of its storage.
[[nodiscard]] bool mayBeReshapedBefore(const Node &value, const Node &point);
/// Returns the same for the nodes that `counts` accepts, at any position.
[[nodiscard]] bool mayBeReshapedBy(const Node &value, llvm::function_ref<bool(const Node &)> counts);

/// Returns the call that a node makes: the node itself, or the one call in the subgraph of a control_deps; null if
/// there is none or several.
[[nodiscard]] const Node *wrappedCall(const Node &node);

} // namespace ccgraph

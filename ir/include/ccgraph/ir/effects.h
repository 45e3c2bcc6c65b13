// Effects: what one node does to storages and to the outside, from its operator's schema and its
// arguments.
//
// This is the one place that the storage map, the verifier, the passes and the interpreter ask, so
// that none of them lists operators to know their effects. The invariant is conservatism: an effect may be
// claimed that does not happen, never the other way round.
//
// Rules (facts from PyTorch's schemas and sources):
// - `(a)` on a result is a view of the parameter so annotated, `(a!)` writes it;
// - a tag nondeterministic_seeded is the rng domain, but attention or dropout with probability 0 is
//   pure;
// - irecv and batch_p2p_ops write their buffers though their schemas say nothing;
// - functional all_reduce and broadcast clone at launch; gathers, scatters, all_to_all and p2p read
//   in flight;
// - an argument that the schema does not foresee is taken to be read, written, shared and reshaped;
// - a type says what a value was when its node made it: where the tensor may have been reshaped before the node that
//   reads it, it proves no view. (Whoever names a tensor keeps its side of a reshape, so no legal move changes that.)
//
// Ownership: plain values. Failure: none; an opaque operator has domain All.
// Cost: effectsOf is linear in the arguments and does not allocate for up to four operands; the
// rest is O(1) unless it says otherwise. What a collective's arguments say is in collective.h.
#pragma once

#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace ccgraph {

/// What one node does. For the kinds of access see Access in op_def.h; in-flight bits last from the
/// launch to the first wait on its result.
struct Effects {
  /// one for each data operand
  llvm::SmallVector<Access, 4> operands;
  Domain domain = Domain::None;
  /// starts an asynchronous collective: its results (and in-flight operands) are in flight
  bool launches = false;
  /// completes storages of operands (Access::Land): to whoever reads them by another name it is what a write is
  bool waits = false;
  /// some result has storage of its own (false for pure views, getitem, waits, in-place forms)
  bool freshResult = true;
  /// may not be removed though nobody reads it
  bool keepAlways = false;
};

[[nodiscard]] Effects effectsOf(const Node &node);

/// The spec of a collective call; null for any other node.
[[nodiscard]] const CollectiveSpec *collectiveOf(const Node &node);
/// True for wait_tensor and wait_tensors, of every spelling.
[[nodiscard]] bool isWait(const Node &node);
/// True for operator.getitem, whatever its index.
[[nodiscard]] bool isGetItem(const Node &node);
/// The literal, non-negative index of a getitem; empty for any other node or index.
[[nodiscard]] std::optional<int64_t> getItemIndex(const Node &node);
/// True if the node's result shares its first operand's storage without reading it (views, getitem, and reshape whose
/// strides prove a view).
[[nodiscard]] bool isViewLike(const Node &node);

/// True if some node before `point` may reshape the tensor that the value names (Access::Reshape), under any of its
/// names: then the value's type need not hold there. O(1) in a graph without such operators, else linear in the names of
/// its storage.
[[nodiscard]] bool mayBeReshapedBefore(const Node &value, const Node &point);
/// The same of nodes that `counts` says yes to, wherever they stand.
[[nodiscard]] bool mayBeReshapedBy(const Node &value, llvm::function_ref<bool(const Node &)> counts);

/// The call that a node makes: the node itself, or the one call in the subgraph of a control_deps; null where there is
/// none or several.
[[nodiscard]] const Node *wrappedCall(const Node &node);

} // namespace ccgraph

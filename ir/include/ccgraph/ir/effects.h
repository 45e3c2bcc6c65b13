// Effects: what one node does to storages and to the outside, from its operator's schema and its arguments.
//
// Rules (facts from PyTorch's schemas and sources): `(a)` on a result is a view of the parameter so annotated, `(a!)`
// writes it; a tag nondeterministic_seeded is the rng domain, but attention or dropout with probability 0 is pure;
// irecv and batch_p2p_ops write their buffers though their schemas say nothing; functional all_reduce and broadcast
// clone at launch, gathers, scatters, all_to_all and p2p read in flight.
//
// Cost: linear in the arguments, no allocation for up to four operands. Nothing fails: an opaque operator has domain
// All.
#pragma once

#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/SmallVector.h"

namespace ccgraph {

/// What a node does with one data operand; a set of bits.
enum class Access : uint8_t {
  Nothing = 0,
  /// reads the elements when it is issued
  Read = 1,
  /// writes the elements when it is issued
  Write = 2,
  /// the result (or an element of it) shares, or may share, the operand's storage
  Alias = 4,
  /// reads the elements until the wait on its result
  InFlightRead = 8,
  /// writes the elements until the wait on its result
  InFlightWrite = 16,
};
constexpr Access operator|(Access a, Access b) {
  return static_cast<Access>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
constexpr bool has(Access set, Access bits) { return (static_cast<uint8_t>(set) & static_cast<uint8_t>(bits)) != 0; }

struct Effects {
  /// one for each data operand
  llvm::SmallVector<Access, 4> operands;
  Domain domain = Domain::None;
  /// starts an asynchronous collective: its results (and in-flight operands) are in flight
  bool launches = false;
  /// completes its operands' storages
  bool waits = false;
  bool freshResult =
      /// some result has storage of its own (false for pure views, getitem, waits, in-place forms)
      true;
  /// may not be removed though nobody reads it
  bool keepAlways = false;
};

[[nodiscard]] Effects effectsOf(const Node &node);

/// The spec of a collective call; null for any other node.
[[nodiscard]] const CollectiveSpec *collectiveOf(const Node &node);
[[nodiscard]] bool isWait(const Node &node);
[[nodiscard]] bool isGetItem(const Node &node);
/// The literal, non-negative index of a getitem; empty for any other node or index.
[[nodiscard]] std::optional<int64_t> getItemIndex(const Node &node);
/// True if the node's result shares its first operand's storage without reading it (views, getitem, and reshape whose
/// strides prove a view).
[[nodiscard]] bool isViewLike(const Node &node);

/// What a collective call says, read off its arguments by position.
struct CollectiveCall {
  const CollectiveSpec *spec = nullptr;
  /// the name; empty where the group is a node or a list of ranks
  llvm::StringRef group;
  /// the group as a graph node (one-rank compiled graphs)
  const Node *groupNode = nullptr;
  /// legacy forms: the ranks given in the call
  std::vector<int64_t> ranks;
  /// lower case: "sum", "avg", ...; empty where there is none
  std::string reduceOp;
  /// as the call states it
  std::optional<int64_t> groupSize;
  /// tensors that are sent, in order
  llvm::SmallVector<Node *, 2> inputs;
  /// buffers given to receive into, in order
  llvm::SmallVector<Node *, 2> outputs;
};
/// Empty for a node that is no collective. Arguments of a wrong kind leave their field empty (the verifier reports
/// them).
[[nodiscard]] std::optional<CollectiveCall> collectiveCall(const Node &node);

/// Bytes that one rank sends into the collective / that its results occupy; empty where a size is symbolic or unknown.
[[nodiscard]] std::optional<int64_t> inputBytes(const Node &collective);
[[nodiscard]] std::optional<int64_t> outputBytes(const Node &collective);

/// A key that equals for two collectives iff they are on the same group as far as the graph can tell: name, rank list,
/// or node.
[[nodiscard]] std::string groupKey(const Node &collective);

} // namespace ccgraph

// Collective calls: what one says, read off its arguments in one place, and what the ranks of its
// group must say alike.
//
// A CollectiveCall is one node's reading: its tensors, numbers and group, whatever the operator's
// form (functional, in-place, out, coalesced, of older versions). It holds nodes of its graph, and the
// group as that graph's text gives it.
//
// A CollectiveFingerprint is what a call is to *other* ranks: kind, reduction, root, dtypes and
// counts, and the members of the group, by global rank; never a name, a node or a shape, because
// these are one rank's own. Two ranks that launch together must have equal fingerprints, else
// backends hang or corrupt memory. It is made from a graph (fingerprintsOf) or, by an engine, from the
// tensors that a launch holds:
//
//   all_reduce sum bf16[4096] on ranks [0, 1]
//   broadcast from 1 f32[4] f32[8] on ranks [0, 1, 2]
//   send f32[4] to rank 3 on ranks [0, 1, 2, 3]
//
// What a graph does not say (a symbolic size, a group whose members no file gives, a reduction held
// as an object) is empty, and empty differs from nothing: two fingerprints without a difference agree
// as far as they are known. Only two with `complete` are proved to agree.
//
// Ownership: a fingerprint owns all that it holds; a call holds nodes of the graph and texts of its
// Context. Failure: none; arguments of a wrong kind leave their field empty (the verifier reports
// them). Cost: linear in the arguments, with a few small vectors: ask once a node and not in a loop
// over pairs.
#pragma once

#include "ccgraph/ir/group_table.h"
#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

/// How ranks' elements become one. `avg` is the sum divided by the number of ranks.
enum class ReduceOp : uint8_t { Sum, Avg, Product, Min, Max, Band, Bor, Bxor };
/// "sum", "avg", ...
[[nodiscard]] llvm::StringRef reduceOpName(ReduceOp op);
/// Any case, as PyTorch takes it; empty for other words.
[[nodiscard]] std::optional<ReduceOp> parseReduceOp(llvm::StringRef text);
/// Sums are defined on all dtypes, products and order not on complex numbers, bitwise ones on integers and bool. Says
/// nothing of what a backend can.
[[nodiscard]] bool isDefinedOn(ReduceOp op, DType dtype);

/// What a collective call says, read off its arguments by position.
struct CollectiveCall {
  const CollectiveSpec *spec = nullptr;
  /// the name; empty where the group is a node or a list of ranks (group_id.h tells groups apart)
  llvm::StringRef group;
  /// the group as a graph node (one-rank compiled graphs)
  const Node *groupNode = nullptr;
  /// legacy forms: the ranks given in the call
  std::vector<int64_t> ranks;
  /// lower case: "sum", "avg", ...; empty where there is none
  std::string reduceOp;
  /// as the call states it
  std::optional<int64_t> groupSize;
  /// rank within the group
  std::optional<int64_t> root;
  /// transfers: ranks within the group, and tags; one for each tensor of a batch
  std::vector<int64_t> peers;
  std::vector<int64_t> tags;
  /// all_to_all: rows for and from each member; empty where not all are numbers, or none are given
  std::optional<std::vector<int64_t>> inputSplits;
  std::optional<std::vector<int64_t>> outputSplits;
  /// tensors that are sent, in order
  llvm::SmallVector<Node *, 2> inputs;
  /// buffers given to receive into, in order
  llvm::SmallVector<Node *, 2> outputs;
};
/// Empty for a node that is no collective.
[[nodiscard]] std::optional<CollectiveCall> collectiveCall(const Node &node);

/// Bytes that one rank sends into the collective / that its results occupy on one rank; empty where
/// a size is symbolic or unknown, and for a node that is no collective. Shapes are those of the
/// graph's types: for all_gather over n ranks the output has n times the input's bytes, for
/// reduce_scatter an n-th.
[[nodiscard]] std::optional<int64_t> inputBytes(const Node &collective);
[[nodiscard]] std::optional<int64_t> outputBytes(const Node &collective);

struct CollectiveFingerprint {
  /// One tensor that a rank brings. Shapes are not part of it: a collective moves rows of elements.
  struct Row {
    std::optional<DType> dtype;
    /// counted alike by all members, but for an all_to_all, whose members send each other unlike shares
    std::optional<int64_t> elements;
  };
  CollectiveKind kind = CollectiveKind::AllReduce;
  std::optional<ReduceOp> reduceOp;
  /// rank within the group
  std::optional<int64_t> root;
  /// in the order of a coalesced call
  std::vector<Row> rows;
  /// global ranks in the group's order; empty where unknown
  std::vector<int64_t> members;
  /// transfers: the other end, as a global rank, and the tag
  std::optional<int64_t> peer;
  std::optional<int64_t> tag;
  /// nothing that must agree is unknown
  bool complete = false;

  /// "sum bf16[4096]": what is sent and how it is combined; "?" for what is unknown.
  [[nodiscard]] std::string payload() const;
  /// "all_reduce sum bf16[4096] on ranks [0, 1]".
  [[nodiscard]] std::string str() const;
};

/// One for a collective, one for each entry of a batch of transfers, none for any other node. `rank` is the global
/// rank whose program this is: in a table of partitions it says which cell.
[[nodiscard]] std::vector<CollectiveFingerprint> fingerprintsOf(const Node &node, const GroupTable &table,
                                                                int64_t rank);

/// One field in which two calls that should be the same one differ.
struct FingerprintDifference {
  /// "kind", "reduction", "source", "members", "number of tensors", "dtype", "elements of tensor 1", ...
  std::string field;
  std::string first;
  std::string second;
  /// "reduction sum against max"
  [[nodiscard]] std::string str() const { return field + " " + first + " against " + second; }
};
/// All fields in which the two differ; the first is the one to name. After another kind or number of tensors, what
/// follows is not compared. A send and a receive are the two ends of one transfer: they have their own peers and no
/// common kind.
[[nodiscard]] std::vector<FingerprintDifference> differences(const CollectiveFingerprint &a,
                                                             const CollectiveFingerprint &b);

} // namespace ccgraph

// Collective calls: the meaning of a call, read from its arguments in one place, and the fields in which the ranks of
// its group must agree.
//
// A CollectiveCall is the reading of one node: its tensors, numbers and group, independent of the operator's form
// (functional, in-place, out, coalesced, older versions). It holds nodes of its graph, and the group as that graph's
// text gives it.
//
// A CollectiveFingerprint describes a call to *other* ranks: kind, reduction, root, dtypes and counts, and the members
// of the group, by global rank. It never contains a name, a node or a shape, because these belong to one rank. Two
// ranks that launch together must have equal fingerprints, else backends hang or corrupt memory. It is computed from a
// graph (fingerprintsOf) or, by an engine, from the tensors that a launch holds:
//
//   all_reduce sum bf16[4096] on ranks [0, 1]
//   broadcast from 1 f32[4] f32[8] on ranks [0, 1, 2]
//   send f32[4] to rank 3 on ranks [0, 1, 2, 3]
//
// A field that the graph does not determine is empty: a symbolic size, a group whose members no file gives, a reduction
// that is an object. An empty field matches any value. So two fingerprints without a difference agree as far as they
// are known; only two with `complete` are proved to agree.
//
// Ownership: a fingerprint owns its contents; a call holds nodes of the graph and texts of its Context. Failure: none;
// arguments of a wrong kind leave their field empty (the verifier reports them). Cost: linear in the arguments, with a
// few small vectors: call it once a node and not in a loop over pairs.
#pragma once

#include "ccgraph/ir/group_table.h"
#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

/// How the elements of all ranks are combined. `avg` is the sum divided by the number of ranks.
enum class ReduceOp : uint8_t { Sum, Avg, Product, Min, Max, Band, Bor, Bxor };
/// "sum", "avg", ...
[[nodiscard]] llvm::StringRef reduceOpName(ReduceOp op);
/// Parses a word in any case, as PyTorch does; empty for other words.
[[nodiscard]] std::optional<ReduceOp> parseReduceOp(llvm::StringRef text);
/// Returns whether the reduction is defined on the dtype: sums on all dtypes, products and minimum or maximum not on
/// complex numbers, bitwise ones on integers and bool. It does not describe what a backend supports.
[[nodiscard]] bool isDefinedOn(ReduceOp op, DType dtype);

/// The fields of a collective call, read from its arguments by position.
struct CollectiveCall {
  const CollectiveSpec *spec = nullptr;
  /// the name; empty if the group is a node or a list of ranks (group_id.h distinguishes groups)
  llvm::StringRef group;
  /// the group as a graph node (one-rank compiled graphs)
  const Node *groupNode = nullptr;
  /// legacy forms: the ranks given in the call
  std::vector<int64_t> ranks;
  /// lower case: "sum", "avg", ...; empty if there is none
  std::string reduceOp;
  /// as stated in the call
  std::optional<int64_t> groupSize;
  /// rank within the group
  std::optional<int64_t> root;
  /// transfers: ranks within the group, and tags; one for each tensor of a batch
  std::vector<int64_t> peers;
  std::vector<int64_t> tags;
  /// all_to_all: rows for and from each member; empty if none are given, or not all are numbers
  std::optional<std::vector<int64_t>> inputSplits;
  std::optional<std::vector<int64_t>> outputSplits;
  /// tensors that are sent, in order
  llvm::SmallVector<Node *, 2> inputs;
  /// buffers given to receive into, in order
  llvm::SmallVector<Node *, 2> outputs;
};
/// Returns an empty value for a node that is no collective.
[[nodiscard]] std::optional<CollectiveCall> collectiveCall(const Node &node);

/// Return the bytes that one rank sends into the collective / that its results occupy on one rank. Empty if a size is
/// symbolic or unknown, and for a node that is no collective. Shapes are those of the graph's types: for all_gather
/// over n ranks the output has n times the input's bytes, for reduce_scatter an n-th.
[[nodiscard]] std::optional<int64_t> inputBytes(const Node &collective);
[[nodiscard]] std::optional<int64_t> outputBytes(const Node &collective);

struct CollectiveFingerprint {
  /// One tensor that a rank contributes. It contains no shape: a collective moves rows of elements.
  struct Row {
    std::optional<DType> dtype;
    /// equal on all members, except for an all_to_all, whose members send each other different shares
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
  /// every field that must agree is known
  bool complete = false;

  /// Returns "sum bf16[4096]": the tensors sent and how they are combined; "?" for an unknown part.
  [[nodiscard]] std::string payload() const;
  /// Returns "all_reduce sum bf16[4096] on ranks [0, 1]".
  [[nodiscard]] std::string str() const;
};

/// Returns one fingerprint for a collective, one for each entry of a batch of transfers, none for any other node.
/// `rank` is the global rank of this graph: it selects the cell of a partition.
[[nodiscard]] std::vector<CollectiveFingerprint> fingerprintsOf(const Node &node, const GroupTable &table,
                                                                int64_t rank);

/// One field in which two calls differ that should be the same call.
struct FingerprintDifference {
  /// "kind", "reduction", "source", "members", "number of tensors", "dtype", "elements of tensor 1", ...
  std::string field;
  std::string first;
  std::string second;
  /// Returns "reduction sum against max".
  [[nodiscard]] std::string str() const { return field + " " + first + " against " + second; }
};
/// Returns all fields in which the two differ; the first is the most important. After a different kind or number of
/// tensors, no further field is compared. A send and a receive are the two ends of one transfer: they have their own
/// peers and no common kind.
[[nodiscard]] std::vector<FingerprintDifference> differences(const CollectiveFingerprint &a,
                                                             const CollectiveFingerprint &b);

} // namespace ccgraph

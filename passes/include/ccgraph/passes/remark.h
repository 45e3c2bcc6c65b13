// Remarks: machine-readable reports of what a pass did to one node, or why it did nothing.
//
// Every move, merge and removal is a remark, and so is every refusal. A launch or wait that a pass would move, but that
// is already in the right position, is a remark too. The reason is an id that the pass declares (`Reason` in pass.h),
// so that docs list all ids and a test can look for one. Numbers and names are in `args`, never inside the id.
//
// Ownership: plain values that own their texts; a remark outlives graph and pass.
// Failure: none.
// Order: the order in which the pass made them, which is program order wherever the pass has a choice.
// Cost: one allocation a remark.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ccgraph {

class Node;

enum class RemarkKind : uint8_t {
  /// the node has moved
  Moved,
  /// several nodes became one
  Merged,
  /// the node was removed
  Removed,
  /// the node became another node with the same meaning
  Rewritten,
  /// the node was left as it was; the reason explains why
  Missed,
  /// the node is already where the pass would move it
  Kept,
};
/// "moved", "merged", "removed", "rewritten", "missed", "kept".
[[nodiscard]] llvm::StringRef remarkKindName(RemarkKind kind);

using RemarkArgs = std::vector<std::pair<std::string, std::string>>;

struct Remark {
  std::string pass;
  RemarkKind kind = RemarkKind::Missed;
  /// id declared by the pass, e.g. "over-budget"
  std::string reason;
  /// name of the node that the remark is about
  std::string node;
  /// e.g. {"bytes", "4096"}, {"other", "all_reduce_3"}
  RemarkArgs args;
  /// see sourceOf
  std::string source = {};
};

/// Returns where the user wrote a node: "train.py:12 in layers.0", as far as the graph records it; may be empty.
[[nodiscard]] std::string sourceOf(const Node &node);

/// Prints `pass: kind: node [reason] key=value ... (source)`, one line.
void print(llvm::raw_ostream &os, const Remark &remark);

} // namespace ccgraph

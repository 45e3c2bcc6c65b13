// Remarks: what a pass did to one node, or why it did nothing, in words that a program can read.
//
// Every move, merge and removal is a remark, and so is every refusal, and every launch and wait that a
// pass would move and that stands right already. The reason is an id that the
// pass declares (`Reason` in pass.h), so that docs list all of them and a test can ask for one;
// numbers and names stand in `args`, never inside the id.
//
// Ownership: plain values that own their texts; a remark outlives graph and pass.
// Failure: none.
// Order: as the pass made them, which follows program order wherever the pass has a choice.
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
  /// a node stands elsewhere
  Moved,
  /// several became one
  Merged,
  /// a node is gone
  Removed,
  /// a node became another that means the same
  Rewritten,
  /// nothing was done to this node, and why
  Missed,
  /// the node stands already where the pass would put it
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
  /// name of the node that it is about
  std::string node;
  /// e.g. {"bytes", "4096"}, {"other", "all_reduce_3"}
  RemarkArgs args;
  /// see sourceOf
  std::string source = {};
};

/// Where the user wrote a node: "train.py:12 in layers.0", as far as the graph says; maybe empty.
[[nodiscard]] std::string sourceOf(const Node &node);

/// `pass: kind: node [reason] key=value ... (source)`, one line.
void print(llvm::raw_ostream &os, const Remark &remark);

} // namespace ccgraph

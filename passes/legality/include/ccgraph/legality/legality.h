// The legality checker: verifies that a pass did only what it may do.
//
// It reads the graph before (a snapshot), the graph after, and the pass's certificate, and derives from these alone
// that the rewrite is safe on every rank. It shares only ir with the passes. It computes its own storages, dependences
// and memory count, and the elements of every merged node. It compares the nodes of every rule with templates of its
// own.
//
// It proves the following, each with a rule id (see legalityRules):
// - nodes: every node is equal before and after, or is in exactly one entry; operands changed only as an entry
//   explains;
// - order: definitions before uses; ordering edges kept; conflicting accesses of each storage, and nodes of one domain,
//   in the same order;
// - async: no new access to a tensor in flight; no wait is lost;
// - issue: each group's collectives are in the same order, except for `moved` entries of a pass that may reorder them
//   (LegalityOptions); p2p and barriers keep their position among all groups that share two ranks with theirs (unknown
//   groups do); no node moves across a node of domain All;
// - merged: members are alike and independent, and every element of each replacement is the element of the member's own
//   result. The new nodes are evaluated symbolically, so any form of cat, view, slice, split and getitem is judged by
//   what it computes. Members that were not consecutive on their group need a `moved` entry with the group's new order;
// - removed: dead (no node reads it and its removal has no effect), twin (the same call of the same unchanged values)
//   or forwarded (a wait on a value that was not in flight);
// - rules: a named template of a pass builds what the checker's own template builds; a chain of exchanges is evaluated
//   as a term, so reduce_scatter followed by all_gather is recognized as all_reduce;
// - inlined: where the nodes of subgraphs replace the calls that ran them, the program is the same sequence of steps;
// - memory: peak bytes are within the budget, or not above what they were.
//
// Memory is counted by the rules of ccgraph/ir/lifetimes.h, with the checker's own code. A storage lives from the node
// that allocates it to the last node that names a value which may share it. A tensor that a collective reads, writes or
// returns lives until the last wait on any of its results; without a wait, until the end of the graph. Values of
// get_attr, caller-owned inputs, and returned values live until the end too. An unknown size counts as 0. The peak is
// the largest sum at any one node, its operands and results included.
//
// Ownership: reads only and keeps no reference. Failure: an error with one diagnostic a finding (place, got, expected,
// entry). It asserts that the graph is the one of the snapshot. An illegal rewrite may be rejected under more than one
// rule. Findings of the first checks suppress the later checks, which depend on them.
// Cost: O((n + e) log n) for n nodes and e edges, plus ranks x members for a flat bucket; about 1 us a node.
#pragma once

#include "ccgraph/ir/certificate.h"
#include "ccgraph/ir/object_meaning.h"
#include "ccgraph/ir/snapshot.h"

#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace ccgraph {

struct LegalityOptions {
  std::optional<int64_t> memoryBudget; ///< bytes; empty: memory is not checked
  /// every rank runs this graph. False: the order across groups must be kept too, and no collective may be removed
  bool spmd = true;
  /// each reduction keeps the order in which it adds floating-point numbers, so no reduction over more than two ranks
  /// may enter a bucket or become a chain of exchanges
  bool bitwise = false;
  /// the pass may reorder collectives: a trait of the pass, which its certificate cannot change. False: any change of
  /// an issue order is rejected, with or without a `moved` entry
  bool reordersCollectives = false;
  const ObjectMeanings *objects = nullptr; ///< the meanings of objects in the graph; null: none given
  size_t limit = 20;                       ///< findings kept
};

/// Returns success if `after` is a legal rewrite of `before` as the certificate describes it. `after` must be the graph
/// of which `before` was taken.
[[nodiscard]] llvm::Error checkLegality(const GraphSnapshot &before, const Graph &after, const Certificate &certificate,
                                        const LegalityOptions &options = {});

/// A rule of the checker. The rules are sorted by id; docs list them and tests iterate over them.
struct LegalityRule {
  llvm::StringRef id;     ///< e.g. "legality.wait-late"
  llvm::StringRef demand; ///< one sentence
};
[[nodiscard]] llvm::ArrayRef<LegalityRule> legalityRules();

/// A named rewrite that a certificate's rule entry may state, sorted by name.
struct LegalityTemplate {
  llvm::StringRef name;
  llvm::StringRef matched; ///< nodes before, in the order of the entry
  llvm::StringRef built;   ///< nodes after
  llvm::StringRef demand;
};
[[nodiscard]] llvm::ArrayRef<LegalityTemplate> legalityTemplates();
/// Returns the text of docs/legality.md.
[[nodiscard]] std::string legalityMarkdown();

} // namespace ccgraph

// The legality checker: did this pass only do what it may?
//
// It takes the graph before (a snapshot), the graph after, and the pass's certificate, and
// re-derives from these alone that the rewrite is safe on every rank. It shares nothing with the
// passes but ir: it has its own storages, its own dependences, its own memory count, works out what every
// merged node holds, and holds the nodes of every rule to templates of its own.
//
// What it proves, each with a rule id (see legalityRules):
// - nodes: every node is equal before and after, or stands in exactly one entry; operands changed
//   only as an entry explains;
// - order: definitions before uses; ordering edges kept; conflicting accesses of each storage, and
//   steps of one domain, in the same order;
// - async: nothing touches what is in flight that did not before; no wait is lost;
// - issue: each group's collectives in the same order, but for `moved` entries of a pass that
//   may reorder them (LegalityOptions); p2p and barriers keep their place among all groups that share two
//   ranks with theirs (unknown groups do); nothing crosses domain All;
// - merged: members alike and independent, and every element of each replacement is the element of
//   the member's own result. The new nodes are evaluated symbolically, so any spelling of cat,
//   view, slice, split and getitem is judged by what it computes. Members that were not consecutive
//   on their group need a `moved` entry with the group's new order;
// - removed: dead (nobody reads it and nothing sees it go), twin (the same call of the same
//   unchanged values) or forwarded (a wait on what was not in flight);
// - rules: what a named template built is what the checker's own one builds; a chain of exchanges is
//   evaluated as a term, so that reduce_scatter and all_gather are seen to be all_reduce;
// - memory: peak bytes within the budget, or not above what they were.
//
// Memory is counted by the rules of ccgraph/ir/lifetimes.h, with code of the checker's own: a storage lives from
// the step that allocates it to the last step that names a value which may share it; what a collective
// reads, writes and yields lives on to the last wait on any of its results, and what is in flight without a
// wait to the end; so do get_attr values, inputs that the caller holds, and what the output returns; a size that
// is not known counts 0. The peak is the largest sum at any one step, its operands and results included.
//
// Ownership: reads only; keeps nothing. Failure: an error with one diagnostic a finding (place,
// got, expected, entry); that the graph is not the snapshot's own asserts. An illegal rewrite may
// be refused under more than one rule, but what the first checks find hides the later ones, which
// rely on them.
// Cost: O((n + e) log n) for n nodes and e edges, plus ranks x members for a flat bucket; about 1
// us a node.
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
  /// every rank runs this program. False: the order across groups must stay too, and no collective
  /// may go
  bool spmd = true;
  /// each reduction keeps the order in which it adds floating-point numbers, so none of more than two ranks goes into a
  /// bucket, or becomes a chain of exchanges
  bool bitwise = false;
  /// the pass is one that may reorder collectives: a trait of it, which its certificate has no say in. False: any change
  /// of an issue order is refused, `moved` entry or not
  bool reordersCollectives = false;
  const ObjectMeanings *objects = nullptr; ///< what objects of the program stand for; null: nobody says
  size_t limit = 20;                       ///< findings kept
};

/// Success if `after`, which must be the graph that `before` was taken of, is a legal rewrite as
/// the certificate describes it.
[[nodiscard]] llvm::Error checkLegality(const GraphSnapshot &before, const Graph &after, const Certificate &certificate,
                                        const LegalityOptions &options = {});

/// The rules, sorted by id: what docs list and tests walk through.
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
/// docs/legality.md, whole.
[[nodiscard]] std::string legalityMarkdown();

} // namespace ccgraph

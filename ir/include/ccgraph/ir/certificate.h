// Certificate: what a pass says that it did, for the legality checker to hold it to.
//
// Every node of the graph before and after either is the same in both or stands in exactly one
// entry. The checker (legality/) re-derives from the two graphs that each entry is legal; it
// trusts nothing that stands here beyond where to look.
//
//   moved    new issue order of the collectives of one group, where it differs; only by a pass that
//            may reorder collectives (Pass::Traits)
//   merged   several collectives became one: members in bucket order, layout, offset and length of each
//   removed  nodes gone for good: dead, or the twin of another, or a wait that forwarded a value
//   added    nodes that are new, with their role
//   rule     a named template of the checker, and the nodes that it matched
//
// Moving a node within data, storage and domain dependences needs no entry.
//
// Ownership: plain values; nodes belong to the graph (erased ones stay readable), so a certificate
// may not outlive it. Failure: none here; an entry that does not fit its node, or a node in two
// entries, is a finding of rule legality.entry. Cost: proportional to what changed; a pass that
// moves nothing but waits writes an empty one.
#pragma once

#include "ccgraph/ir/graph.h"

#include <string>
#include <vector>

namespace ccgraph {

/// `grouped`: one coalesced operator on a list. `flat`: one buffer (cat, one collective, views back).
enum class BucketLayout : uint8_t { Grouped, Flat };
[[nodiscard]] llvm::StringRef layoutName(BucketLayout layout);

/// The collectives of one group are issued in another order now. Every collective of the group is listed, moved or not.
struct MovedEntry {
  /// text of the group's identity (group_id.h)
  std::string group;
  /// launches of that group in their new order
  std::vector<Node *> issue;
};

/// One collective that went into a bucket.
struct BucketMember {
  /// before; erased after
  Node *launch = nullptr;
  /// before: the waits on it; erased after
  std::vector<Node *> waits;
  /// after: the value that took the place of the waited result
  Node *replacement = nullptr;
  /// elements, of its share in the flat buffer of one rank (input side for reduce kinds and
  /// all_gather); index in the list for grouped
  int64_t offset = 0;
  /// elements of that share; 1 for grouped
  int64_t length = 0;
};

/// Several collectives became one. Members are listed in bucket order.
struct MergedEntry {
  BucketLayout layout = BucketLayout::Grouped;
  /// after: the one collective
  Node *launch = nullptr;
  /// after: its wait (flat) or one a member, in member order (grouped)
  std::vector<Node *> waits;
  std::vector<BucketMember> members;
  /// after: every other new node (cat, view, getitem, slice, ...)
  std::vector<Node *> scaffold;
};

/// Why a node could go.
///   Dead       nobody reads it, and nothing outside the graph sees it go (on every rank alike)
///   Twin       another node computes the same of the same unchanged values
///   Forwarded  it passed a value through: a wait on what was not in flight
enum class RemovedReason : uint8_t { Dead, Twin, Forwarded };

/// One node that is gone, and what stands for it.
struct RemovedEntry {
  RemovedReason reason = RemovedReason::Dead;
  Node *node = nullptr;
  /// Twin: the node that stands for it now; Forwarded: the value that its users read now
  Node *twin = nullptr;
};

/// A new node that no merge explains.
struct AddedEntry {
  Node *node = nullptr;
  std::string role;
};

/// A rewrite by a template that the checker has too; it rebuilds `built` from `matched` by itself.
struct RuleEntry {
  /// template of the checker, e.g. "inline-control-deps"
  std::string name;
  /// nodes before, in the template's order
  std::vector<Node *> matched;
  /// nodes after, in the template's order
  std::vector<Node *> built;
};

/// All that one run of one pass says. Entries of one kind are numbered as they stand here: messages
/// say "merged entry 2".
struct Certificate {
  std::string pass;
  std::vector<MovedEntry> moved;
  std::vector<MergedEntry> merged;
  std::vector<RemovedEntry> removed;
  std::vector<AddedEntry> added;
  std::vector<RuleEntry> rules;
};

} // namespace ccgraph

// Certificate: a pass's claim of what it changed, which the legality checker verifies.
//
// Every node of the graph before and after either is the same in both or is in exactly one entry. The checker
// (legality/) derives from the two graphs that each entry is legal; the entries only show it where to look.
//
//   moved    new issue order of the collectives of one group, where it differs; only by a pass that may reorder
//            collectives (Pass::Traits)
//   merged   several collectives became one: members in bucket order, layout, offset and length of each
//   removed  nodes that no longer exist: dead, or the twin of another, or a wait that forwarded a value
//   added    new nodes, with their role
//   rule     a named template of the checker, and the nodes that it matched
//
// Moving a node within data, storage and domain dependences needs no entry.
//
// Ownership: plain values; nodes belong to the graph (erased ones stay readable), so a certificate must not outlive it.
// Failure: none here; an entry that does not fit its node, or a node in two entries, is a finding of rule
// legality.entry. Cost: proportional to the changes; a pass that only moves waits writes an empty certificate.
#pragma once

#include "ccgraph/ir/graph.h"

#include <string>
#include <vector>

namespace ccgraph {

/// `grouped`: one coalesced operator on a list. `flat`: one buffer (cat, one collective, views back).
enum class BucketLayout : uint8_t { Grouped, Flat };
[[nodiscard]] llvm::StringRef layoutName(BucketLayout layout);

/// The collectives of one group are now issued in another order. Every collective of the group is listed, moved or not.
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
  /// after: the value that replaces the waited result
  Node *replacement = nullptr;
  /// offset of its share in the flat buffer of one rank, in elements (input side for reduce kinds and all_gather);
  /// index in the list for grouped
  int64_t offset = 0;
  /// length of that share in elements; 1 for grouped
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

/// Why a node could be removed.
///   Dead       no node reads it, and its removal has no effect outside the graph (on every rank alike)
///   Twin       another node computes the same from the same unchanged values
///   Forwarded  it passed a value through: a wait on a value that was not in flight
enum class RemovedReason : uint8_t { Dead, Twin, Forwarded };

/// One removed node, and its replacement.
struct RemovedEntry {
  RemovedReason reason = RemovedReason::Dead;
  Node *node = nullptr;
  /// Twin: the node that replaces it; Forwarded: the value that its users read now
  Node *twin = nullptr;
};

/// A new node that no merge explains.
struct AddedEntry {
  Node *node = nullptr;
  std::string role;
};

/// A rewrite by a template that the checker has too; the checker rebuilds `built` from `matched` independently.
struct RuleEntry {
  /// template of the checker, e.g. "inline-control-deps"
  std::string name;
  /// nodes before, in the template's order
  std::vector<Node *> matched;
  /// nodes after, in the template's order
  std::vector<Node *> built;
};

/// The complete claim of one run of one pass. Entries of one kind are numbered in this order: messages contain "merged
/// entry 2".
struct Certificate {
  std::string pass;
  std::vector<MovedEntry> moved;
  std::vector<MergedEntry> merged;
  std::vector<RemovedEntry> removed;
  std::vector<AddedEntry> added;
  std::vector<RuleEntry> rules;
};

} // namespace ccgraph

// CommTable: the communicators that a job needs; every rank computes the same table from all ranks' plans.
//
// A communicator serves the collectives that one stream issues for one list of ranks, or one channel of
// transfers. Each stream and channel has its own, because the calls on one communicator run in the order of issue,
// whatever their streams. Two streams on one communicator would wait for each other, and a send and a receive that two
// ranks issue in opposite order would deadlock. Transfers have no tags there: on a communicator of its own, a channel
// matches by order alone.
//
// Communicators are made by splitting the job's communicator, which all ranks do in the same order, round by round. One
// split makes all communicators of a round, which have no rank in common. The list is sorted by members, so it is the
// same on all ranks. A communicator of all ranks in order is the job's communicator itself.
//
// A communicator is *registered* where every row that any of its ranks sends or receives on it lies in the rank's arena
// of communication, because a collective requires registered memory from all of its ranks or from none.
//
// Ownership: plain values. Failure: none; the agreement of the plans is checked before. Cost: O(calls of all ranks,
// times log of communicators).
#pragma once

#include "ccgraph/ir/plan.h"

#include "llvm/ADT/ArrayRef.h"

#include <map>
#include <vector>

namespace ccgraph::runtime {

struct CommKey {
  /// global ranks, in the communicator's order; of a channel its sender and its receiver
  std::vector<int64_t> members;
  /// collectives: which of the streams that communicate for these members, in the order in which a plan first uses
  /// them; channels: -1
  int64_t stream = 0;
  /// of a channel
  int64_t tag = 0;
  friend auto operator<=>(const CommKey &, const CommKey &) = default; // NOLINT(modernize-use-nullptr): no pointer
};

class CommTable {
public:
  /// `plans`: one for all ranks, or one for each. Members of all groups are known.
  CommTable(llvm::ArrayRef<const Plan *> plans, size_t ranks);

  struct Entry {
    CommKey key;
    bool registered = true;
  };
  [[nodiscard]] llvm::ArrayRef<Entry> entries() const { return entries_; }
  /// Returns the communicators that each split makes.
  [[nodiscard]] llvm::ArrayRef<std::vector<size_t>> rounds() const { return rounds_; }
  /// The one that needs no split.
  [[nodiscard]] std::optional<size_t> whole() const { return whole_; }
  /// The communicator of each call of the rank's plan, in the order of the list.
  [[nodiscard]] std::vector<size_t> commsOf(const Plan &plan, int64_t rank) const;

private:
  std::vector<Entry> entries_;
  std::map<CommKey, size_t> byKey_;
  std::vector<std::vector<size_t>> rounds_;
  std::optional<size_t> whole_;
};

} // namespace ccgraph::runtime

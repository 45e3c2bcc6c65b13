// Lanes: what each rank does when, on one clock, and when each rank arrives at and leaves each collective.
//
// A lane is a list of items without gaps: each item begins where the item before it ends.
//
// Ownership: plain values. Failure: none. Cost: linear in the matched events.
#pragma once

#include "ccgraph/measured/match.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ccgraph::measured {

/// The identity of an item within a step, equal on all ranks and in all steps.
struct ItemKey {
  enum class Kind : uint8_t { Compute, Launch, Wait, Pause, Between } kind = Kind::Pause;
  NodeIndex node = 0;
  uint32_t number = 0; ///< counts the items of one kind and node
  friend auto operator<=>(const ItemKey &, const ItemKey &) = default;
};

struct Item {
  ItemKey key;
  size_t entry = 0; ///< of Compute: index in Step::lane
  int64_t begin = 0;
  int64_t end = 0;
  int64_t unmatched = 0;     ///< of a pause: the part in events that are no node
  std::string unmatchedName; ///< the longest of these events
  [[nodiscard]] int64_t duration() const { return end - begin; }
};

struct RankLane {
  int64_t rank = 0;
  int64_t clockOffset = 0;
  std::vector<std::vector<Item>> steps;
  std::vector<std::map<ItemKey, size_t>> places;        ///< by step: index of each item
  std::vector<std::map<NodeIndex, Transfer>> transfers; ///< by step, on the common clock
};

/// A collective of one step, as its members saw it.
struct JointTransfer {
  NodeIndex node = 0;
  size_t step = 0;
  std::vector<size_t> members;   ///< indices of ranks
  std::vector<int64_t> arrivals; ///< by member
  int64_t end = 0;
  size_t last = 0; ///< index in `members` of the rank that arrives last
  [[nodiscard]] int64_t lastArrival() const { return arrivals[last]; }
  [[nodiscard]] int64_t firstArrival() const { return *std::min_element(arrivals.begin(), arrivals.end()); }
};

struct JobLanes {
  std::vector<RankLane> ranks;
  size_t steps = 0;                 ///< that all ranks have
  std::vector<JointTransfer> joint; ///< by step, then by the last arrival
  bool aligned = true;              ///< false: some ranks have no collective in common
  /// Returns the collective of a step in which a rank takes part; null if it was not recorded on all its members.
  [[nodiscard]] const JointTransfer *find(size_t step, NodeIndex node, size_t rank) const;
  /// Returns an item of a step of a rank; null if the rank has none.
  [[nodiscard]] const Item *item(size_t rank, size_t step, const ItemKey &key) const;

  std::map<std::tuple<size_t, NodeIndex, size_t>, size_t> byMember; ///< step, node, rank -> index in `joint`
};

[[nodiscard]] JobLanes lanesOf(const MatchedJob &job);

/// Returns the middle value, and the mean of both of an even number; 0 of none.
[[nodiscard]] int64_t medianOf(std::vector<int64_t> values);

} // namespace ccgraph::measured

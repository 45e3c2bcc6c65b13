// Finds why a rank arrives last at a collective; explain.h describes how.
//
// Ownership: refers to the lanes and the calls. Failure: none; a lateness without a larger item has Cause::Kind::None.
// Cost: linear in the items back to where the lateness began.
#pragma once

#include "ccgraph/measured/explain.h"
#include "lanes.h"

namespace ccgraph::measured {

class CauseFinder {
public:
  CauseFinder(const MatchedJob &job, const JobLanes &lanes);
  /// Returns the cause of the last arrival at a collective of at least two ranks.
  [[nodiscard]] Cause causeOf(const JointTransfer &joint) const { return causeOf(joint, 0); }

private:
  /// The items of one rank in all steps, one after another.
  struct Flat {
    std::vector<const Item *> items;
    std::vector<size_t> steps; ///< by item
    std::map<std::pair<size_t, ItemKey>, size_t> places;
  };
  /// What the late rank spends beyond the others, by kind of cause, in nanoseconds.
  struct Excess;

  [[nodiscard]] Cause causeOf(const JointTransfer &joint, unsigned depth) const;
  [[nodiscard]] std::optional<int64_t> launchTime(const JointTransfer &joint, size_t rank) const;
  [[nodiscard]] int64_t medianOfOthers(const JointTransfer &joint,
                                       llvm::function_ref<std::optional<int64_t>(size_t)> valueOf) const;
  [[nodiscard]] bool isLate(const JointTransfer &joint, const Flat &flat, size_t place) const;
  void addItem(const JointTransfer &joint, const Flat &flat, size_t place, Excess &excess) const;
  [[nodiscard]] Cause largest(const JointTransfer &joint, const Excess &excess, unsigned depth) const;
  [[nodiscard]] std::string nameOf(const ItemKey &key) const;

  const MatchedJob &job_;
  const JobLanes &lanes_;
  std::vector<Flat> flat_; ///< by rank
};

} // namespace ccgraph::measured

// StepSet: a set of visited computing steps, and their total time.
//
// It stores bits for the last thousand steps or so, and a sum for older ones. The overlap of two sets among older steps
// is unknown: a union takes the larger sum, an intersection nothing, so both give the exact time or less.
//
// Ownership: a set is a plain value, valid only with its VisitedSteps. Failure: none. Cost: O(1) each, for 16 words.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace ccgraph::overlap {

class StepSet {
public:
  static constexpr uint32_t bitsOfWord = 64;
  static constexpr uint32_t numWords = 16;
  /// Returns the picoseconds of all steps.
  [[nodiscard]] int64_t picoseconds() const { return picoseconds_; }

private:
  friend class VisitedSteps;
  /// word w of all words is at index w % numWords
  std::array<uint64_t, numWords> words_ = {};
  /// the newest word of which it may contain a bit
  uint32_t top_ = 0;
  /// of steps before the window, and of all steps
  int64_t older_ = 0, picoseconds_ = 0;
};

/// The time of each computing step, in the order in which they are visited.
class VisitedSteps {
public:
  /// Adds the next step and returns its number.
  uint32_t add(int64_t picoseconds);
  void insert(StepSet &set, uint32_t step) const;
  void unite(StepSet &set, const StepSet &with) const;
  /// Returns the steps of `set` that are not in `without`, within the window.
  [[nodiscard]] StepSet difference(const StepSet &set, const StepSet &without) const;
  /// Returns the picoseconds of steps in both sets, within the window.
  [[nodiscard]] int64_t shared(const StepSet &a, const StepSet &b) const;

private:
  [[nodiscard]] uint32_t top() const { return static_cast<uint32_t>(times_.size()) / StepSet::bitsOfWord; }
  [[nodiscard]] static uint32_t first(uint32_t top) {
    return top < StepSet::numWords ? 0 : top - StepSet::numWords + 1;
  }
  [[nodiscard]] int64_t weigh(uint32_t word, uint64_t bits) const;
  void advance(StepSet &set) const;

  std::vector<int64_t> times_;
};

} // namespace ccgraph::overlap

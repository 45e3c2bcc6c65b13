// StepSet: which of the computing steps that were visited belong to something, and how long they take together.
//
// Bits for the last thousand or so, and a sum for what is older. What two sets share among the older ones is not known:
// the union takes the larger sum, an intersection nothing, so both weigh the truth or less.
//
// Ownership: a set is a plain value and means what its VisitedSteps says. Fails never. Cost: O(1) each, of 16 words.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace ccgraph::overlap {

class StepSet {
public:
  static constexpr uint32_t bitsOfWord = 64;
  static constexpr uint32_t numWords = 16;
  /// Picoseconds of all.
  [[nodiscard]] int64_t picoseconds() const { return picoseconds_; }

private:
  friend class VisitedSteps;
  /// word w of all stands in w % numWords
  std::array<uint64_t, numWords> words_ = {};
  /// the newest word that it may hold a bit of
  uint32_t top_ = 0;
  /// of what left the window, and of all
  int64_t older_ = 0, picoseconds_ = 0;
};

/// How long each computing step takes, in the order in which they are visited.
class VisitedSteps {
public:
  /// The next step, as a number.
  uint32_t add(int64_t picoseconds);
  void insert(StepSet &set, uint32_t step) const;
  void unite(StepSet &set, const StepSet &with) const;
  /// What `set` has and `without` has not, of those in the window.
  [[nodiscard]] StepSet difference(const StepSet &set, const StepSet &without) const;
  /// Picoseconds of what both have, of those in the window.
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

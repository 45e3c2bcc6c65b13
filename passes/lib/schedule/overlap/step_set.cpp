#include "schedule/overlap/step_set.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace ccgraph::overlap {

uint32_t VisitedSteps::add(int64_t picoseconds) {
  times_.push_back(picoseconds);
  return static_cast<uint32_t>(times_.size() - 1);
}

int64_t VisitedSteps::weigh(uint32_t word, uint64_t bits) const {
  int64_t sum = 0;
  for (; bits; bits &= bits - 1)
    sum += times_[word * StepSet::bitsOfWord + llvm::countTrailingZeros(bits)];
  return sum;
}

// Adds the words that leave the window to the sum, and frees their slots for new words.
void VisitedSteps::advance(StepSet &set) const {
  uint32_t last = top();
  for (uint32_t word = first(set.top_); word <= set.top_ && word < first(last); ++word) {
    uint64_t &bits = set.words_[word % StepSet::numWords];
    set.older_ += weigh(word, bits);
    bits = 0;
  }
  set.top_ = last;
}

void VisitedSteps::insert(StepSet &set, uint32_t step) const {
  advance(set);
  set.words_[step / StepSet::bitsOfWord % StepSet::numWords] |= uint64_t{1} << (step % StepSet::bitsOfWord);
  set.picoseconds_ += times_[step];
}

// Only new steps are summed, because sets that are united have nearly all steps in common.
void VisitedSteps::unite(StepSet &set, const StepSet &with) const {
  StepSet other = with;
  advance(set);
  advance(other);
  for (uint32_t word = first(set.top_); word <= set.top_; ++word) {
    uint64_t &bits = set.words_[word % StepSet::numWords];
    uint64_t added = other.words_[word % StepSet::numWords] & ~bits;
    set.picoseconds_ += weigh(word, added);
    bits |= added;
  }
  set.picoseconds_ += std::max<int64_t>(0, other.older_ - set.older_);
  set.older_ = std::max(set.older_, other.older_);
}

StepSet VisitedSteps::difference(const StepSet &set, const StepSet &without) const {
  StepSet result = set, other = without;
  advance(result);
  advance(other);
  result.older_ = result.picoseconds_ = 0;
  for (uint32_t word = first(result.top_); word <= result.top_; ++word) {
    uint64_t &bits = result.words_[word % StepSet::numWords];
    bits &= ~other.words_[word % StepSet::numWords];
    result.picoseconds_ += weigh(word, bits);
  }
  return result;
}

int64_t VisitedSteps::shared(const StepSet &a, const StepSet &b) const {
  int64_t sum = 0;
  for (uint32_t word = std::max(first(a.top_), first(b.top_)); word <= std::min(a.top_, b.top_); ++word)
    sum += weigh(word, a.words_[word % StepSet::numWords] & b.words_[word % StepSet::numWords]);
  return sum;
}

} // namespace ccgraph::overlap

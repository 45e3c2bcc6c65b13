// ExactValues: the value of an element in exact arithmetic, modulo a prime, as a function of leaves.
//
// Two expressions that give equal values on pseudo-random leaves are equal functions of the leaves, unless a difference
// vanishes by accident: two different polynomials of degree d agree at a random point modulo p with a probability of at
// most d / p (J. Schwartz, 1980; R. Zippel, 1979), here p = 2^32 - 5. Casts are the identity, and an operation without
// a law is a pseudo-random function of its operands.
//
// Ownership: borrows the table. Failure: an empty result for an operation whose elements have no rule, and where an
// expression is too large. Cost: one visit for each element of a term that the element depends on.
#pragma once

#include "terms.h"

#include <functional>

namespace ccgraph::numerics {

class ExactValues {
public:
  ExactValues(const TermTable &table, std::function<bool(TermId)> isLeaf, uint64_t seed)
      : table_(table), isLeaf_(std::move(isLeaf)), seed_(seed) {}
  [[nodiscard]] std::optional<uint64_t> valueOf(TermId term, int64_t index);

private:
  struct HashElement {
    size_t operator()(const std::pair<TermId, int64_t> &element) const {
      return static_cast<size_t>(element.first) * 0x9e3779b97f4a7c15U + static_cast<size_t>(element.second);
    }
  };
  [[nodiscard]] std::optional<uint64_t> computed(TermId term, int64_t index);
  [[nodiscard]] std::optional<uint64_t> ofElements(const Operation &operation, llvm::ArrayRef<uint64_t> operands) const;
  [[nodiscard]] std::optional<uint64_t> ofCall(const Term &term, const Operation &operation, int64_t index);
  [[nodiscard]] std::optional<uint64_t> sumOfDims(const Operation &operation, const RunList &elements, int64_t index);
  [[nodiscard]] std::optional<uint64_t> product(const Term &term, const Operation &operation, int64_t index);
  [[nodiscard]] std::optional<uint64_t> at(const RunList &elements, int64_t index);

  const TermTable &table_;
  std::function<bool(TermId)> isLeaf_;
  uint64_t seed_;
  std::unordered_map<std::pair<TermId, int64_t>, std::optional<uint64_t>, HashElement> known_;
  size_t depth_ = 0;
};

} // namespace ccgraph::numerics

// Quantity: a whole number that depends on one symbol, such as s0//2 or 4*s0 + 1, known for every value of the symbol.
//
// A size of a graph with a dynamic batch is no number, so a proof about it must hold for every value of the symbol. The
// expressions here are sums, products with numbers, and quotients by numbers that are rounded down. Each of them is
//
//   q(s) = slope * s / period + r(s mod period),  so  q(s + period) - q(s) = slope  for every s
//
// s0//2 has the period 2 and the slope 1: 0, 1, 1, 2, 2, 3, ... So the values for one period and the slope determine
// all of them, and a comparison of all values is a comparison of these:
//
//   a(s) = b(s) for every s     if the slopes for one common period are equal, and all values of one period
//   a(s) <= b(s) for every s    if a's slope is at most b's, and each value of one period is at most b's
//
// The second one is also necessary: with a larger slope, a becomes larger than b for large s. torch.compile makes
// graphs of their own for the sizes 0 and 1, so a symbol s0, s1, ... is at least 2, and the values begin there.
//
// A product of symbols counts as one symbol if all sizes depend on the product alone: 3*s0*s1 and (s0*s1)//2 do. Such a
// product is at least 4, and what holds for every value from 2 on holds for its values. A size that depends on s0 alone
// is no quantity then.
//
// Ownership: plain values. Failure: an empty result for an expression of another form, for another symbol, a division
// that is not exact, an overflow, or a period above `longestPeriod`. Cost: the period.
#pragma once

#include "ccgraph/ir/internal/symbolic_text.h"
#include "ccgraph/ir/symbol.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ccgraph::legality {

class Quantity {
public:
  static constexpr int64_t longestPeriod = 4096;

  /// Returns a number, which depends on no symbol.
  explicit Quantity(int64_t number) : values_{number} {}
  /// Returns the quantity that a size is. `symbol`: the text of the only symbol, or product of symbols, that may occur;
  /// set by the first call whose size has one.
  [[nodiscard]] static std::optional<Quantity> of(const Dim &size, std::string &symbol);

  [[nodiscard]] std::optional<Quantity> plus(const Quantity &other) const { return combined(other, 1); }
  [[nodiscard]] std::optional<Quantity> minus(const Quantity &other) const { return combined(other, -1); }
  /// Empty if both depend on the symbol.
  [[nodiscard]] std::optional<Quantity> times(const Quantity &other) const;
  /// Returns the quotient by a number above 0, rounded down.
  [[nodiscard]] std::optional<Quantity> floorOver(int64_t divisor) const;
  /// Returns the same for a divisor that is a quantity; empty if it is no number.
  [[nodiscard]] std::optional<Quantity> quotient(const Quantity &divisor) const;
  /// Returns the quotient by a number above 0, if every value is a multiple of it.
  [[nodiscard]] std::optional<Quantity> over(int64_t divisor) const;

  /// Returns the number, if the quantity is the same for every value of the symbol.
  [[nodiscard]] std::optional<int64_t> number() const;
  /// Returns the larger one, if it is the same one for every value of the symbol.
  [[nodiscard]] static std::optional<Quantity> larger(const Quantity &a, const Quantity &b);
  [[nodiscard]] static std::optional<Quantity> smaller(const Quantity &a, const Quantity &b);
  /// Returns true if both are equal for every value of the symbol.
  [[nodiscard]] bool equals(const Quantity &other) const;
  /// Returns true if this one is at most the other one for every value of the symbol.
  [[nodiscard]] bool isAtMost(const Quantity &other) const;
  /// Returns true if a larger value of the symbol always gives a larger quantity, so the quantity determines it.
  [[nodiscard]] bool isIncreasing() const;
  /// Returns the quantity for a value of the symbol; empty on overflow.
  [[nodiscard]] std::optional<int64_t> at(int64_t symbol) const;

private:
  friend struct QuantityAlgebra;
  Quantity(llvm::ArrayRef<int64_t> values, int64_t slope) : values_(values.begin(), values.end()), slope_(slope) {}
  [[nodiscard]] static Quantity symbol() { return {{leastSizeSymbol}, 1}; }
  [[nodiscard]] int64_t period() const { return static_cast<int64_t>(values_.size()); }
  /// Returns the same quantity with the values of a multiple of its period.
  [[nodiscard]] std::optional<Quantity> withPeriod(int64_t period) const;
  /// Returns this one plus `factor` times the other one.
  [[nodiscard]] std::optional<Quantity> combined(const Quantity &other, int64_t factor) const;
  [[nodiscard]] std::optional<Quantity> scaled(int64_t factor) const;

  llvm::SmallVector<int64_t, 2> values_; ///< for the symbol's values 2, 3, ..., as many as the period
  int64_t slope_ = 0;                    ///< growth over one period
};

} // namespace ccgraph::legality

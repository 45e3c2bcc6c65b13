// Sums of products of symbolic integers, with whole factors: the arithmetic of symbol.h.
//
// A text is the identity of a size (symbol.h), so equal results must have equal texts, and these must be the texts that
// PyTorch prints. Its sizes are expressions of sympy, which adds equal terms, multiplies a sum by a number, and leaves
// a product of sums as it is:
//   2 * (s0 + u0)           2*s0 + 2*u0
//   s0 + (-1)*(s1 // 2)     s0 - ((s1//2))
//   s0 * (s1 + 1)           s0*(s1 + 1)
//   (4*s0 + s1) // 4        s0 + ((s1//4))
// A factor that is no symbol (a quotient, a call such as Max(s0, 1), a sum in a product) is one atom with its text.
// Source of the order and of the brackets: sympy's printer (Add.as_ordered_terms with order "lex") and the classes of
// torch/utils/_sympy/functions.py. tests/unit/ir/symbol_test.cpp has the texts of PyTorch 2.15.
//
// Ownership: plain values. Failure: an empty result on an overflow, and for a text with comparisons or real numbers.
// Cost: linear in the text times the logarithm of its terms.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ccgraph {

class SymbolicSum {
public:
  /// What is known without the values of symbols. Symbols s0, s1, ... are sizes that are above 0 (torch.compile makes a
  /// graph of its own for the sizes 0 and 1); nothing is known of others.
  enum class Sign : uint8_t { Unknown, NotNegative, Positive };
  /// A factor of a product. Products name symbols first, then sums, then quotients and calls, each by their text.
  struct Atom {
    enum class Kind : uint8_t { Symbol, Sum, Call, Quotient };
    Kind kind = Kind::Symbol;
    /// without brackets around it if it is a sum, with them if it is a quotient: "s0", "s0 + 1", "Max(s0, 1)",
    /// "(s0//2)"
    std::string text;
    Sign sign = Sign::Unknown;
    /// of a sum: what products are ordered by, the number of its terms and the terms without their factors
    std::string order;
    [[nodiscard]] bool operator<(const Atom &other) const;
    [[nodiscard]] bool operator==(const Atom &) const = default;
  };
  /// Atoms with their powers, which are above 0; the empty product is 1.
  using Product = std::map<Atom, int64_t>;

  SymbolicSum() = default;
  explicit SymbolicSum(int64_t number);
  explicit SymbolicSum(Atom atom);
  [[nodiscard]] static std::optional<SymbolicSum> parse(llvm::StringRef text);

  [[nodiscard]] std::optional<SymbolicSum> plus(const SymbolicSum &other, int64_t factor = 1) const;
  [[nodiscard]] std::optional<SymbolicSum> times(const SymbolicSum &other) const;
  /// Exactly: 4*s0*s1 + 2*s0 over 2*s0 is 2*s1 + 1. Empty for a divisor of several terms, or one that is not in each
  /// term.
  [[nodiscard]] std::optional<SymbolicSum> over(const SymbolicSum &divisor) const;
  /// The quotient that is rounded down, as // of Python. Empty for a division by the number 0.
  [[nodiscard]] std::optional<SymbolicSum> floorOver(const SymbolicSum &divisor) const;
  /// The remainder that has the sign of the divisor, as % of Python. Empty for a division by the number 0.
  [[nodiscard]] std::optional<SymbolicSum> modulo(const SymbolicSum &divisor) const;
  /// Returns the larger one of 1 and the sum, for a stride: PyTorch counts an empty dimension as 1 there.
  [[nodiscard]] SymbolicSum atLeastOne() const;
  [[nodiscard]] Sign sign() const;
  /// Returns the value of a sum without symbols.
  [[nodiscard]] std::optional<int64_t> number() const;
  [[nodiscard]] std::string text() const;

private:
  struct ByPowers {
    bool operator()(const Product &a, const Product &b) const;
  };
  bool add(const Product &product, int64_t factor);
  /// Returns a sum of several terms as one factor of a product.
  [[nodiscard]] Atom asFactor() const;
  [[nodiscard]] bool isNumberMinusTerm() const;
  /// Returns the atom if the sum is nothing else; otherwise null.
  [[nodiscard]] const Atom *loneAtom() const;
  [[nodiscard]] int64_t commonFactor() const;

  std::map<Product, int64_t, ByPowers> terms_; ///< no factor is 0
};

} // namespace ccgraph

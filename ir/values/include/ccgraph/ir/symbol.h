// Symbolic integers: sizes that are known only at run time.
//
// PyTorch names them s0, s1, ... (backed: they have a hint) and u0, u1, ... (unbacked: they come from data). An
// expression is kept exactly as it was printed ("u0 + u1", "7*s0", "Eq(u0, 4)"): the text is its identity. Arithmetic
// writes the text that PyTorch prints, where it can (lib/symbolic_sum.h). Two expressions that are equal as numbers may
// still be different here, and code that compares sizes must treat "different" as "not known to be equal".
//
// Ownership: expressions belong to their Context; a Dim is a plain value. Failure: an empty result only: an unknown
// symbol, a text that is no expression, a division by zero or an overflow (integers never wrap) have no value. Cost:
// evaluation is linear in the text.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>

namespace ccgraph {

class Context;

/// One uniqued expression; created by Context::symbolic.
class SymExpr {
public:
  [[nodiscard]] llvm::StringRef text() const { return text_; }
  /// Returns true if a symbol u<number> occurs: no decision may read such a value's hint, since it may differ between
  /// ranks.
  [[nodiscard]] bool isUnbacked() const { return unbacked_; }

private:
  friend class Context;
  explicit SymExpr(llvm::StringRef text);
  llvm::StringRef text_;
  bool unbacked_ = false;
};

/// Returns the value of a symbol, empty if unknown.
using SymbolLookup = llvm::function_ref<std::optional<int64_t>(llvm::StringRef symbol)>;

/// Evaluates integers, symbols, + - * // % **, comparisons, and the functions that sympy prints: Eq, Ne, Lt, Le, Gt,
/// Ge, Max, Min, Mod, FloorDiv, PythonMod, CleanDiv, CeilDiv. Comparisons give 0 or 1. Empty for any other text, an
/// unknown symbol, or an overflow.
[[nodiscard]] std::optional<int64_t> evaluateSymbolic(llvm::StringRef text, SymbolLookup lookup);

/// One tensor size or stride: an integer or an expression. Two words; compared exactly.
class Dim {
public:
  Dim() = default;
  template <std::integral T>
  Dim(T value) : value_(static_cast<int64_t>(value)) {} // NOLINT(google-explicit-constructor): a size is a number
  explicit Dim(const SymExpr *expr) : expr_(expr) {}

  [[nodiscard]] bool isStatic() const { return expr_ == nullptr; }
  /// Returns the number of a static size; 0 for a symbolic one.
  [[nodiscard]] int64_t value() const { return value_; }
  /// Returns the expression of a symbolic size; null for a static one.
  [[nodiscard]] const SymExpr *expr() const { return expr_; }
  [[nodiscard]] std::string str() const;
  /// Returns the value under `lookup`; a static size needs none.
  [[nodiscard]] std::optional<int64_t> evaluate(SymbolLookup lookup) const;
  friend bool operator==(const Dim &, const Dim &) = default;

private:
  int64_t value_ = 0;
  const SymExpr *expr_ = nullptr;
};

/// Return a * b, a + b and a - b in sympy's form: numbers are folded, equal terms are added, and a sum times a number
/// is multiplied out ("4*u0", "2*u0 + 2*u1", "s0*(s1 + 1)"). Texts that are no integer arithmetic are joined in
/// brackets.
[[nodiscard]] Dim multiply(Context &context, const Dim &a, const Dim &b);
[[nodiscard]] Dim add(Context &context, const Dim &a, const Dim &b);
[[nodiscard]] Dim subtract(Context &context, const Dim &a, const Dim &b);
/// Return a // b and a % b as Python defines them, in sympy's form: (4*s0 + s1)//4 is "s0 + ((s1//4))". Empty for the
/// divisor 0, and for texts that are no integer arithmetic.
[[nodiscard]] std::optional<Dim> floorDivide(Context &context, const Dim &a, const Dim &b);
[[nodiscard]] std::optional<Dim> modulo(Context &context, const Dim &a, const Dim &b);
/// Returns the product of the sizes, 1 for none.
[[nodiscard]] Dim productOf(Context &context, llvm::ArrayRef<Dim> sizes);
/// Returns a / b if b divides the number, or every term of a sum: 4*s0 + 2 divided by 2, 6*s0*s1 by 3*s1. Empty
/// otherwise, even if some values of the symbols make the quotient whole.
[[nodiscard]] std::optional<Dim> divideExactly(Context &context, const Dim &a, const Dim &b);
/// Returns the larger one of 1 and a size, as PyTorch writes it in strides: "s0" for s0, which is above 0, and
/// "Max(1, u0)" for u0.
[[nodiscard]] Dim atLeastOne(Context &context, const Dim &dim);
/// Returns the size in sympy's form: "s0 + (-1)*(s0 // 2)" is "s0 - ((s0//2))". A text that is no integer arithmetic
/// remains as it is.
[[nodiscard]] Dim simplified(Context &context, const Dim &dim);

} // namespace ccgraph

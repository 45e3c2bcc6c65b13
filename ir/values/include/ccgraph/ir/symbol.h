// Symbolic integers: sizes that are known only at run time.
//
// PyTorch names them s0, s1, ... (backed: they have a hint) and u0, u1, ... (unbacked: they come from data). An
// expression is kept exactly as it was printed ("u0 + u1", "7*s0", "Eq(u0, 4)"): the text is its identity, and
// arithmetic is done only to evaluate it. So two expressions that are equal as numbers may be different here, and code
// that compares sizes must treat "different" as "not known to be equal".
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

/// Return a * b and a + b, folded if both are numbers or one is neutral; otherwise in sympy's form ("4*u0", "2*(u0 +
/// u1)").
[[nodiscard]] Dim multiply(Context &context, const Dim &a, const Dim &b);
[[nodiscard]] Dim add(Context &context, const Dim &a, const Dim &b);
/// Returns the product of the sizes, 1 for none.
[[nodiscard]] Dim productOf(Context &context, llvm::ArrayRef<Dim> sizes);
/// Returns a / b if a is a number that b divides; empty if it does not, if b is 0, and for any symbolic size (unless b
/// is 1).
[[nodiscard]] std::optional<Dim> divideExactly(const Dim &a, int64_t b);

} // namespace ccgraph

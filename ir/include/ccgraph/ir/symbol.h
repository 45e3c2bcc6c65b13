// Symbolic integers: sizes that are known only when the program runs.
//
// PyTorch names them s0, s1, ... (backed: they have a hint) and u0, u1, ... (unbacked: they come
// from data). An expression is kept exactly as it was printed ("u0 + u1", "7*s0", "Eq(u0, 4)"): the
// text is its identity, and arithmetic is done only to evaluate it. So two expressions that are
// equal as numbers may be different here, and code that compares sizes must take "different" for
// "not known to be equal".
//
// Ownership: expressions belong to their Context; a Dim is a plain value. Failure: by an empty
// result only: an unknown symbol, a text that is no expression, a division by zero or an overflow
// (integers wrap nowhere) have no value. Cost: evaluation is linear in the text.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>

namespace ccgraph {

class Context;

/// One uniqued expression; made by Context::symbolic.
class SymExpr {
public:
  [[nodiscard]] llvm::StringRef text() const { return text_; }
  /// True if a symbol u<number> occurs: no decision may read such a value's hint, since ranks may differ in it.
  [[nodiscard]] bool isUnbacked() const { return unbacked_; }

private:
  friend class Context;
  explicit SymExpr(llvm::StringRef text);
  llvm::StringRef text_;
  bool unbacked_ = false;
};

/// Value of a symbol, empty where it is unknown.
using SymbolLookup = llvm::function_ref<std::optional<int64_t>(llvm::StringRef symbol)>;

/// Evaluates integers, symbols, + - * // % **, comparisons, and the functions that sympy prints: Eq, Ne, Lt, Le, Gt,
/// Ge, Max, Min, Mod, FloorDiv, PythonMod, CleanDiv, CeilDiv. Comparisons give 0 or 1. Empty for anything else, an
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
  /// Of a static size; 0 for a symbolic one.
  [[nodiscard]] int64_t value() const { return value_; }
  /// Of a symbolic size; null for a static one.
  [[nodiscard]] const SymExpr *expr() const { return expr_; }
  [[nodiscard]] std::string str() const;
  /// The value under `lookup`; a static size needs none.
  [[nodiscard]] std::optional<int64_t> evaluate(SymbolLookup lookup) const;
  friend bool operator==(const Dim &, const Dim &) = default;

private:
  int64_t value_ = 0;
  const SymExpr *expr_ = nullptr;
};

/// a * b and a + b, folded where both are numbers or one is neutral; otherwise sympy's spelling ("4*u0", "2*(u0 +
/// u1)").
[[nodiscard]] Dim multiply(Context &context, const Dim &a, const Dim &b);
[[nodiscard]] Dim add(Context &context, const Dim &a, const Dim &b);
/// a / b where a is a number that b divides; empty where it does not, where b is 0, and for any
/// symbolic size (unless b is 1).
[[nodiscard]] std::optional<Dim> divideExactly(const Dim &a, int64_t b);

} // namespace ccgraph

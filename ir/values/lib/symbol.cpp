#include "ccgraph/ir/symbol.h"

#include "symbolic_sum.h"

#include "ccgraph/ir/context.h"
#include "ccgraph/ir/internal/symbolic_text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <functional>

namespace ccgraph {
namespace {

// Sizes that are known only at run time have a text, such as "2*(u0 + 1)". This file does three things with it.
//
// Evaluation computes the value of a text (symbolic_text.h). Numbers are `Number`: empty as soon as one step has no
// value. With s0 = 7 and u0 = 3:
//   "2*(s0 - u0)"         8
//   "-7 // 2"             -4     floors, as Python does, where C++ would give -3
//   "2**3**2"             512    powers bind to the right
//   "s0 // 0", "s0 +"     empty
//
// Arithmetic (multiply, add, ...) creates a new text, which symbolic_sum.h explains.
//
// Symbols u0, u1, ... are searched in the text itself (mentionsUnbacked): "cu0" is another name and not one of them.
using Number = std::optional<int64_t>;

/// Returns the result of an llvm::*Overflow function; empty on overflow.
template <typename Function>
Number checked(Function function, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflow = function(a, b, result);
  return overflow ? Number() : Number(result);
}

Number floorDivide(int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1))
    return {};
  int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)));
}

Number floorModulo(int64_t a, int64_t b) {
  auto quotient = floorDivide(a, b);
  return quotient ? Number(a - *quotient * b) : Number();
}

Number power(int64_t base, int64_t exponent) {
  if (exponent < 0 || exponent > 63)
    return {};
  int64_t result = 1;
  for (int64_t i = 0; i < exponent; ++i)
    if (llvm::MulOverflow(result, base, result))
      return {};
  return result;
}

Number apply(Operation operation, int64_t a, int64_t b) {
  switch (operation) {
  case Operation::Unknown:
    return {};
  case Operation::Add:
    return checked(llvm::AddOverflow<int64_t>, a, b);
  case Operation::Subtract:
    return checked(llvm::SubOverflow<int64_t>, a, b);
  case Operation::Multiply:
    return checked(llvm::MulOverflow<int64_t>, a, b);
  case Operation::FloorDivide:
    return floorDivide(a, b);
  case Operation::CeilDivide: {
    auto minusA = checked(llvm::SubOverflow<int64_t>, 0, a);
    auto negated = minusA ? floorDivide(*minusA, b) : Number();
    return negated ? Number(-*negated) : Number();
  }
  case Operation::Modulo:
    return floorModulo(a, b);
  case Operation::Power:
    return power(a, b);
  case Operation::Max:
    return std::max(a, b);
  case Operation::Min:
    return std::min(a, b);
  case Operation::Eq:
    return a == b;
  case Operation::Ne:
    return a != b;
  case Operation::Lt:
    return a < b;
  case Operation::Le:
    return a <= b;
  case Operation::Gt:
    return a > b;
  case Operation::Ge:
    return a >= b;
  }
  return {};
}

/// Computes the value of a text.
struct Evaluation {
  using Value = int64_t;
  SymbolLookup lookup;

  static Number number(int64_t value) { return value; }
  [[nodiscard]] Number symbol(llvm::StringRef name) const { return lookup(name); }
  static Number apply(Operation operation, int64_t a, int64_t b) { return ccgraph::apply(operation, a, b); }

  /// Folds the operands from the left: Max(1, u0, s0) is Max(Max(1, u0), s0). Other functions take two.
  static Number call(llvm::StringRef name, llvm::ArrayRef<int64_t> operands) {
    const Operation operation = operationOf(name);
    if (operation != Operation::Max && operation != Operation::Min && operands.size() != 2)
      return {};
    Number value = operands.front();
    for (int64_t operand : operands.drop_front())
      value = value ? apply(operation, *value, operand) : Number();
    return value;
  }
};

bool mentionsUnbacked(llvm::StringRef text) {
  for (size_t i = 0; i < text.size(); ++i) {
    bool starts = i == 0 || !(llvm::isAlnum(text[i - 1]) || text[i - 1] == '_');
    if (starts && text[i] == 'u' && i + 1 < text.size() && llvm::isDigit(text[i + 1]))
      return true;
  }
  return false;
}

Dim dimOf(Context &context, const SymbolicSum &sum) {
  std::optional<int64_t> number = sum.number();
  return number ? Dim(*number) : Dim(context.symbolic(sum.text()));
}

std::optional<SymbolicSum> sumOf(const Dim &dim) {
  return dim.isStatic() ? SymbolicSum(dim.value()) : SymbolicSum::parse(dim.expr()->text());
}

/// Writes an operation whose operands are no sums (comparisons), or whose result does not fit.
Dim written(Context &context, const Dim &a, llvm::StringRef operation, const Dim &b) {
  auto operand = [](const Dim &dim) { return dim.isStatic() ? dim.str() : "(" + dim.str() + ")"; };
  return Dim(context.symbolic(operand(a) + operation.str() + operand(b)));
}

template <typename Combine>
std::optional<Dim> combined(Context &context, const Dim &a, const Dim &b, Combine combine) {
  std::optional<SymbolicSum> left = sumOf(a), right = sumOf(b);
  std::optional<SymbolicSum> result = left && right ? std::invoke(combine, *left, *right) : std::nullopt;
  return result ? std::optional(dimOf(context, *result)) : std::nullopt;
}

} // namespace

SymExpr::SymExpr(llvm::StringRef text) : text_(text), unbacked_(mentionsUnbacked(text)) {}

std::optional<int64_t> evaluateSymbolic(llvm::StringRef text, SymbolLookup lookup) {
  return SymbolicReader<Evaluation>(text, {lookup}).run();
}

std::string Dim::str() const { return expr_ ? expr_->text().str() : llvm::itostr(value_); }

std::optional<int64_t> Dim::evaluate(SymbolLookup lookup) const {
  return expr_ ? evaluateSymbolic(expr_->text(), lookup) : Number(value_);
}

Dim multiply(Context &context, const Dim &a, const Dim &b) {
  int64_t number = 0;
  if (a.isStatic() && b.isStatic() && !llvm::MulOverflow(a.value(), b.value(), number))
    return Dim(number);
  if (a == Dim(1) || b == Dim(0))
    return b;
  if (b == Dim(1) || a == Dim(0))
    return a;
  std::optional<Dim> product = combined(context, a, b, &SymbolicSum::times);
  return product ? *product : written(context, a, "*", b);
}

Dim productOf(Context &context, llvm::ArrayRef<Dim> sizes) {
  Dim product(1);
  for (const Dim &size : sizes)
    product = multiply(context, product, size);
  return product;
}

Dim add(Context &context, const Dim &a, const Dim &b) {
  int64_t number = 0;
  if (a.isStatic() && b.isStatic() && !llvm::AddOverflow(a.value(), b.value(), number))
    return Dim(number);
  if (a == Dim(0))
    return b;
  if (b == Dim(0))
    return a;
  std::optional<Dim> sum =
      combined(context, a, b, [](const SymbolicSum &x, const SymbolicSum &y) { return x.plus(y); });
  return sum ? *sum : written(context, a, " + ", b);
}

Dim subtract(Context &context, const Dim &a, const Dim &b) {
  int64_t number = 0;
  if (a.isStatic() && b.isStatic() && !llvm::SubOverflow(a.value(), b.value(), number))
    return Dim(number);
  if (b == Dim(0))
    return a;
  std::optional<Dim> difference =
      combined(context, a, b, [](const SymbolicSum &x, const SymbolicSum &y) { return x.plus(y, -1); });
  return difference ? *difference : written(context, a, " - ", b);
}

std::optional<Dim> floorDivide(Context &context, const Dim &a, const Dim &b) {
  return combined(context, a, b, &SymbolicSum::floorOver);
}

std::optional<Dim> modulo(Context &context, const Dim &a, const Dim &b) {
  return combined(context, a, b, &SymbolicSum::modulo);
}

std::optional<Dim> divideExactly(Context &context, const Dim &a, const Dim &b) {
  if (b == Dim(1))
    return a;
  if (a.isStatic() && b.isStatic())
    return b.value() == 0 || a.value() % b.value() != 0 ? std::nullopt : std::optional(Dim(a.value() / b.value()));
  return combined(context, a, b, &SymbolicSum::over);
}

Dim atLeastOne(Context &context, const Dim &dim) {
  if (dim.isStatic())
    return Dim(std::max<int64_t>(dim.value(), 1));
  std::optional<SymbolicSum> sum = sumOf(dim);
  return sum ? dimOf(context, sum->atLeastOne()) : dim;
}

Dim simplified(Context &context, const Dim &dim) {
  std::optional<SymbolicSum> sum = dim.isStatic() ? std::nullopt : sumOf(dim);
  return sum ? dimOf(context, *sum) : dim;
}

} // namespace ccgraph

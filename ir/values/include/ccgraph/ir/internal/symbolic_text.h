// Reads the texts of sizes that are symbols, such as "2*(s0 - u0)": integer arithmetic as Python writes it, with names,
// calls and brackets. What a text means is up to an algebra: its value (symbol.cpp), or a sum of products
// (symbolic_sum.cpp). An algebra has a type Value and the functions
//   std::optional<Value> number(int64_t)
//   std::optional<Value> symbol(llvm::StringRef name)
//   std::optional<Value> apply(Operation, const Value &left, const Value &right)
//   std::optional<Value> call(llvm::StringRef name, llvm::ArrayRef<Value> operands)    at least one operand
// Operators bind as in Python: "2**3**2" is 2**9, "-7 // 2" is (-7) // 2.
//
// Ownership: the text must outlive the reader. Failure: an empty result for a text that is none of these, and as soon
// as the algebra returns one, so no caller can continue with a partial result. Cost: linear in the text.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ccgraph {

/// The smallest value of a symbol s0, s1, ...: torch.compile makes graphs of their own for the sizes 0 and 1.
inline constexpr int64_t leastSizeSymbol = 2;
/// Returns true for the name of a symbol that is the size of an input: s0, s1, ...
[[nodiscard]] inline bool isSizeSymbol(llvm::StringRef name) {
  return name.consume_front("s") && !name.empty() && llvm::all_of(name, llvm::isDigit);
}

enum class Operation : uint8_t {
  Unknown,
  Add,
  Subtract,
  Multiply,
  FloorDivide,
  Modulo,
  Power,
  Max,
  Min,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  CeilDivide
};

/// Returns the operation of a function of sympy's or PyTorch's: Modulo for "PythonMod". Unknown if it is none of them.
[[nodiscard]] Operation operationOf(llvm::StringRef function);
/// Writes a call of a function: "Max(1, u0)".
[[nodiscard]] std::string callText(llvm::StringRef function, llvm::ArrayRef<std::string> operands);

struct Operator {
  llvm::StringRef spelling;
  Operation operation = Operation::Unknown;
  /// as in Python: a higher one binds more tightly
  int precedence = 0;
};
/// Returns the operator with which a text begins; null if it begins with none.
[[nodiscard]] const Operator *operatorAt(llvm::StringRef text);

template <class Algebra>
class SymbolicReader {
public:
  using Value = typename Algebra::Value;
  using Result = std::optional<Value>;

  SymbolicReader(llvm::StringRef text, Algebra algebra) : rest_(text), algebra_(algebra) {}

  Result run() {
    Result value = expression(weakest);
    return value && skip().empty() ? value : Result();
  }

private:
  static constexpr int weakest = 1, ofPower = 4;

  /// Reads an expression whose operators all bind at least as tightly as `minimum`. For "2*s0 + u0" and minimum 1: the
  /// primary 2; then "*" (3), whose right side is read with minimum 4 and stops at "+"; then "+" (2), whose right side
  /// is u0.
  Result expression(int minimum) {
    Result left = primary();
    while (left) {
      const Operator *op = operatorAt(skip());
      if (!op || op->precedence < minimum)
        break;
      rest_ = rest_.drop_front(op->spelling.size());
      const bool isRightAssociative = op->operation == Operation::Power;
      Result right = expression(op->precedence + (isRightAssociative ? 0 : 1));
      left = right ? algebra_.apply(op->operation, *left, *right) : Result();
    }
    return left;
  }

  /// Bounds the recursion, for hostile input.
  Result primary() {
    constexpr int deepest = 200;
    if (++depth_ > deepest)
      return {};
    Result value = unguardedPrimary();
    --depth_;
    return value;
  }

  Result unguardedPrimary() {
    if (skip().consume_front("-"))
      return negated(expression(ofPower));
    if (rest_.consume_front("(")) {
      Result value = expression(weakest);
      return skip().consume_front(")") ? value : Result();
    }
    int64_t number = 0;
    if (!rest_.empty() && llvm::isDigit(rest_.front()))
      return rest_.consumeInteger(10, number) ? Result() : algebra_.number(number);
    llvm::StringRef name = rest_.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (name.empty())
      return {};
    rest_ = rest_.drop_front(name.size());
    return rest_.consume_front("(") ? call(name) : algebra_.symbol(name);
  }

  Result negated(const Result &value) {
    Result zero = algebra_.number(0);
    return value && zero ? algebra_.apply(Operation::Subtract, *zero, *value) : Result();
  }

  Result call(llvm::StringRef name) {
    llvm::SmallVector<Value, 2> operands;
    do {
      Result operand = expression(weakest);
      if (!operand)
        return {};
      operands.push_back(std::move(*operand));
    } while (skip().consume_front(","));
    return skip().consume_front(")") ? algebra_.call(name, operands) : Result();
  }

  llvm::StringRef &skip() { return rest_ = rest_.ltrim(); }

  llvm::StringRef rest_;
  Algebra algebra_;
  int depth_ = 0;
};

} // namespace ccgraph

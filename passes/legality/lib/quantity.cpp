#include "quantity.h"

#include "ccgraph/ir/internal/symbolic_text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <string>
#include <utility>
#include <variant>

namespace ccgraph::legality {

using Result = std::optional<Quantity>;

namespace {

/// A number times symbols, sorted by name: 4*s0*s1. It is a quantity if these are the symbol, or the product that
/// counts as one.
struct SymbolProduct {
  int64_t factor = 1;
  llvm::SmallVector<std::string, 2> symbols;
  [[nodiscard]] std::string text() const { return llvm::join(symbols, "*"); }
};

/// Returns the product; empty on overflow, or if a symbol occurs twice.
std::optional<SymbolProduct> productOf(SymbolProduct a, const SymbolProduct &b) {
  llvm::append_range(a.symbols, b.symbols);
  llvm::sort(a.symbols);
  const bool hasTwice = std::adjacent_find(a.symbols.begin(), a.symbols.end()) != a.symbols.end();
  return hasTwice || llvm::MulOverflow(a.factor, b.factor, a.factor) ? std::nullopt : std::optional(std::move(a));
}

} // namespace

/// Reads the text of a size.
struct QuantityAlgebra {
  using Value = std::variant<Quantity, SymbolProduct>;
  using Read = std::optional<Value>;
  std::string *known; ///< the only symbol, or product of symbols

  static Read number(int64_t value) { return Quantity(value); }
  static Read symbol(llvm::StringRef name) {
    return isSizeSymbol(name) ? Read(SymbolProduct{1, {name.str()}}) : std::nullopt;
  }

  /// Returns the quantity that a value is.
  [[nodiscard]] Result quantity(const Value &value) const {
    if (const auto *quantity = std::get_if<Quantity>(&value))
      return *quantity;
    const auto &product = std::get<SymbolProduct>(value);
    if (known->empty())
      *known = product.text();
    return *known == product.text() ? Quantity::symbol().scaled(product.factor) : std::nullopt;
  }

  /// Returns the product of two values of which one is a product of symbols, and the other one too, or a number.
  static Read product(const Value &a, const Value &b) {
    auto asProduct = [](const Value &value) -> std::optional<SymbolProduct> {
      if (const auto *symbols = std::get_if<SymbolProduct>(&value))
        return *symbols;
      const std::optional<int64_t> number = std::get<Quantity>(value).number();
      return number ? std::optional(SymbolProduct{*number, {}}) : std::nullopt;
    };
    const std::optional<SymbolProduct> left = asProduct(a), right = asProduct(b);
    std::optional<SymbolProduct> product = left && right ? productOf(*left, *right) : std::nullopt;
    return product ? Read(std::move(*product)) : std::nullopt;
  }

  [[nodiscard]] Read apply(Operation operation, const Value &left, const Value &right) const {
    const bool hasProduct = std::holds_alternative<SymbolProduct>(left) || std::holds_alternative<SymbolProduct>(right);
    if (operation == Operation::Multiply && hasProduct)
      if (Read product = QuantityAlgebra::product(left, right))
        return product;
    const Result a = quantity(left), b = a ? quantity(right) : std::nullopt;
    const Result result = b ? apply(operation, *a, *b) : std::nullopt;
    return result ? Read(*result) : std::nullopt;
  }
  static Result apply(Operation operation, const Quantity &a, const Quantity &b) {
    switch (operation) {
    case Operation::Add:
      return a.plus(b);
    case Operation::Subtract:
      return a.minus(b);
    case Operation::Multiply:
      return a.times(b);
    case Operation::FloorDivide:
      return a.quotient(b);
    case Operation::Unknown:
    case Operation::Modulo:
    case Operation::Power:
    case Operation::Max:
    case Operation::Min:
    case Operation::Eq:
    case Operation::Ne:
    case Operation::Lt:
    case Operation::Le:
    case Operation::Gt:
    case Operation::Ge:
    case Operation::CeilDivide:
      break;
    }
    return std::nullopt;
  }
  /// Strides of PyTorch count an empty dimension as one element: Max(1, s0//2), which is s0//2.
  [[nodiscard]] Read call(llvm::StringRef name, llvm::ArrayRef<Value> operands) const {
    if (operationOf(name) != Operation::Max || operands.size() != 2)
      return std::nullopt;
    const Result a = quantity(operands[0]), b = a ? quantity(operands[1]) : std::nullopt;
    const Result larger = b ? Quantity::larger(*a, *b) : std::nullopt;
    return larger ? Read(*larger) : std::nullopt;
  }
};

namespace {

int64_t floorOf(int64_t a, int64_t positive) { return a / positive - (a % positive < 0 ? 1 : 0); }

} // namespace

Result Quantity::of(const Dim &size, std::string &symbol) {
  if (size.isStatic())
    return Quantity(size.value());
  const QuantityAlgebra algebra{&symbol};
  const QuantityAlgebra::Read value = SymbolicReader<QuantityAlgebra>(size.expr()->text(), algebra).run();
  return value ? algebra.quantity(*value) : std::nullopt;
}

Result Quantity::withPeriod(int64_t wanted) const {
  Quantity longer = *this;
  int64_t growth = 0;
  for (int64_t times = 1; times < wanted / period(); ++times) {
    if (llvm::AddOverflow(growth, slope_, growth))
      return std::nullopt;
    for (const int64_t value : values_) {
      int64_t later = 0;
      if (llvm::AddOverflow(value, growth, later))
        return std::nullopt;
      longer.values_.push_back(later);
    }
  }
  if (llvm::AddOverflow(growth, slope_, longer.slope_))
    return std::nullopt;
  return longer;
}

Result Quantity::scaled(int64_t factor) const {
  Quantity product = *this;
  for (int64_t &value : product.values_)
    if (llvm::MulOverflow(value, factor, value))
      return std::nullopt;
  if (llvm::MulOverflow(slope_, factor, product.slope_))
    return std::nullopt;
  return product;
}

Result Quantity::combined(const Quantity &other, int64_t factor) const {
  const int64_t common = std::lcm(period(), other.period());
  if (common > longestPeriod)
    return std::nullopt;
  const Result scaledOther = other.scaled(factor);
  Result sum = withPeriod(common), addend = scaledOther ? scaledOther->withPeriod(common) : std::nullopt;
  if (!sum || !addend || llvm::AddOverflow(sum->slope_, addend->slope_, sum->slope_))
    return std::nullopt;
  for (size_t i = 0; i < sum->values_.size(); ++i)
    if (llvm::AddOverflow(sum->values_[i], addend->values_[i], sum->values_[i]))
      return std::nullopt;
  return sum;
}

Result Quantity::times(const Quantity &other) const {
  if (const std::optional<int64_t> factor = other.number())
    return scaled(*factor);
  const std::optional<int64_t> factor = number();
  return factor ? other.scaled(*factor) : std::nullopt;
}

// Over a period in which the dividend grows by a multiple of the divisor, the quotient grows by a constant: (q + n * d)
// // d = q // d + n. So the period becomes longer until this holds.
Result Quantity::floorOver(int64_t divisor) const {
  if (divisor <= 0)
    return std::nullopt;
  const int64_t times = divisor / std::gcd(divisor, slope_);
  Result quotient = times <= longestPeriod / period() ? withPeriod(period() * times) : std::nullopt;
  if (!quotient)
    return std::nullopt;
  for (int64_t &value : quotient->values_)
    value = floorOf(value, divisor);
  quotient->slope_ /= divisor;
  return quotient;
}

Result Quantity::quotient(const Quantity &divisor) const {
  const std::optional<int64_t> number = divisor.number();
  return number ? floorOver(*number) : std::nullopt;
}

Result Quantity::over(int64_t divisor) const {
  const Result quotient = floorOver(divisor), product = quotient ? quotient->scaled(divisor) : std::nullopt;
  return product && product->equals(*this) ? quotient : std::nullopt;
}

std::optional<int64_t> Quantity::number() const {
  const bool isOne = slope_ == 0 && llvm::all_of(values_, [&](int64_t value) { return value == values_.front(); });
  return isOne ? std::optional(values_.front()) : std::nullopt;
}

bool Quantity::equals(const Quantity &other) const {
  const Result difference = minus(other);
  return difference && difference->number() == 0;
}

Result Quantity::larger(const Quantity &a, const Quantity &b) {
  if (a.isAtMost(b))
    return b;
  return b.isAtMost(a) ? Result(a) : std::nullopt;
}

Result Quantity::smaller(const Quantity &a, const Quantity &b) {
  if (a.isAtMost(b))
    return a;
  return b.isAtMost(a) ? Result(b) : std::nullopt;
}

bool Quantity::isAtMost(const Quantity &other) const {
  const Result difference = other.minus(*this);
  return difference && difference->slope_ >= 0 &&
         llvm::all_of(difference->values_, [](int64_t value) { return value >= 0; });
}

// The growth from a value of the symbol to the next one repeats with the period, as the slope is the same for all
// values of one period.
bool Quantity::isIncreasing() const {
  for (int64_t s = leastSizeSymbol; s < leastSizeSymbol + period(); ++s)
    if (const std::optional<int64_t> now = at(s), next = at(s + 1); !now || !next || *next <= *now)
      return false;
  return true;
}

std::optional<int64_t> Quantity::at(int64_t symbol) const {
  int64_t growth = 0, value = 0;
  const int64_t place = symbol - leastSizeSymbol;
  if (llvm::MulOverflow(slope_, place / period(), growth) ||
      llvm::AddOverflow(growth, values_[static_cast<size_t>(place % period())], value))
    return std::nullopt;
  return value;
}

} // namespace ccgraph::legality

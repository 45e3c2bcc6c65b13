#include "symbolic_sum.h"

#include "ccgraph/ir/internal/symbolic_text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace ccgraph {
namespace {

using Atom = SymbolicSum::Atom;
using Sign = SymbolicSum::Sign;
using Sum = std::optional<SymbolicSum>;

Atom symbol(llvm::StringRef name) {
  return {Atom::Kind::Symbol, name.str(), isSizeSymbol(name) ? Sign::Positive : Sign::Unknown};
}

/// Returns the call of a function that is no quotient.
Atom callOf(llvm::StringRef name, llvm::ArrayRef<SymbolicSum> operands) {
  llvm::SmallVector<std::string, 2> texts;
  Sign least = Sign::Positive, most = Sign::Unknown;
  for (const SymbolicSum &operand : operands) {
    texts.push_back(operand.text());
    least = std::min(least, operand.sign());
    most = std::max(most, operand.sign());
  }
  const Sign sign = name == "Max" ? most : name == "Min" ? least : Sign::Unknown;
  return {Atom::Kind::Call, callText(name, texts), sign};
}

/// Returns an atom as a factor or a term: quotients have two pairs of brackets there, as PyTorch prints them.
std::string inProduct(const Atom &atom, bool isPower) {
  using Kind = Atom::Kind;
  const bool isCall = atom.kind == Kind::Call && llvm::StringRef(atom.text).startswith("Max(");
  const bool bindsWeakly = atom.kind == Kind::Sum || atom.kind == Kind::Quotient ||
                           (atom.kind == Kind::Call && !isCall && !llvm::StringRef(atom.text).startswith("Min("));
  return (bindsWeakly ? "(" + atom.text + ")" : atom.text) + (isPower ? "**" : "");
}

/// Returns an operand of a quotient: sums, products and other quotients have brackets.
std::string inQuotient(const SymbolicSum &sum) {
  std::string text = sum.text();
  const bool isName = llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  const bool isCall = llvm::StringRef(text).startswith("Max(") || llvm::StringRef(text).startswith("Min(");
  return isName || (isCall && llvm::StringRef(text).count('(') == 1 && text.back() == ')') ? text : "(" + text + ")";
}

Sum power(const SymbolicSum &base, const SymbolicSum &exponent) {
  constexpr int64_t most = 64;
  const std::optional<int64_t> times = exponent.number();
  if (!times || *times < 0 || *times > most)
    return std::nullopt;
  Sum result = SymbolicSum(1);
  for (int64_t i = 0; result && i != *times; ++i)
    result = result->times(base);
  return result;
}

/// Makes a text a sum.
struct SumAlgebra {
  using Value = SymbolicSum;
  static Sum number(int64_t value) { return SymbolicSum(value); }
  static Sum symbol(llvm::StringRef name) { return SymbolicSum(ccgraph::symbol(name)); }

  static Sum apply(Operation operation, const SymbolicSum &a, const SymbolicSum &b) {
    switch (operation) {
    case Operation::Add:
      return a.plus(b);
    case Operation::Subtract:
      return a.plus(b, -1);
    case Operation::Multiply:
      return a.times(b);
    case Operation::FloorDivide:
      return a.floorOver(b);
    case Operation::Modulo:
      return a.modulo(b);
    case Operation::Power:
      return power(a, b);
    default:
      return std::nullopt;
    }
  }

  static Sum call(llvm::StringRef name, llvm::ArrayRef<SymbolicSum> operands) {
    const Operation operation = operationOf(name);
    if (operands.size() == 2 && (operation == Operation::FloorDivide || operation == Operation::Modulo))
      return apply(operation, operands.front(), operands.back());
    return SymbolicSum(callOf(name, operands));
  }
};

std::string productText(const SymbolicSum::Product &product, int64_t factor) {
  std::string text = product.empty() ? std::to_string(factor) : factor == 1 ? "" : std::to_string(factor) + "*";
  for (const auto &[atom, power] : product)
    text += inProduct(atom, power != 1) + (power == 1 ? "" : std::to_string(power)) + "*";
  if (!product.empty())
    text.pop_back();
  return text;
}

} // namespace

bool SymbolicSum::Atom::operator<(const Atom &other) const {
  auto rank = [](Kind kind) { return kind == Kind::Symbol ? 0 : kind == Kind::Sum ? 1 : 2; };
  if (rank(kind) != rank(other.kind))
    return rank(kind) < rank(other.kind);
  return order != other.order ? order < other.order : text < other.text;
}

/// Orders products by the powers of their first atoms that differ, the higher power first: s0**2, s0*s1**2, s1, 1.
bool SymbolicSum::ByPowers::operator()(const Product &a, const Product &b) const {
  auto x = a.begin(), y = b.begin();
  for (; x != a.end() && y != b.end(); ++x, ++y) {
    if (!(x->first == y->first))
      return x->first < y->first;
    if (x->second != y->second)
      return x->second > y->second;
  }
  return x != a.end();
}

SymbolicSum::SymbolicSum(int64_t number) { add({}, number); }

SymbolicSum::SymbolicSum(Atom atom) { add({{std::move(atom), 1}}, 1); }

Sum SymbolicSum::parse(llvm::StringRef text) { return SymbolicReader<SumAlgebra>(text, {}).run(); }

/// Returns false on an overflow.
bool SymbolicSum::add(const Product &product, int64_t factor) {
  auto [place, isNew] = terms_.try_emplace(product, 0);
  if (llvm::AddOverflow(place->second, factor, place->second))
    return false;
  if (place->second == 0)
    terms_.erase(place);
  return true;
}

Sum SymbolicSum::plus(const SymbolicSum &other, int64_t factor) const {
  SymbolicSum sum = *this;
  for (const auto &[product, count] : other.terms_)
    if (int64_t scaled = 0; llvm::MulOverflow(count, factor, scaled) || !sum.add(product, scaled))
      return std::nullopt;
  return sum;
}

SymbolicSum::Atom SymbolicSum::asFactor() const {
  std::string order(1, static_cast<char>(std::min<size_t>(terms_.size(), 127)));
  for (const auto &[product, count] : terms_)
    order += productText(product, 1) + " ";
  return {Atom::Kind::Sum, text(), sign(), order};
}

Sum SymbolicSum::times(const SymbolicSum &other) const {
  if (std::optional<int64_t> factor = other.number())
    return SymbolicSum().plus(*this, *factor);
  if (std::optional<int64_t> factor = number())
    return SymbolicSum().plus(other, *factor);
  // A sum is one factor of the product.
  Product product;
  int64_t factor = 1;
  for (const SymbolicSum *operand : {this, &other}) {
    const bool isSum = operand->terms_.size() != 1;
    if (isSum) {
      ++product[operand->asFactor()];
      continue;
    }
    const auto &[atoms, count] = *operand->terms_.begin();
    if (llvm::MulOverflow(factor, count, factor))
      return std::nullopt;
    for (const auto &[atom, power] : atoms)
      if (int64_t &now = product[atom]; llvm::AddOverflow(now, power, now))
        return std::nullopt;
  }
  SymbolicSum result;
  result.add(product, factor);
  return result;
}

Sum SymbolicSum::over(const SymbolicSum &divisor) const {
  if (divisor.terms_.size() != 1 || divisor.terms_.begin()->second <= 0)
    return std::nullopt;
  const auto &[atoms, number] = *divisor.terms_.begin();
  SymbolicSum result;
  for (const auto &[product, count] : terms_) {
    Product rest = product;
    for (const auto &[atom, power] : atoms) {
      auto place = rest.find(atom);
      if (place == rest.end() || (place->second -= power) < 0)
        return std::nullopt;
      if (place->second == 0)
        rest.erase(place);
    }
    if (count % number != 0 || !result.add(rest, count / number))
      return std::nullopt;
  }
  return result;
}

/// Returns the largest number that divides all factors; 0 for the empty sum.
int64_t SymbolicSum::commonFactor() const {
  uint64_t common = 0;
  for (const auto &[product, count] : terms_)
    common = std::gcd(common, count < 0 ? 0 - static_cast<uint64_t>(count) : static_cast<uint64_t>(count));
  return common > INT64_MAX ? 1 : static_cast<int64_t>(common);
}

// For (4*s0 + 2*s1 + 6)//4: s0 leaves the quotient, and (s1 + 3)//2 remains of it.
Sum SymbolicSum::floorOver(const SymbolicSum &divisor) const {
  const std::optional<int64_t> by = divisor.number();
  if (by == 0)
    return std::nullopt;
  SymbolicSum whole, rest = *this, reduced = divisor;
  if (by && *by > 0) {
    for (const auto &[product, count] : terms_) {
      if (count % *by != 0)
        continue;
      whole.add(product, count / *by);
      rest.terms_.erase(product);
    }
    if (std::optional<int64_t> number = rest.number()) {
      whole.add({}, *number / *by - (*number % *by < 0 ? 1 : 0));
      return whole;
    }
    const int64_t common = std::gcd(rest.commonFactor(), *by);
    rest = *rest.over(SymbolicSum(common));
    reduced = SymbolicSum(*by / common);
  }
  if (rest.number() && by)
    return std::nullopt;
  const bool isNotNegative = rest.sign() != Sign::Unknown && reduced.sign() == Sign::Positive;
  whole.add({{{Atom::Kind::Quotient, "(" + inQuotient(rest) + "//" + inQuotient(reduced) + ")",
               isNotNegative ? Sign::NotNegative : Sign::Unknown},
              1}},
            1);
  return whole;
}

Sum SymbolicSum::modulo(const SymbolicSum &divisor) const {
  const std::optional<int64_t> by = divisor.number(), of = number();
  if (by == 0 || (of && by && *by < 0))
    return std::nullopt;
  if (of && by)
    return SymbolicSum((*of % *by + *by) % *by);
  return SymbolicSum(Atom{Atom::Kind::Call, "Mod(" + text() + ", " + divisor.text() + ")",
                          divisor.sign() == Sign::Positive ? Sign::NotNegative : Sign::Unknown});
}

// Each positive product is at least 1: s0 - 1 is at least 0, and 2*s0 + (s1//2) - 1 at least 1.
Sign SymbolicSum::sign() const {
  int64_t least = 0;
  for (const auto &[product, count] : terms_) {
    Sign sign = Sign::Positive;
    for (const auto &[atom, power] : product)
      sign = std::min(sign, atom.sign);
    const bool isBounded = product.empty() || (count > 0 && sign != Sign::Unknown);
    const int64_t bound = sign == Sign::Positive ? count : 0;
    if (!isBounded || llvm::AddOverflow(least, bound, least))
      return Sign::Unknown;
  }
  return least > 0 ? Sign::Positive : least == 0 ? Sign::NotNegative : Sign::Unknown;
}

// The operands of a maximum join those of the new one: of Max(s0, s1), Max(1, s0, s1) is made.
SymbolicSum SymbolicSum::atLeastOne() const {
  if (std::optional<int64_t> value = number())
    return SymbolicSum(std::max<int64_t>(*value, 1));
  const Atom *atom = loneAtom();
  std::string own = text();
  llvm::StringRef operands = own;
  const bool isMaximum = atom && operands.consume_front("Max(") && operands.consume_back(")");
  if (sign() == Sign::Positive && !isMaximum)
    return *this;
  return SymbolicSum(Atom{Atom::Kind::Call, callText("Max", {"1", operands.str()}), Sign::Positive});
}

const SymbolicSum::Atom *SymbolicSum::loneAtom() const {
  const bool isLone = terms_.size() == 1 && terms_.begin()->second == 1 && terms_.begin()->first.size() == 1 &&
                      terms_.begin()->first.begin()->second == 1;
  return isLone ? &terms_.begin()->first.begin()->first : nullptr;
}

std::optional<int64_t> SymbolicSum::number() const {
  if (terms_.empty())
    return 0;
  return terms_.size() == 1 && terms_.begin()->first.empty() ? std::optional(terms_.begin()->second) : std::nullopt;
}

/// sympy prints 1 - s0 and not -s0 + 1, if the term has one atom.
bool SymbolicSum::isNumberMinusTerm() const {
  return terms_.size() == 2 && terms_.begin()->first.size() == 1 && terms_.begin()->second < 0 &&
         terms_.rbegin()->first.empty() && terms_.rbegin()->second > 0;
}

std::string SymbolicSum::text() const {
  if (terms_.empty())
    return "0";
  if (terms_.size() == 1) {
    const auto &[product, count] = *terms_.begin();
    if (const Atom *atom = loneAtom())
      return atom->text;
    const bool isNegated = count == -1 && !product.empty();
    return isNegated ? "-" + productText(product, 1) : productText(product, count);
  }
  std::string text;
  auto append = [&](const Product &product, int64_t count) {
    const bool isMinus = count < 0 && count != INT64_MIN;
    text += text.empty() ? (isMinus ? "-" : "") : isMinus ? " - " : " + ";
    text += productText(product, isMinus ? -count : count);
  };
  if (isNumberMinusTerm())
    append({}, terms_.rbegin()->second);
  for (const auto &[product, count] : terms_)
    if (!isNumberMinusTerm() || !product.empty())
      append(product, count);
  return text;
}

} // namespace ccgraph

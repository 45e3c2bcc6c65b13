#include "exact_values.h"

#include <cmath>

namespace ccgraph::numerics {
namespace {

constexpr uint64_t prime = (uint64_t{1} << 32) - 5;
/// Larger expressions have no value, so that the evaluation ends.
constexpr size_t mostElements = 2'000'000, mostDepth = 4000;

uint64_t add(uint64_t a, uint64_t b) { return (a + b) % prime; }
uint64_t negate(uint64_t a) { return a == 0 ? 0 : prime - a; }
uint64_t multiply(uint64_t a, uint64_t b) { return a * b % prime; }
uint64_t power(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, base = multiply(base, base))
    if (exponent & 1)
      result = multiply(result, base);
  return result;
}
uint64_t inverse(uint64_t a) { return power(a, prime - 2); }

uint64_t mix(uint64_t seed, uint64_t value) {
  uint64_t word = seed ^ (value + 0x9e3779b97f4a7c15U + (seed << 6) + (seed >> 2));
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31);
}

/// A double is a whole number times a power of two.
uint64_t ofNumber(double number) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(number), &exponent);
  const auto whole = static_cast<uint64_t>(std::ldexp(fraction, 53));
  const int shift = exponent - 53;
  const uint64_t scale =
      shift < 0 ? inverse(power(2, static_cast<uint64_t>(-shift))) : power(2, static_cast<uint64_t>(shift));
  const uint64_t value = multiply(whole % prime, scale);
  return std::signbit(number) ? negate(value) : value;
}

uint64_t hashOf(const std::string &text) {
  uint64_t hash = text.size();
  for (unsigned char letter : text)
    hash = mix(hash, letter);
  return hash;
}

} // namespace

std::optional<uint64_t> ExactValues::valueOf(TermId term, int64_t index) {
  const Operation &operation = table_.operationOf(term);
  if (operation.number)
    return std::isfinite(*operation.number) ? std::optional(ofNumber(*operation.number)) : std::nullopt;
  if (table_.at(term).kind == Term::Kind::Input || isLeaf_(term))
    return mix(mix(seed_, term), static_cast<uint64_t>(index)) % prime;
  if (auto known = known_.find({term, index}); known != known_.end())
    return known->second;
  if (depth_ > mostDepth || known_.size() > mostElements)
    return std::nullopt;
  ++depth_;
  std::optional<uint64_t> value = computed(term, index);
  --depth_;
  known_[{term, index}] = value;
  return value;
}

std::optional<uint64_t> ExactValues::at(const RunList &elements, int64_t index) {
  if (index < 0 || index >= elements.size())
    return std::nullopt;
  auto [term, place] = elements.at(index);
  return valueOf(term, place);
}

std::optional<uint64_t> ExactValues::computed(TermId id, int64_t index) {
  const Term &term = table_.at(id);
  const Operation &operation = table_.operationOf(id);
  if (term.kind == Term::Kind::Call && operation.rule != Rule::RankSum && operation.rule != Rule::RankMean)
    return ofCall(term, operation, index);
  std::vector<uint64_t> operands;
  for (const TermOperand &operand : term.operands) {
    std::optional<uint64_t> value = term.kind == Term::Kind::Call
                                        ? at(table_.sequenceAt(operand.id), index)
                                        : valueOf(operand.id, operand.repeats ? operand.shift : index + operand.shift);
    if (!value)
      return std::nullopt;
    operands.push_back(*value);
  }
  return ofElements(operation, operands);
}

std::optional<uint64_t> ExactValues::ofElements(const Operation &operation, llvm::ArrayRef<uint64_t> operands) const {
  uint64_t sum = 0, product = 1, hash = mix(seed_, hashOf(operation.text));
  for (uint64_t operand : operands) {
    sum = add(sum, operand);
    product = multiply(product, operand);
    hash = mix(hash, operand);
  }
  switch (operation.rule) {
  case Rule::Add:
  case Rule::RankSum:
    return sum;
  case Rule::RankMean:
    return multiply(sum, inverse(static_cast<uint64_t>(operation.addends)));
  case Rule::Subtract:
    return add(operands[0], negate(operands[1]));
  case Rule::Negate:
    return negate(operands[0]);
  case Rule::Multiply:
    return product;
  case Rule::Divide:
    return operands[1] == 0 ? std::nullopt : std::optional(multiply(operands[0], inverse(operands[1])));
  case Rule::Cast:
    return operands[0];
  case Rule::Clip:
  case Rule::Extreme:
  case Rule::Unknown:
    return hash % prime;
  case Rule::Given:
  case Rule::DimSum:
  case Rule::DimMean:
  case Rule::Product:
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<uint64_t> ExactValues::ofCall(const Term &term, const Operation &operation, int64_t index) {
  if (operation.rule == Rule::Product)
    return product(term, operation, index);
  if (operation.rule != Rule::DimSum && operation.rule != Rule::DimMean)
    return std::nullopt;
  std::optional<uint64_t> sum = sumOfDims(operation, table_.sequenceAt(term.operands.front().id), index);
  const auto count = static_cast<uint64_t>(operation.addends);
  if (operation.rule == Rule::DimSum || !sum)
    return sum;
  return count == 0 ? std::nullopt : std::optional(multiply(*sum, inverse(count)));
}

std::optional<uint64_t> ExactValues::sumOfDims(const Operation &operation, const RunList &elements, int64_t index) {
  IntList inner, innerStrides;
  int64_t start = 0;
  if (operation.sizes.empty()) {
    inner = {elements.size()};
    innerStrides = {1};
  } else {
    const IntList &sizes = operation.sizes.front(), &strides = operation.strides.front();
    for (size_t dim = sizes.size(); dim-- > 0;) {
      const bool isSummed = llvm::is_contained(operation.dims, static_cast<int64_t>(dim));
      if (isSummed) {
        inner.push_back(sizes[dim]);
        innerStrides.push_back(strides[dim]);
      } else {
        start += index % sizes[dim] * strides[dim];
        index /= sizes[dim];
      }
    }
  }
  uint64_t sum = 0;
  for (int64_t i = 0, count = productOf(inner); i != count; ++i) {
    int64_t place = start, rest = i;
    for (size_t dim = 0; dim != inner.size(); rest /= inner[dim], ++dim)
      place += rest % inner[dim] * innerStrides[dim];
    std::optional<uint64_t> value = at(elements, place);
    if (!value)
      return std::nullopt;
    sum = add(sum, *value);
  }
  return sum;
}

/// a [.., n, k] times b [.., k, m], and a bias that broadcasts to [n, m].
std::optional<uint64_t> ExactValues::product(const Term &term, const Operation &operation, int64_t index) {
  const size_t first = operation.sizes.size() - 2;
  const IntList &a = operation.sizes[first], &b = operation.sizes[first + 1];
  const IntList &aStrides = operation.strides[first], &bStrides = operation.strides[first + 1];
  const size_t rank = a.size();
  if (b.size() != rank || rank > 3 || b[rank - 2] != a[rank - 1])
    return std::nullopt;
  const int64_t column = index % b[rank - 1], row = index / b[rank - 1] % a[rank - 2];
  const int64_t matrix = rank == 3 ? index / b[rank - 1] / a[rank - 2] : 0;
  const RunList &left = table_.sequenceAt(term.operands[first].id);
  const RunList &right = table_.sequenceAt(term.operands[first + 1].id);
  uint64_t sum = 0;
  for (int64_t k = 0; k != a[rank - 1]; ++k) {
    const int64_t ofMatrixA = rank == 3 ? matrix * aStrides[0] : 0, ofMatrixB = rank == 3 ? matrix * bStrides[0] : 0;
    std::optional<uint64_t> x = at(left, ofMatrixA + row * aStrides[rank - 2] + k * aStrides[rank - 1]);
    std::optional<uint64_t> y = at(right, ofMatrixB + k * bStrides[rank - 2] + column * bStrides[rank - 1]);
    if (!x || !y)
      return std::nullopt;
    sum = add(sum, multiply(*x, *y));
  }
  if (first == 0)
    return sum;
  int64_t place = 0;
  const IntList &bias = operation.sizes[0], &biasStrides = operation.strides[0];
  for (size_t dim = 0; dim != bias.size(); ++dim) {
    const int64_t at = dim + 1 == bias.size() ? column : row;
    place += bias[dim] == 1 ? 0 : at * biasStrides[dim];
  }
  std::optional<uint64_t> value = at(table_.sequenceAt(term.operands[0].id), place);
  return value ? std::optional(add(sum, *value)) : std::nullopt;
}

} // namespace ccgraph::numerics

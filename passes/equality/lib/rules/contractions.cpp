// Products of tensors that are sums over some of their dimensions: einsum, inner, matmul, outer, tensordot.
//
// Each dimension has a letter, as in an einsum. A product of two tensors becomes a batch of matrix products: letters
// that both have and the result keeps number the matrices, and letters that both have and the result lacks are summed.
#include "axis.h"
#include "rules/compose.h"
#include "rules/reductions.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph::equality {
namespace {

/// A tensor with a letter for each of its dimensions.
struct Lettered {
  Array array;
  std::string letters;
  [[nodiscard]] bool has(char letter) const { return letters.find(letter) != std::string::npos; }
  [[nodiscard]] int64_t sizeOf(char letter) const { return array.sizes[letters.find(letter)]; }
};

Value listOf(IntListRef numbers) {
  std::vector<Value> list;
  for (int64_t number : numbers)
    list.push_back(Value::ofInteger(number));
  return Value(std::move(list));
}

/// Returns the tensor with its dimensions in the order of the letters.
Lettered ordered(Call &call, const Lettered &tensor, const std::string &letters) {
  IntList places;
  for (char letter : letters)
    places.push_back(static_cast<int64_t>(tensor.letters.find(letter)));
  return {applied(call, "aten.permute", {Value(tensor.array), listOf(places)}), letters};
}

/// Sums over the letters that only this tensor has.
Lettered withoutLetters(const Lettered &tensor, const std::string &others) {
  IntList dims;
  std::string left;
  for (size_t dim = 0; dim != tensor.letters.size(); ++dim)
    if (others.find(tensor.letters[dim]) == std::string::npos)
      dims.push_back(static_cast<int64_t>(dim));
    else
      left += tensor.letters[dim];
  return dims.empty() ? tensor : Lettered{sumOver(tensor.array, dims, false), left};
}

/// Repeats dimensions of size 1 that the other tensor has in another size.
Lettered expandedLike(const Lettered &tensor, const Lettered &other) {
  IntList sizes = tensor.array.sizes;
  for (size_t dim = 0; dim != sizes.size(); ++dim)
    if (sizes[dim] == 1 && other.has(tensor.letters[dim]))
      sizes[dim] = other.sizeOf(tensor.letters[dim]);
  return {expandedTo(tensor.array, sizes), tensor.letters};
}

int64_t sizeOf(const Lettered &tensor, llvm::StringRef letters) {
  int64_t size = 1;
  for (char letter : letters)
    size *= tensor.sizeOf(letter);
  return size;
}

/// The letters of a product by the part that they have in it.
struct Parts {
  std::string batch, rows, shared, columns;
};
Parts partsOf(const Lettered &left, const Lettered &right, const std::string &kept) {
  Parts parts;
  for (char letter : left.letters)
    (!right.has(letter) ? parts.rows : kept.find(letter) != std::string::npos ? parts.batch : parts.shared) += letter;
  for (char letter : right.letters)
    if (!left.has(letter))
      parts.columns += letter;
  return parts;
}

bool haveEqualSizes(const Lettered &left, const Lettered &right) {
  return llvm::all_of(left.letters,
                      [&](char letter) { return !right.has(letter) || left.sizeOf(letter) == right.sizeOf(letter); });
}

/// Returns the product, summed over the letters that `kept` lacks.
Lettered contracted(Call &call, const Lettered &a, const Lettered &b, const std::string &kept) {
  Lettered left = withoutLetters(expandedLike(a, b), kept + b.letters);
  Lettered right = withoutLetters(expandedLike(b, a), kept + a.letters);
  call.require(haveEqualSizes(left, right),
               "a product of " + intListText(a.array.sizes) + " by " + intListText(b.array.sizes));
  if (call.failed())
    return a;
  const Parts parts = partsOf(left, right, kept);
  const std::string made = parts.batch + parts.rows + parts.columns;
  IntList sizes;
  for (char letter : made)
    sizes.push_back((left.has(letter) ? left : right).sizeOf(letter));
  const int64_t batch = sizeOf(left, parts.batch), shared = sizeOf(left, parts.shared);
  left = ordered(call, left, parts.batch + parts.rows + parts.shared);
  right = ordered(call, right, parts.batch + parts.shared + parts.columns);
  if (call.failed())
    return a;
  Array product = applied(call, "aten.bmm",
                          {Value(reshaped(left.array, {batch, sizeOf(left, parts.rows), shared})),
                           Value(reshaped(right.array, {batch, shared, sizeOf(right, parts.columns)}))});
  return call.failed() ? a : Lettered{reshaped(product, sizes), made};
}

constexpr llvm::StringLiteral digits = "0123456789";

/// Returns the letters with the dimensions of an ellipsis as digits, the last one for the last dimension.
std::string withoutEllipsis(llvm::StringRef letters, size_t rank) {
  const size_t at = letters.find("...");
  if (at == llvm::StringRef::npos)
    return letters.str();
  const size_t count = std::min(digits.size(), rank - std::min(rank, letters.size() - 3));
  return (letters.take_front(at) + digits.take_back(count) + letters.drop_front(at + 3)).str();
}

/// Without "->", the result has the letters that stand once, in the order of the alphabet, after those of an ellipsis.
std::string impliedResult(llvm::ArrayRef<Lettered> operands) {
  std::string all, once;
  for (const Lettered &operand : operands)
    all += operand.letters;
  llvm::sort(all);
  for (char letter : all)
    if (llvm::count(all, letter) == 1 || (llvm::isDigit(letter) && once.find(letter) == std::string::npos))
      once += letter;
  return once;
}

bool hasLetterTwice(llvm::StringRef letters) {
  return llvm::any_of(letters, [&](char letter) { return letters.count(letter) > 1; });
}

Array productOver(Call &call, llvm::ArrayRef<Lettered> operands, const std::string &result) {
  Lettered product = operands.front();
  for (size_t i = 1; i != operands.size() && !call.failed(); ++i) {
    std::string kept = result;
    for (const Lettered &later : operands.drop_front(i + 1))
      kept += later.letters;
    product = contracted(call, product, operands[i], kept);
  }
  product = withoutLetters(product, result);
  call.require(product.letters.size() == result.size(), "the result has a letter that no operand has");
  return call.failed() ? product.array : ordered(call, product, result).array;
}

// einsum(equation, tensors)
Value einsumRule(Call &call) {
  std::string equation;
  llvm::copy_if(call.text(0), std::back_inserter(equation), [](char letter) { return letter != ' '; });
  auto [given, result] = llvm::StringRef(equation).split("->");
  llvm::SmallVector<llvm::StringRef, 4> letters;
  given.split(letters, ',');
  std::vector<Array> tensors = call.tensors(1);
  call.require(letters.size() == tensors.size(), "the equation '" + equation + "' of another number of tensors");
  std::vector<Lettered> operands;
  std::string ellipsis;
  for (size_t i = 0; i != tensors.size() && !call.failed(); ++i) {
    operands.push_back({*converted(tensors[i], Kind::Float), withoutEllipsis(letters[i], tensors[i].sizes.size())});
    call.require(operands.back().letters.size() == tensors[i].sizes.size(),
                 "the letters '" + letters[i] + "' for " + intListText(tensors[i].sizes));
    call.require(!hasLetterTwice(operands.back().letters), "no rule for a letter that one tensor has twice");
    for (char letter : operands.back().letters)
      if (llvm::isDigit(letter) && ellipsis.find(letter) == std::string::npos)
        ellipsis += letter;
  }
  if (call.failed())
    return {};
  const size_t rank = ellipsis.size() + result.size() - std::min<size_t>(result.size(), 3);
  return Value(productOver(call, operands,
                           given.size() == equation.size() ? impliedResult(operands) : withoutEllipsis(result, rank)));
}

/// The letters of an operand of matmul: those of the batch, and the two of its matrix, or the one of its vector.
std::string matrixLetters(size_t rank, llvm::StringRef matrix, char shared) {
  if (rank < 2)
    return std::string(rank, shared);
  return (digits.take_back(std::min(digits.size(), rank - 2)) + matrix).str();
}

/// Batch sizes are broadcast. A vector on the left is a row, one on the right a column, and the result lacks it.
Array matrixProduct(Call &call, const Array &a, const Array &b) {
  Lettered left{a, matrixLetters(a.sizes.size(), "mk", 'k')}, right{b, matrixLetters(b.sizes.size(), "kn", 'k')};
  call.require(!a.sizes.empty() && !b.sizes.empty(), "a product of a tensor without dimensions");
  if (call.failed())
    return a;
  const Lettered &longer = a.sizes.size() < b.sizes.size() ? right : left;
  std::string result;
  llvm::copy_if(longer.letters, std::back_inserter(result), llvm::isDigit);
  result += std::string(left.has('m') ? "m" : "") + (right.has('n') ? "n" : "");
  return productOver(call, {left, right}, result);
}

Value matmulRule(Call &call) { return Value(matrixProduct(call, call.floats(0), call.floats(1))); }
Value outerRule(Call &call) { return Value(productOver(call, {{call.floats(0), "i"}, {call.floats(1), "j"}}, "ij")); }

constexpr llvm::StringLiteral leftLetters = "abcdefgh", rightLetters = "nopqrstu";

/// inner(self, other): sums over the last dimensions.
Value innerRule(Call &call) {
  Array a = call.floats(0), b = call.floats(1);
  if (a.sizes.empty() || b.sizes.empty())
    return Value(times(call, a, b));
  std::string left = (leftLetters.take_front(a.sizes.size() - 1) + "k").str(),
              right = (rightLetters.take_front(b.sizes.size() - 1) + "k").str();
  return Value(
      productOver(call, {{a, left}, {b, right}}, left.substr(0, left.size() - 1) + right.substr(0, right.size() - 1)));
}

/// tensordot(self, other, dims_self, dims_other)
Value tensordotRule(Call &call) {
  Array a = call.floats(0), b = call.floats(1);
  std::string left = leftLetters.take_front(a.sizes.size()).str(),
              right = rightLetters.take_front(b.sizes.size()).str(), result;
  IntList ofLeft = call.integers(2), ofRight = call.integers(3);
  call.require(ofLeft.size() == ofRight.size(), "tensordot over other numbers of dimensions");
  for (size_t i = 0; i != ofLeft.size() && !call.failed(); ++i) {
    const auto at = static_cast<size_t>(ofLeft[i] < 0 ? ofLeft[i] + static_cast<int64_t>(left.size()) : ofLeft[i]);
    const auto to = static_cast<size_t>(ofRight[i] < 0 ? ofRight[i] + static_cast<int64_t>(right.size()) : ofRight[i]);
    call.require(at < left.size() && to < right.size(), "tensordot over a dimension that a tensor lacks");
    if (!call.failed())
      right[to] = left[at];
  }
  for (char letter : left + right)
    if (llvm::count(left + right, letter) == 1)
      result += letter;
  return call.failed() ? Value() : Value(productOver(call, {{a, left}, {b, right}}, result));
}

} // namespace

llvm::ArrayRef<RuleEntry> contractionRules() {
  static constexpr RuleEntry rules[] = {
      {"aten.einsum", einsumRule}, {"aten.inner", innerRule},         {"aten.matmul", matmulRule},
      {"aten.outer", outerRule},   {"aten.tensordot", tensordotRule},
  };
  return rules;
}

} // namespace ccgraph::equality

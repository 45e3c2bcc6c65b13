// Matrix products. Products of numbers are added without reduction, mostProducts at a time.
#include "axis.h"
#include "map.h"

namespace ccgraph::equality {
namespace {

/// The sizes of one product: [rows, shared] by [shared, columns].
struct ProductSizes {
  int64_t rows, shared, columns;
};

bool hasMarks(const Word *words, int64_t count) { return std::any_of(words, words + count, isMark); }

/// The scalar product of two rows; a mark in either gives NaN.
Word scalarProduct(const Word *a, const Word *b, int64_t count, bool marks) {
  if (marks && (hasMarks(a, count) || hasMarks(b, count)))
    return notANumber;
  Word sum = 0;
  for (int64_t begin = 0; begin < count; begin += mostProducts) {
    detail::Wide wide = 0;
    const int64_t end = std::min<int64_t>(count, begin + mostProducts);
    for (int64_t i = begin; i < end; ++i)
      wide += detail::Wide{a[i]} * b[i];
    sum = addNumbers(sum, reduce(wide));
  }
  return sum;
}

Words transposed(const Word *words, int64_t rows, int64_t columns) {
  Words result(static_cast<size_t>(rows * columns));
  for (int64_t i = 0; i != rows; ++i)
    for (int64_t j = 0; j != columns; ++j)
      result[static_cast<size_t>(j * rows + i)] = words[i * columns + j];
  return result;
}

void multiplyMatrices(const Word *a, const Word *b, Word *out, ProductSizes sizes) {
  Words columns = transposed(b, sizes.shared, sizes.columns);
  bool marks = hasMarks(a, sizes.rows * sizes.shared) || hasMarks(b, sizes.shared * sizes.columns);
  for (int64_t i = 0; i != sizes.rows; ++i)
    for (int64_t j = 0; j != sizes.columns; ++j)
      out[i * sizes.columns + j] =
          scalarProduct(a + i * sizes.shared, columns.data() + j * sizes.shared, sizes.shared, marks);
}

/// A batch of products, [batch, rows, shared] by [batch, shared, columns].
Array batchedProduct(Call &call, const Array &a, const Array &b) {
  call.require(a.sizes.size() == 3 && b.sizes.size() == 3 && a.sizes[0] == b.sizes[0] && a.sizes[2] == b.sizes[1],
               "a product of " + intListText(a.sizes) + " by " + intListText(b.sizes));
  if (call.failed())
    return filled(Kind::Float, {}, 0);
  ProductSizes sizes{a.sizes[1], a.sizes[2], b.sizes[2]};
  Words words(static_cast<size_t>(a.sizes[0] * sizes.rows * sizes.columns));
  for (int64_t i = 0; i != a.sizes[0]; ++i)
    multiplyMatrices(a.words->data() + i * sizes.rows * sizes.shared,
                     b.words->data() + i * sizes.shared * sizes.columns, words.data() + i * sizes.rows * sizes.columns,
                     sizes);
  return makeArray(Kind::Float, {a.sizes[0], sizes.rows, sizes.columns}, std::move(words),
                   std::min(a.digits, b.digits));
}

/// A product of two matrices.
Array product(Call &call, const Array &a, const Array &b) {
  call.require(a.sizes.size() == 2 && b.sizes.size() == 2,
               "a product of " + intListText(a.sizes) + " by " + intListText(b.sizes));
  if (call.failed())
    return filled(Kind::Float, {}, 0);
  Array batch =
      batchedProduct(call, reshaped(a, {1, a.sizes[0], a.sizes[1]}), reshaped(b, {1, b.sizes[0], b.sizes[1]}));
  return call.failed() ? batch : reshaped(batch, {a.sizes[0], b.sizes[1]});
}

Value mmRule(Call &call) { return Value(product(call, call.floats(0), call.floats(1))); }
Value bmmRule(Call &call) { return Value(batchedProduct(call, call.floats(0), call.floats(1))); }

/// Returns beta * base + alpha * product; beta and alpha are parameters 3 and 4.
Value addedTo(Call &call, const Array &base, const Array &product) {
  Word beta = numberOfReal(call.real(3, 1)), alpha = numberOfReal(call.real(4, 1));
  return Value(zipWords(call, product, base, Kind::Float,
                        [&](Word p, Word b) { return add(multiply(p, alpha), multiply(b, beta)); }));
}
Value addmmRule(Call &call) { return addedTo(call, call.floats(0), product(call, call.floats(1), call.floats(2))); }
Value baddbmmRule(Call &call) {
  return addedTo(call, call.floats(0), batchedProduct(call, call.floats(1), call.floats(2)));
}

Value mvRule(Call &call) {
  Array a = call.floats(0), b = call.floats(1);
  Array column = product(call, a, reshaped(b, {b.count(), 1}));
  return call.failed() ? Value() : Value(reshaped(column, {a.sizes[0]}));
}
/// addmv(self, mat, vec, beta, alpha)
Value addmvRule(Call &call) {
  Array a = call.floats(1), b = call.floats(2);
  Array column = product(call, a, reshaped(b, {b.count(), 1}));
  return call.failed() ? Value() : addedTo(call, call.floats(0), reshaped(column, {a.sizes[0]}));
}
/// addr(self, vec1, vec2, beta, alpha)
Value addrRule(Call &call) {
  Array a = call.floats(1), b = call.floats(2);
  return addedTo(call, call.floats(0), product(call, reshaped(a, {a.count(), 1}), reshaped(b, {1, b.count()})));
}
Value dotRule(Call &call) {
  Array a = call.floats(0), b = call.floats(1);
  Array number = product(call, reshaped(a, {1, a.count()}), reshaped(b, {b.count(), 1}));
  return call.failed() ? Value() : Value(reshaped(number, {}));
}

/// linear(input, weight, bias): input weight^T + bias
Value linearRule(Call &call) {
  Array input = call.floats(0), weight = call.floats(1);
  call.require(weight.sizes.size() == 2 && !input.sizes.empty() && input.sizes.back() == weight.sizes[1],
               "a product of " + intListText(input.sizes) + " by " + intListText(weight.sizes));
  if (call.failed())
    return {};
  int64_t shared = weight.sizes[1], columns = weight.sizes[0], rows = shared == 0 ? 0 : input.count() / shared;
  Words right = transposed(weight.words->data(), columns, shared);
  Array flat = product(call, reshaped(input, {rows, shared}),
                       makeArray(Kind::Float, {shared, columns}, std::move(right), weight.digits));
  IntList sizes = input.sizes;
  sizes.back() = columns;
  Array output = reshaped(flat, sizes);
  return Value(call.has(2) ? sumOf(call, output, call.floats(2)) : output);
}

/// Returns the part of a matrix from row `begin` on.
Array rowsOf(const Array &a, int64_t begin, int64_t end) {
  int64_t width = a.sizes.back();
  Words words(a.words->begin() + begin * width, a.words->begin() + end * width);
  return makeArray(Kind::Float, {end - begin, width}, std::move(words), a.digits);
}
Array matrixAt(const Array &a, int64_t index) {
  if (a.sizes.size() == 2)
    return a;
  int64_t size = a.sizes[1] * a.sizes[2];
  Words words(a.words->begin() + index * size, a.words->begin() + (index + 1) * size);
  return makeArray(Kind::Float, {a.sizes[1], a.sizes[2]}, std::move(words), a.digits);
}
Array transposedMatrix(const Array &a) {
  Words words = transposed(a.words->data(), a.sizes[0], a.sizes[1]);
  return makeArray(Kind::Float, {a.sizes[1], a.sizes[0]}, std::move(words), a.digits);
}

/// Where the groups end, ascending and within `length`.
std::vector<int64_t> groupEnds(Call &call, size_t position, int64_t length) {
  std::vector<int64_t> ends;
  Array offsets = call.tensor(position);
  call.require(offsets.kind == Kind::Integer, "ends of groups that are no integers");
  for (int64_t i = 0; i != offsets.count() && !call.failed(); ++i) {
    ends.push_back(offsets.integer(i));
    call.require(ends.back() >= (i == 0 ? 0 : ends[static_cast<size_t>(i) - 1]) && ends.back() <= length,
                 "ends of groups that are not ascending, or beyond " + llvm::Twine(length));
  }
  return ends;
}

/// Group g of the rows of `self` times matrix g, [rows, shared] by [groups, shared, columns]; rows of no group are 0.
Value groupedRows(Call &call, const Array &self, const Array &matrices) {
  std::vector<int64_t> ends = groupEnds(call, 2, self.sizes[0]);
  call.require(static_cast<int64_t>(ends.size()) == matrices.sizes[0], "another number of groups than of matrices");
  const int64_t columns = matrices.sizes[2];
  Words words(static_cast<size_t>(self.sizes[0] * columns), 0);
  int64_t begin = 0;
  for (size_t g = 0; g != ends.size() && !call.failed(); begin = ends[g], ++g) {
    Array part = product(call, rowsOf(self, begin, ends[g]), matrixAt(matrices, static_cast<int64_t>(g)));
    if (!call.failed())
      std::copy(part.words->begin(), part.words->end(), words.begin() + begin * columns);
  }
  return Value(
      makeArray(Kind::Float, {self.sizes[0], columns}, std::move(words), std::min(self.digits, matrices.digits)));
}
/// Result g is the product over group g of the shared dimension, [rows, shared] by [shared, columns].
Value groupedSums(Call &call, const Array &self, const Array &other) {
  std::vector<int64_t> ends = groupEnds(call, 2, self.sizes[1]);
  Array columnsFirst = transposedMatrix(self);
  Words words;
  int64_t begin = 0;
  for (size_t g = 0; g != ends.size() && !call.failed(); begin = ends[g], ++g) {
    Array left = transposedMatrix(rowsOf(columnsFirst, begin, ends[g]));
    Array part = product(call, left, rowsOf(other, begin, ends[g]));
    words.insert(words.end(), part.words->begin(), part.words->end());
  }
  if (call.failed())
    return {};
  return Value(makeArray(Kind::Float, {static_cast<int64_t>(ends.size()), self.sizes[0], other.sizes[1]},
                         std::move(words), std::min(self.digits, other.digits)));
}
// _grouped_mm(self, mat2, offs, bias, out_dtype)
Value groupedProductRule(Call &call) {
  Array self = call.floats(0), other = call.floats(1);
  call.require(!call.has(3), "no rule for a grouped product with a bias");
  const size_t left = self.sizes.size(), right = other.sizes.size();
  if (left == 3 && right == 3)
    return Value(batchedProduct(call, self, other));
  bool fits = call.has(2) && ((left == 2 && right == 3 && self.sizes[1] == other.sizes[1]) ||
                              (left == 2 && right == 2 && self.sizes[1] == other.sizes[0]));
  call.require(fits, "no rule for a grouped product of " + intListText(self.sizes) + " by " + intListText(other.sizes));
  if (call.failed())
    return {};
  return right == 3 ? groupedRows(call, self, other) : groupedSums(call, self, other);
}

/// Multiplies by the scale of a whole matrix, or of each of its rows (dimension 0) or columns (dimension 1).
Array scaledBy(Call &call, const Array &matrix, const Array &scale, size_t dim) {
  const bool isOfLines = scale.sizes.size() == 2 && matrix.sizes.size() == 2 && scale.sizes[1 - dim] == 1 &&
                         scale.sizes[dim] == matrix.sizes[dim];
  call.require(scale.count() == 1 || isOfLines,
               "no rule for scales " + intListText(scale.sizes) + " of a matrix " + intListText(matrix.sizes));
  if (call.failed())
    return matrix;
  return productOfFloats(call, matrix, scale.count() == 1 ? reshaped(scale, {}) : scale);
}
// _scaled_mm(self, mat2, scale_a, scale_b, bias, scale_result): (scale_a self) (scale_b mat2) + bias
Value scaledProductRule(Call &call) {
  call.require(!call.has(5), "no rule for a product with a scale of its result");
  Array a = scaledBy(call, call.floats(0), call.floats(2), 0), b = scaledBy(call, call.floats(1), call.floats(3), 1);
  Array result = call.failed() ? a : product(call, a, b);
  return Value(call.has(4) && !call.failed() ? sumOf(call, result, call.floats(4)) : result);
}

} // namespace

llvm::ArrayRef<RuleEntry> productRules() {
  static constexpr RuleEntry rules[] = {
      {"aten._grouped_mm", groupedProductRule},
      {"aten._scaled_mm", scaledProductRule},
      {"aten.addmm", addmmRule},
      {"aten.addmv", addmvRule},
      {"aten.addr", addrRule},
      {"aten.baddbmm", baddbmmRule},
      {"aten.bmm", bmmRule},
      {"aten.dot", dotRule},
      {"aten.linear", linearRule},
      {"aten.mm", mmRule},
      {"aten.mv", mvRule},
      {"aten.vdot", dotRule},
  };
  return rules;
}

} // namespace ccgraph::equality

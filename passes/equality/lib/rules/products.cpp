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
Value dotRule(Call &call) {
  Array a = call.floats(0), b = call.floats(1);
  Array number = product(call, reshaped(a, {1, a.count()}), reshaped(b, {b.count(), 1}));
  return call.failed() ? Value() : Value(reshaped(number, {}));
}

} // namespace

llvm::ArrayRef<RuleEntry> productRules() {
  static constexpr RuleEntry rules[] = {
      {"aten.addmm", addmmRule}, {"aten.baddbmm", baddbmmRule}, {"aten.bmm", bmmRule},
      {"aten.dot", dotRule},     {"aten.mm", mmRule},           {"aten.mv", mvRule},
  };
  return rules;
}

} // namespace ccgraph::equality

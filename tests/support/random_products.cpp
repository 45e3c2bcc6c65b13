#include "support/random_maker.h"

namespace ccgraph::test {

// Products of matrices before or after a collective, which a pass may cut into pieces of rows, or which almost fit: the
// rows are those over which the product adds, the matrix or the gathered value is written or read in between, or the
// product is read twice.
void RandomMaker::chunkable() {
  const RandomAxis axis = numbers_.pick(axes_);
  auto size = static_cast<int64_t>(axis.size);
  std::optional<RandomValue> input = sendable(axis.size, [&](const RandomValue &value) {
    Sizes sizes = sizesOf(value);
    bool fits = sizes.size() == 2 && (dtypeOf(value) == DType::F32 || dtypeOf(value) == DType::F64);
    return fits && boundOf(value) * boundOf(value) * static_cast<double>(sizes[1] * size) <= mostRandomBound &&
           sizes[0] * sizes[0] * size <= mostRandomElements && sizes[0] * sizes[1] * size <= mostRandomElements;
  });
  if (!input)
    return;
  numbers_.below(2) == 0 ? productOfGathered(*input, axis) : sumOfProduct(*input, axis);
}

/// Returns the transposed view of a matrix without gaps. The view has no name of its own.
Node *RandomMaker::transposed(Node *matrix, const RandomValue &like, const Sizes &sizes) {
  const Type *type = builder_.strided(typeOf(like), {sizes[1], sizes[0]}, {1, sizes[1]});
  return builder_.call("aten.permute.default", type, {matrix, Sizes{1, 0}});
}

/// Puts the rows of each sequence together, of which each rank sends a part, if the rows fall into sequences. Sometimes
/// the parts of the ranks are in another order.
Node *RandomMaker::bySequence(Node *gathered, const RandomValue &like, const Sizes &whole, int64_t ranks) {
  const int64_t sequences = numbers_.below(2) == 0 ? 2 : 3, columns = whole[1], rows = whole[0] / ranks / sequences;
  if (whole[0] % (ranks * sequences) != 0)
    return gathered;
  Node *shaped = builder_.call("aten.view.default", contiguous(like, {ranks * sequences, rows, columns}),
                               {gathered, Sizes{ranks * sequences, rows, columns}});
  const Type *part = contiguous(like, {sequences, rows, columns});
  std::vector<Node *> parts;
  for (int64_t rank = 0; rank < ranks; ++rank)
    parts.push_back(builder_.call("aten.slice.Tensor", part, {shaped, 0, rank * sequences, (rank + 1) * sequences}));
  if (numbers_.below(4) == 3)
    std::reverse(parts.begin(), parts.end());
  Node *joined = builder_.call("aten.cat.default", contiguous(like, {sequences, ranks * rows, columns}),
                               {Actual::nodes(parts), 1});
  return builder_.call("aten.view.default", contiguous(like, whole), {joined, whole});
}

/// The reverse: puts the rows together that each rank receives, a part of each sequence.
Node *RandomMaker::byRank(Node *product, const RandomValue &like, const Sizes &whole, int64_t ranks) {
  const int64_t sequences = numbers_.below(2) == 0 ? 2 : 3, columns = whole[1], rows = whole[0] / ranks / sequences;
  if (whole[0] % (ranks * sequences) != 0)
    return product;
  const Sizes sizes = {sequences, ranks * rows, columns};
  Node *shaped = builder_.call("aten.view.default", contiguous(like, sizes), {product, sizes});
  const Type *part = builder_.strided(typeOf(like), {sequences, rows, columns}, {ranks * rows * columns, columns, 1});
  std::vector<Node *> parts;
  for (int64_t rank = 0; rank < ranks; ++rank)
    parts.push_back(builder_.call("aten.slice.Tensor", part, {shaped, 1, rank * rows, (rank + 1) * rows}));
  if (numbers_.below(4) == 3)
    std::reverse(parts.begin(), parts.end());
  Node *joined = builder_.call("aten.cat.default", contiguous(like, {ranks * sequences, rows, columns}),
                               {Actual::nodes(parts), 0});
  return builder_.call("aten.view.default", contiguous(like, whole), {joined, whole});
}

void RandomMaker::productOfGathered(const RandomValue &input, const RandomAxis &axis) {
  auto size = static_cast<int64_t>(axis.size);
  Sizes sizes = sizesOf(input), whole = {sizes[0] * size, sizes[1]};
  double bound = boundOf(input) * boundOf(input) * static_cast<double>(sizes[1]);
  Node *matrix = transposed(input.node, input, sizes);
  Node *gathered = between(
      waited("all_gather_into_tensor", contiguous(input, whole), {input.node, size, groupOf(axis)}), boundOf(input));
  if (numbers_.below(2) == 0)
    gathered = bySequence(gathered, input, whole, size);
  const bool sums = numbers_.below(4) == 3;
  if (sums) {
    Node *columns = transposed(gathered, input, whole);
    define(builder_.call("aten.mm.default", contiguous(input, {sizes[1], sizes[1]}), {columns, gathered}),
           boundOf(input) * boundOf(input) * static_cast<double>(whole[0]));
    return;
  }
  const Type *type = contiguous(input, {whole[0], sizes[0]});
  define(builder_.call("aten.mm.default", type, {gathered, matrix}), bound);
  if (numbers_.below(2) == 0)
    define(builder_.call("aten.mm.default", type, {gathered, matrix}), bound);
}

void RandomMaker::sumOfProduct(const RandomValue &input, const RandomAxis &axis) {
  auto size = static_cast<int64_t>(axis.size);
  Sizes sizes = sizesOf(input);
  double bound = boundOf(input) * boundOf(input) * static_cast<double>(sizes[1]);
  const Type *type = contiguous(input, {sizes[0], sizes[0]});
  Node *product =
      between(builder_.call("aten.mm.default", type, {input.node, transposed(input.node, input, sizes)}), bound);
  double sum = bound * static_cast<double>(size);
  const bool reduces = numbers_.below(2) == 0;
  if (!reduces && numbers_.below(2) == 0)
    product = byRank(product, input, {sizes[0], sizes[0]}, size);
  if (reduces)
    define(waited("all_reduce", type, {product, "sum", groupOf(axis)}), sum);
  else
    define(waited("reduce_scatter_tensor", contiguous(input, {sizes[0] / size, sizes[0]}),
                  {product, "sum", size, groupOf(axis)}),
           sum);
}

} // namespace ccgraph::test

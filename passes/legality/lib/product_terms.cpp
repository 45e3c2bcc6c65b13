#include "chain.h"
#include "computed_terms.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

uint32_t Terms::internProduct(Product product) {
  auto known = llvm::find(products_, product);
  if (known == products_.end())
    known = products_.insert(known, std::move(product));
  auto number = static_cast<uint32_t>(known - products_.begin());
  return intern({.kind = Term::Kind::Own, .step = computedStep({Computed::Kind::Product, number})});
}

namespace {

/// Some columns of a wider matrix of the same rows.
struct Columns {
  Run matrix;        ///< all of the wider matrix
  int64_t width = 0; ///< its number of columns
  int64_t first = 0;
};

/// Returns the wider matrix of which a matrix has some columns: each of its rows is one run, and the runs are equally
/// far apart. Empty for any other matrix.
std::optional<Columns> columnsOf(const Layout &matrix) {
  const Runs &runs = *matrix.runs;
  const int64_t rows = matrix.sizes[0], count = matrix.sizes[1];
  if (rows < 2 || static_cast<int64_t>(runs.size()) != rows)
    return std::nullopt;
  const int64_t width = runs[1].start - runs[0].start;
  if (width <= count || runs[0].start % width + count > width)
    return std::nullopt;
  for (int64_t row = 0; row < rows; ++row) {
    Run expected = runs[0];
    expected.offset = row * count;
    expected.start += row * width;
    if (runs[row] != expected || expected.count != count)
      return std::nullopt;
  }
  Columns columns{runs[0], width, runs[0].start % width};
  columns.matrix.start -= columns.first;
  columns.matrix.count = rows * width;
  return columns;
}

} // namespace

// For x = f32[2, 4] and columns 1 and 2 of W = f32[4, 3], the product is "x W from 1, 2 elements; x W from 4, 2
// elements": columns of a product are a product of columns, so pieces that are put together are the whole.
std::optional<Runs> Terms::productOfColumns(const Layout &rows, const Layout &matrix) {
  const std::optional<Columns> columns = columnsOf(matrix);
  if (!columns)
    return std::nullopt;
  Layout wide = contiguous({matrix.sizes[0], columns->width}, {columns->matrix});
  const std::optional<Layout> whole = product(rows, wide);
  if (!whole)
    return std::nullopt;
  Excerpt excerpt = excerptOf(*whole);
  excerpt.sizes[1] = matrix.sizes[1];
  excerpt.base = columns->first;
  const std::optional<Layout> part = look(*whole, excerpt);
  return part ? std::optional(*part->runs) : std::nullopt;
}

std::optional<Runs> Terms::productOfRuns(const Runs &rows, int64_t inner, int64_t columns, Product product) {
  Runs runs;
  for (Run run : rows) {
    if (run.start % inner != 0 || run.count % inner != 0 || run.perRank % inner != 0)
      return std::nullopt;
    product.rows = run.source;
    run.source = internProduct(product);
    run.start = run.start / inner * columns;
    run.count = run.count / inner * columns;
    run.perRank = run.perRank / inner * columns;
    append(runs, run);
  }
  return runs;
}

// For 2 ranks, a = f32[3, 4] and the gather of x = f32[2, 4], the product of a and of the transposed gather is, column
// by column, "rank 0's x times the transposed a from 0, 6 elements; rank 1's from 0, 6 elements".
std::optional<Layout> Terms::productOfGathered(const Layout &rows, const Layout &columns) {
  const int64_t count = rows.sizes[0];
  auto runs = productOfRuns(*columns.runs, rows.sizes[1], count, {0, rows.sizes, *rows.runs, true});
  const int64_t sizes[] = {columns.sizes[1], count};
  if (!runs)
    return std::nullopt;
  Layout product = permuted(contiguous(sizes, std::move(*runs)), {1, 0});
  product.strides = rowMajor(product.sizes);
  return product;
}

// For 2 ranks, x = f32[2, 4] and a matrix W = f32[4, 3], the gather of x is "rank 0's x from 0, 8 elements; rank 1's x
// from 0, 8 elements". Its product is "rank 0's x W from 0, 6 elements; rank 1's x W from 0, 6 elements", with this
// rank's W: the products are terms of this rank's own.
std::optional<Layout> Terms::product(const Layout &first, const Layout &second) {
  const bool fits = !first.unsized && !second.unsized && first.sizes.size() == 2 && second.sizes.size() == 2 &&
                    first.sizes[1] == second.sizes[0] && first.sizes[1] > 0;
  const std::optional<Layout> rows = fits ? inRowMajorOrder(first) : std::nullopt;
  if (!rows)
    return std::nullopt;
  if (!second.order.empty() && llvm::any_of(*second.runs, [&](const Run &run) { return !isOwn(run); }))
    return productOfGathered(*rows, second);
  const std::optional<Layout> matrix = inRowMajorOrder(second);
  if (!matrix)
    return std::nullopt;
  const int64_t inner = rows->sizes[1], columns = matrix->sizes[1];
  std::optional<Runs> runs = productOfColumns(*rows, *matrix);
  if (!runs)
    runs = productOfRuns(*rows->runs, inner, columns, {0, matrix->sizes, *matrix->runs});
  const int64_t sizes[] = {rows->sizes[0], columns};
  return runs ? std::optional(contiguous(sizes, std::move(*runs))) : std::nullopt;
}

} // namespace ccgraph::legality

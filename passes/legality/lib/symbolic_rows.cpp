#include "symbolic_rows.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

std::optional<Quantity> productOf(llvm::ArrayRef<Quantity> sizes) {
  std::optional<Quantity> product = Quantity(1);
  for (const Quantity &size : sizes)
    if (product = product->times(size); !product)
      return std::nullopt;
  return product;
}

bool areEqual(llvm::ArrayRef<Quantity> a, llvm::ArrayRef<Quantity> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Quantity &x, const Quantity &y) { return x.equals(y); });
}

std::optional<Quantities> rowMajor(llvm::ArrayRef<Quantity> sizes) {
  Quantities strides(sizes.size(), Quantity(1));
  for (size_t dim = sizes.size(); dim-- > 0;) {
    std::optional<Quantity> stride = productOf(sizes.drop_front(dim + 1));
    if (!stride)
      return std::nullopt;
    strides[dim] = std::move(*stride);
  }
  return strides;
}

std::optional<RowValue> newValue(DType dtype, llvm::ArrayRef<Quantity> sizes, RowRuns runs) {
  std::optional<Quantities> strides = rowMajor(sizes);
  const std::optional<int64_t> columns = sizes.empty() ? std::nullopt : sizes.back().number();
  if (!strides || columns.value_or(0) <= 0)
    return std::nullopt;
  return RowValue{Quantities(sizes.begin(), sizes.end()), std::move(*strides), dtype,
                  std::make_shared<const RowRuns>(std::move(runs))};
}

bool hasStrides(const RowValue &value, llvm::ArrayRef<Quantity> strides) {
  for (size_t dim = 0; dim < strides.size(); ++dim)
    if (value.sizes[dim].number() != 1 && !value.strides[dim].equals(strides[dim]))
      return false;
  return strides.size() == value.strides.size();
}

bool hasNoGaps(const RowValue &value) {
  const std::optional<Quantities> dense = rowMajor(value.sizes);
  return dense && hasStrides(value, *dense);
}

bool holdTheSame(const RowValue &a, const RowValue &b) {
  auto isSame = [](const RowRun &x, const RowRun &y) {
    return x.source == y.source && x.start.equals(y.start) && x.count.equals(y.count) && x.perRank.equals(y.perRank);
  };
  return areEqual(a.sizes, b.sizes) &&
         std::equal(a.runs->begin(), a.runs->end(), b.runs->begin(), b.runs->end(), isSame);
}

bool append(RowRuns &runs, const RowRun &run) {
  if (run.count.number() == 0)
    return true;
  if (!runs.empty() && runs.back().source == run.source && runs.back().perRank.equals(run.perRank)) {
    RowRun &last = runs.back();
    const std::optional<Quantity> next = last.start.plus(last.count), count = last.count.plus(run.count);
    if (!next || !count)
      return false;
    if (next->equals(run.start)) {
      last.count = *count;
      return true;
    }
  }
  runs.push_back(run);
  return runs.size() <= maxRowRuns;
}

bool append(RowRuns &runs, const RowRuns &others) {
  return llvm::all_of(others, [&](const RowRun &run) { return append(runs, run); });
}

namespace {

/// Appends the part of a run, which begins at row `at` of its value, that is in rows [from, to).
bool appendPart(RowRuns &part, const RowRun &run, const Quantity &at, const Quantity &from, const Quantity &to) {
  const std::optional<Quantity> end = at.plus(run.count);
  if (!end)
    return false;
  if (end->isAtMost(from) || to.isAtMost(at))
    return true;
  const std::optional<Quantity> first = Quantity::larger(at, from), last = Quantity::smaller(*end, to);
  if (!first || !last || !first->isAtMost(*last))
    return false;
  const std::optional<Quantity> skipped = first->minus(at), count = last->minus(*first);
  const std::optional<Quantity> start = skipped ? run.start.plus(*skipped) : std::nullopt;
  return start && count && append(part, {run.source, *start, *count, run.perRank});
}

} // namespace

std::optional<RowRuns> rowsOf(const RowValue &value, const Quantity &from, const Quantity &count) {
  const std::optional<Quantity> rows = value.rows(), to = from.plus(count);
  if (!rows || !to || !Quantity(0).isAtMost(from) || !Quantity(0).isAtMost(count) || !to->isAtMost(*rows))
    return std::nullopt;
  RowRuns part;
  Quantity at(0);
  for (const RowRun &run : *value.runs) {
    const std::optional<Quantity> next = at.plus(run.count);
    if (!next || !appendPart(part, run, at, from, *to))
      return std::nullopt;
    at = *next;
  }
  return part;
}

namespace {

/// The rows of a value by a dimension: `outer` blocks, each with `inner` rows for each element of the dimension.
struct Blocks {
  int64_t outer = 1;
  Quantity inner = Quantity(1);
};

/// Empty if the number of blocks depends on the symbol.
std::optional<Blocks> blocksOf(llvm::ArrayRef<Quantity> sizes, size_t dim) {
  if (dim + 1 >= sizes.size())
    return std::nullopt;
  const std::optional<Quantity> outer = productOf(sizes.take_front(dim)),
                                inner = productOf(sizes.slice(dim + 1, sizes.size() - dim - 2));
  const std::optional<int64_t> number = outer ? outer->number() : std::nullopt;
  const bool isSmall = number && *number >= 0 && *number <= static_cast<int64_t>(maxRowRuns);
  return isSmall && inner ? std::optional(Blocks{*number, *inner}) : std::nullopt;
}

/// Appends elements [from, from + count) of the dimension, of one block.
bool appendOfBlock(RowRuns &runs, const RowValue &value, size_t dim, int64_t block, const Quantity &from,
                   const Quantity &count) {
  const std::optional<Blocks> blocks = blocksOf(value.sizes, dim);
  const std::optional<Quantity> before = blocks ? value.sizes[dim].times(Quantity(block)) : std::nullopt;
  const std::optional<Quantity> first = before ? before->plus(from) : std::nullopt;
  const std::optional<Quantity> begin = first ? first->times(blocks->inner) : std::nullopt,
                                length = blocks ? count.times(blocks->inner) : std::nullopt;
  const std::optional<RowRuns> part = begin && length ? rowsOf(value, *begin, *length) : std::nullopt;
  return part && append(runs, *part);
}

} // namespace

std::optional<RowValue> sliced(const RowValue &value, size_t dim, const Quantity &from, const Quantity &to) {
  const std::optional<Blocks> blocks = blocksOf(value.sizes, dim);
  const std::optional<Quantity> count = to.minus(from);
  const bool fits = blocks && count && Quantity(0).isAtMost(from) && from.isAtMost(to) && to.isAtMost(value.sizes[dim]);
  if (!fits)
    return std::nullopt;
  RowRuns runs;
  for (int64_t block = 0; block < blocks->outer; ++block)
    if (!appendOfBlock(runs, value, dim, block, from, *count))
      return std::nullopt;
  RowValue part = value;
  part.sizes[dim] = *count;
  part.runs = std::make_shared<const RowRuns>(std::move(runs));
  part.fillsMemory = value.fillsMemory && count->equals(value.sizes[dim]);
  return part;
}

std::optional<RowValue> resized(const RowValue &value, llvm::ArrayRef<Quantity> sizes, bool mayCopy) {
  std::optional<RowValue> other = newValue(value.dtype, sizes, *value.runs);
  const std::optional<Quantity> was = value.rows(), now = other ? other->rows() : std::nullopt;
  if (!was || !now || other->columns() != value.columns() || !was->equals(*now) || !rowMajor(value.sizes))
    return std::nullopt;
  const bool isView = hasNoGaps(value);
  if (!isView && !mayCopy)
    return std::nullopt;
  // With gaps, it may be a view or a copy.
  other->fillsMemory = isView && value.fillsMemory;
  return other;
}

std::optional<RowValue> concatenated(llvm::ArrayRef<const RowValue *> values, size_t dim) {
  const RowValue &first = *values.front();
  const std::optional<Blocks> blocks = blocksOf(first.sizes, dim);
  if (!blocks)
    return std::nullopt;
  Quantities sizes = first.sizes;
  std::optional<Quantity> total = Quantity(0);
  for (const RowValue *value : values) {
    if (value->sizes.size() != sizes.size() || value->dtype != first.dtype)
      return std::nullopt;
    sizes[dim] = value->sizes[dim];
    total = areEqual(sizes, value->sizes) ? total->plus(value->sizes[dim]) : std::nullopt;
    if (!total)
      return std::nullopt;
  }
  sizes[dim] = *total;
  RowRuns runs;
  for (int64_t block = 0; block < blocks->outer; ++block)
    for (const RowValue *value : values)
      if (!appendOfBlock(runs, *value, dim, block, Quantity(0), value->sizes[dim]))
        return std::nullopt;
  return newValue(first.dtype, sizes, std::move(runs));
}

} // namespace ccgraph::legality

#include "lines.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

DimList LineValue::sizes() const {
  DimList sizes(counts.begin(), counts.end());
  sizes.insert(axis == LineAxis::Columns ? sizes.begin() : sizes.end(), line.begin(), line.end());
  return sizes;
}

bool append(LineRuns &runs, const LineRun &run) {
  if (run.count == 0)
    return true;
  if (!runs.empty() && runs.back().source == run.source && runs.back().start + runs.back().count == run.start)
    runs.back().count += run.count;
  else
    runs.push_back(run);
  return runs.size() <= maxLineRuns;
}

DimList denseStrides(Context &context, const LineValue &value) {
  llvm::ArrayRef<Dim> strides = context.contiguousTensor(value.dtype, value.sizes(), {})->strides();
  return {strides.begin(), strides.end()};
}

bool hasStrides(const LineValue &value, llvm::ArrayRef<Dim> strides) {
  const DimList sizes = value.sizes();
  for (size_t dim = 0; dim < strides.size(); ++dim)
    if (!(sizes[dim] == Dim(1)) && !(value.strides[dim] == strides[dim]))
      return false;
  return strides.size() == value.strides.size();
}

bool holdTheSame(const LineValue &a, const LineValue &b) {
  return a.axis == b.axis && a.line == b.line && a.counts == b.counts && a.runs == b.runs;
}

namespace {

/// Returns which of the dimensions that count lines this one is.
std::optional<size_t> countOf(const LineValue &value, size_t dim) {
  const size_t first = value.axis == LineAxis::Columns ? value.line.size() : 0;
  return dim >= first && dim < first + value.counts.size() ? std::optional(dim - first) : std::nullopt;
}

/// Appends lines [from, from + count) of a value.
bool appendLines(LineRuns &runs, const LineValue &value, int64_t from, int64_t count) {
  int64_t at = 0;
  for (const LineRun &run : value.runs) {
    const int64_t first = std::max(at, from), last = std::min(at + run.count, from + count);
    if (first < last && !append(runs, {run.source, run.start + first - at, last - first}))
      return false;
    at += run.count;
  }
  return true;
}

/// Appends elements [from, to) of a dimension, of one block: one element of the dimensions before it.
bool appendOfBlock(LineRuns &runs, const LineValue &value, size_t count, int64_t block,
                   std::pair<int64_t, int64_t> part) {
  const int64_t inner = productOf(llvm::makeArrayRef(value.counts).drop_front(count + 1));
  return appendLines(runs, value, (block * value.counts[count] + part.first) * inner,
                     (part.second - part.first) * inner);
}

int64_t blocksOf(const LineValue &value, size_t count) {
  return productOf(llvm::makeArrayRef(value.counts).take_front(count));
}

} // namespace

std::optional<LineValue> sliced(const LineValue &value, size_t dim, int64_t from, int64_t to) {
  const std::optional<size_t> count = countOf(value, dim);
  if (!count || from < 0 || from > to || to > value.counts[*count])
    return std::nullopt;
  LineValue part = value;
  part.runs.clear();
  for (int64_t block = 0; block < blocksOf(value, *count); ++block)
    if (!appendOfBlock(part.runs, value, *count, block, {from, to}))
      return std::nullopt;
  part.counts[*count] = to - from;
  part.fillsMemory = value.fillsMemory && part.counts == value.counts;
  return part;
}

std::optional<LineValue> concatenated(Context &context, llvm::ArrayRef<const LineValue *> values, size_t dim) {
  LineValue whole = *values.front();
  const std::optional<size_t> count = countOf(whole, dim);
  if (!count)
    return std::nullopt;
  whole.counts[*count] = 0;
  for (const LineValue *value : values) {
    IntList others = value->counts;
    if (value->axis != whole.axis || value->line != whole.line || others.size() != whole.counts.size() ||
        value->dtype != whole.dtype)
      return std::nullopt;
    others[*count] = whole.counts[*count];
    if (others != whole.counts)
      return std::nullopt;
    whole.counts[*count] = saturatingAdd(whole.counts[*count], value->counts[*count]);
  }
  whole.runs.clear();
  for (int64_t block = 0; block < blocksOf(whole, *count); ++block)
    for (const LineValue *value : values)
      if (!appendOfBlock(whole.runs, *value, *count, block, {0, value->counts[*count]}))
        return std::nullopt;
  whole.strides = denseStrides(context, whole);
  whole.fillsMemory = true;
  return whole;
}

namespace {

bool isNumber(const Dim &size) { return size.isStatic() && size.value() >= 0; }

/// Returns how many sizes, from the first one on or up to the last one, count so many lines: as many as can, but one
/// belongs to a line.
std::optional<size_t> sizesThatCount(llvm::ArrayRef<Dim> sizes, LineAxis axis, int64_t lines) {
  std::optional<size_t> most;
  int64_t product = 1;
  for (size_t number = 0; number + 1 < sizes.size(); ++number) {
    const Dim &size = axis == LineAxis::Rows ? sizes[number] : sizes[sizes.size() - 1 - number];
    if (!isNumber(size))
      break;
    product = saturatingMultiply(product, size.value());
    most = product == lines ? std::optional(number + 1) : most;
  }
  return most;
}

} // namespace

std::optional<LineValue> resized(Context &context, const LineValue &value, llvm::ArrayRef<Dim> sizes) {
  const std::optional<size_t> count = sizesThatCount(sizes, value.axis, productOf(value.counts));
  if (!count || !hasStrides(value, denseStrides(context, value)))
    return std::nullopt;
  const bool isOfRows = value.axis == LineAxis::Rows;
  llvm::ArrayRef<Dim> counts = isOfRows ? sizes.take_front(*count) : sizes.take_back(*count);
  llvm::ArrayRef<Dim> line = isOfRows ? sizes.drop_front(*count) : sizes.drop_back(*count);
  const Dim length = productOf(context, value.line);
  LineValue other = value;
  other.line.assign(line.begin(), line.end());
  if (line.size() == 1 && line.front() == Dim(-1))
    other.line.front() = length;
  if (!(productOf(context, other.line) == length))
    return std::nullopt;
  other.counts.clear();
  for (const Dim &size : counts)
    other.counts.push_back(size.value());
  other.strides = denseStrides(context, other);
  return other;
}

std::optional<LineValue> transposed(const LineValue &value) {
  if (value.rank() != 2 || value.line.size() != 1)
    return std::nullopt;
  LineValue other = value;
  other.axis = value.axis == LineAxis::Rows ? LineAxis::Columns : LineAxis::Rows;
  std::swap(other.strides[0], other.strides[1]);
  return other;
}

} // namespace ccgraph::legality

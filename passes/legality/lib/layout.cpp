#include "layout.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

namespace ccgraph::legality {

int64_t product(llvm::ArrayRef<int64_t> sizes) {
  int64_t total = 1;
  for (int64_t size : sizes)
    if (__builtin_mul_overflow(total, size, &total))
      return INT64_MAX; // no value has that many elements, so no value is equal
  return total;
}

int64_t Layout::numElements() const { return product(sizes); }

IntList rowMajor(llvm::ArrayRef<int64_t> sizes) {
  IntList strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::max<int64_t>(sizes[i], 1);
  return strides;
}

IntList ascending(size_t rank) {
  IntList dims(rank);
  std::iota(dims.begin(), dims.end(), int64_t(0));
  return dims;
}

/// Joins a run that continues the previous one, so that equal values have equal runs, however they were composed.
void append(Runs &runs, Run run) {
  if (run.count == 0)
    return;
  run.offset = runs.empty() ? 0 : runs.back().offset + runs.back().count;
  if (!runs.empty() && runs.back().source == run.source && runs.back().result == run.result &&
      runs.back().perRank == run.perRank && runs.back().start + runs.back().count == run.start)
    runs.back().count += run.count;
  else
    runs.push_back(run);
}

void take(const Runs &from, int64_t offset, int64_t count, Runs &to) {
  auto run = llvm::partition_point(from, [&](const Run &one) { return one.offset + one.count <= offset; });
  for (; count > 0 && run != from.end(); ++run) {
    int64_t skip = offset - run->offset;
    int64_t part = std::min(count, run->count - skip);
    append(to, {0, run->start + skip, part, run->source, run->result, run->perRank});
    offset += part;
    count -= part;
  }
}

Layout contiguous(llvm::ArrayRef<int64_t> sizes, Runs runs) {
  return {IntList(sizes.begin(), sizes.end()), rowMajor(sizes), true, false,
          std::make_shared<const Runs>(std::move(runs))};
}

Layout whole(uint32_t source, bool result, llvm::ArrayRef<int64_t> sizes) {
  Runs runs;
  append(runs, {0, 0, product(sizes), source, result});
  return contiguous(sizes, std::move(runs));
}

Layout wholeUnsized(uint32_t source, bool result) {
  return {{}, {}, false, true, std::make_shared<const Runs>(Runs{{0, 0, 1, source, result}})};
}

namespace {

/// Adjacent dimensions that are uniform in memory: `count` elements, `stride` elements apart.
struct Stretch {
  int64_t count = 1;
  int64_t stride = 1;
};

/// Joins adjacent dimensions wherever their memory is uniform, innermost first.
llvm::SmallVector<Stretch, 4> stretches(const Layout &value) {
  llvm::SmallVector<Stretch, 4> joined;
  for (size_t i = value.sizes.size(); i-- > 0;) {
    if (value.sizes[i] == 1)
      continue;
    if (!joined.empty() && value.strides[i] == joined.back().stride * joined.back().count)
      joined.back().count *= value.sizes[i];
    else
      joined.push_back({value.sizes[i], value.strides[i]});
  }
  return joined;
}

/// Returns the strides of the same memory under other sizes; empty if a new dimension would cross a gap.
std::optional<IntList> viewStrides(const Layout &value, llvm::ArrayRef<int64_t> sizes) {
  if (!value.stridesKnown)
    return std::nullopt;
  if (value.numElements() == 0)
    return rowMajor(sizes);
  // Stretches are filled from the innermost dimension outwards. A new dimension may take a part of one stretch (which
  // it must divide), but not parts of two, since there is a gap between them.
  auto rest = stretches(value);
  size_t next = 0;
  IntList strides(sizes.size(), 1);
  Stretch open = rest.empty() ? Stretch() : rest[next++];
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] > 1 && open.count == 1 && next < rest.size())
      open = rest[next++];
    strides[i] = open.stride;
    if (sizes[i] == 1)
      continue;
    if (open.count % sizes[i] != 0)
      return std::nullopt;
    open.count /= sizes[i];
    open.stride *= sizes[i];
  }
  return strides;
}

/// Returns the dimensions of more than one element.
IntList largeDims(llvm::ArrayRef<int64_t> sizes) {
  IntList dims;
  for (const int64_t dim : ascending(sizes.size()))
    if (sizes[dim] != 1)
      dims.push_back(dim);
  return dims;
}

IntList sizesOf(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> dims) {
  IntList some;
  for (const int64_t dim : dims)
    some.push_back(sizes[dim]);
  return some;
}

/// Returns the order of all dimensions of a value that has elements: each of size 1 follows the one before it.
IntList canonicalOrder(llvm::ArrayRef<int64_t> order, llvm::ArrayRef<int64_t> sizes) {
  IntList all;
  for (const int64_t dim : order)
    if (sizes[dim] != 1)
      all.push_back(dim);
  for (const int64_t dim : ascending(sizes.size()))
    if (sizes[dim] == 1)
      all.insert(dim == 0 ? all.begin() : llvm::find(all, dim - 1) + 1, dim);
  return all == ascending(all.size()) ? IntList() : all;
}

/// Adjacent dimensions of a value, and those of a reshaped value that have the same elements.
struct SharedDims {
  size_t first = 0, last = 0; ///< of the value, `last` excluded
  IntList reshaped;
};

/// Returns the smallest such dimensions. All sizes are greater than 1, and both products are equal.
std::vector<SharedDims> sharedDims(llvm::ArrayRef<int64_t> was, llvm::ArrayRef<int64_t> now) {
  std::vector<SharedDims> shared;
  for (size_t i = 0, j = 0; i < was.size();) {
    SharedDims dims{i, i + 1, {}};
    for (int64_t a = was[i], b = 1; a != b;)
      if (a < b)
        a *= was[dims.last++];
      else
        dims.reshaped.push_back(static_cast<int64_t>(j)), b *= now[j++];
    i = dims.last;
    shared.push_back(std::move(dims));
  }
  return shared;
}

/// Returns the order of a reshaped value that has the same runs; empty if there is none. Dimensions may be split, and
/// those be joined that follow one another in the order too.
std::optional<IntList> orderAfter(const Layout &value, llvm::ArrayRef<int64_t> sizes) {
  if (value.numElements() == INT64_MAX)
    return std::nullopt; // the products of sizes may overflow
  const IntList was = largeDims(value.sizes), now = largeDims(sizes);
  const std::vector<SharedDims> shared = sharedDims(sizesOf(value.sizes, was), sizesOf(sizes, now));
  IntList listed; // by position in the order: the number of the dimension among the large ones
  for (const int64_t dim : value.order)
    if (const int64_t *large = llvm::find(was, dim); large != was.end())
      listed.push_back(large - was.begin());
  IntList order;
  for (const int64_t *dim = listed.begin(); dim != listed.end();) {
    const auto dims =
        llvm::find_if(shared, [&](const SharedDims &one) { return static_cast<int64_t>(one.first) == *dim; });
    if (dims == shared.end())
      return std::nullopt;
    for (size_t next = dims->first; next < dims->last; ++next, ++dim)
      if (dim == listed.end() || *dim != static_cast<int64_t>(next))
        return std::nullopt;
    for (const int64_t reshaped : dims->reshaped)
      order.push_back(now[reshaped]);
  }
  return canonicalOrder(order, sizes);
}

} // namespace

std::optional<Layout> reshape(const Layout &value, llvm::ArrayRef<int64_t> sizes, bool mayCopy) {
  if (product(sizes) != value.numElements() || llvm::any_of(sizes, [](int64_t size) { return size < 0; }))
    return std::nullopt;
  const std::optional<IntList> order = value.order.empty() ? IntList() : orderAfter(value, sizes);
  if (!order) {
    const std::optional<Layout> rows = inRowMajorOrder(value);
    return rows ? reshape(*rows, sizes, mayCopy) : std::nullopt;
  }
  Layout result{IntList(sizes.begin(), sizes.end()), rowMajor(sizes), value.stridesKnown, false, value.runs, *order};
  if (auto strides = viewStrides(value, sizes))
    result.strides = *strides;
  else if (!mayCopy)
    return std::nullopt;
  return result;
}

/// Returns the values in row-major order; empty if one would need too many runs.
static std::optional<std::vector<Layout>> inRowMajorOrder(llvm::ArrayRef<Layout> values) {
  std::vector<Layout> listed;
  for (const Layout &value : values) {
    std::optional<Layout> rows = inRowMajorOrder(value);
    if (!rows)
      return std::nullopt;
    listed.push_back(std::move(*rows));
  }
  return listed;
}

// Values of one order are concatenated with their dimensions in this order. A value of size 1 along the concatenated
// dimension has each order that only moves this dimension.
static std::optional<Layout> concatenateOrdered(llvm::ArrayRef<Layout> values, int64_t dim) {
  const auto *longest = std::max_element(values.begin(), values.end(),
                                         [&](const Layout &a, const Layout &b) { return a.sizes[dim] < b.sizes[dim]; });
  const IntList order = longest->order.empty() ? ascending(longest->sizes.size()) : longest->order;
  std::vector<Layout> listed;
  for (const Layout &value : values)
    listed.push_back(permuted(value, order));
  if (llvm::any_of(listed, [](const Layout &value) { return !value.order.empty(); })) {
    const auto rows = inRowMajorOrder(values);
    return rows ? concatenate(*rows, dim) : std::nullopt;
  }
  std::optional<Layout> whole = concatenate(listed, llvm::find(order, dim) - order.begin());
  if (!whole)
    return std::nullopt;
  IntList back(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    back[order[i]] = static_cast<int64_t>(i);
  whole = permuted(*whole, back);
  whole->strides = rowMajor(whole->sizes);
  return whole;
}

std::optional<Layout> concatenate(llvm::ArrayRef<Layout> values, int64_t dim) {
  const auto hasRank = [&](const Layout &value) { return value.sizes.size() == values[0].sizes.size(); };
  if (values.empty() || dim < 0 || dim >= static_cast<int64_t>(values[0].sizes.size()) ||
      !llvm::all_of(values, hasRank))
    return std::nullopt;
  if (llvm::any_of(values, [](const Layout &value) { return !value.order.empty(); }))
    return concatenateOrdered(values, dim);
  IntList sizes = values[0].sizes;
  sizes[dim] = 0;
  for (const Layout &value : values) {
    IntList expected = sizes;
    expected[dim] = value.sizes[dim];
    if (value.sizes != expected)
      return std::nullopt;
  }
  for (const Layout &value : values)
    sizes[dim] += value.sizes[dim];
  // The result is row-major, so each index of the dimensions before `dim` has one chunk of every operand, in operand
  // order.
  int64_t outer = product(llvm::ArrayRef<int64_t>(sizes).take_front(dim));
  Runs runs;
  for (int64_t row = 0; row < outer; ++row)
    for (const Layout &value : values) {
      int64_t chunk = product(llvm::ArrayRef<int64_t>(value.sizes).drop_front(dim));
      take(*value.runs, row * chunk, chunk, runs);
      if (runs.size() > maxRuns)
        return std::nullopt;
    }
  return contiguous(sizes, std::move(runs));
}

Layout permuted(const Layout &value, llvm::ArrayRef<int64_t> dims) {
  Layout result = value;
  for (size_t i = 0; i < dims.size(); ++i) {
    result.sizes[i] = value.sizes[dims[i]];
    result.strides[i] = value.strides[dims[i]];
  }
  IntList order;
  for (const int64_t dim : value.order.empty() ? ascending(dims.size()) : value.order)
    order.push_back(llvm::find(dims, dim) - dims.begin());
  result.order = value.numElements() == 0 ? IntList() : canonicalOrder(order, result.sizes);
  return result;
}

std::optional<Layout> inRowMajorOrder(const Layout &value) {
  return value.order.empty() ? std::optional(value) : look(value, excerptOf(value));
}

bool sameElements(const Layout &a, const Layout &b) {
  if (a.unsized != b.unsized || a.sizes != b.sizes)
    return false;
  if (a.order == b.order)
    return *a.runs == *b.runs;
  const std::optional<Layout> first = inRowMajorOrder(a), second = inRowMajorOrder(b);
  return first && second && *first->runs == *second->runs;
}

Excerpt excerptOf(const Layout &value) {
  Excerpt excerpt{value.sizes, rowMajor(value.sizes), value.strides, 0};
  if (value.order.empty())
    return excerpt;
  int64_t step = 1;
  for (const int64_t dim : llvm::reverse(value.order)) {
    excerpt.steps[dim] = step;
    step *= std::max<int64_t>(value.sizes[dim], 1);
  }
  return excerpt;
}

namespace {

/// Returns the number of innermost dimensions that an excerpt shows without gaps.
size_t denseDims(const Excerpt &excerpt, int64_t &block) {
  size_t dense = 0;
  block = 1;
  for (size_t i = excerpt.sizes.size(); i-- > 0; ++dense) {
    if (excerpt.sizes[i] != 1 && excerpt.steps[i] != block)
      break;
    block *= excerpt.sizes[i];
  }
  return dense;
}

} // namespace

// Dimensions without gaps form one block, and there is a run for each block: columns 1 and 2 of x = f32[4, 6] are x[1,
// 3) x[7, 9) x[13, 15) x[19, 21).
std::optional<Layout> look(const Layout &value, const Excerpt &excerpt) {
  int64_t block = 1;
  size_t outerDims = excerpt.sizes.size() - denseDims(excerpt, block);
  int64_t outer = product(llvm::ArrayRef<int64_t>(excerpt.sizes).take_front(outerDims));
  if (outer > static_cast<int64_t>(maxRuns))
    return std::nullopt;
  Runs runs;
  IntList at(outerDims, 0);
  for (int64_t i = 0; i < outer && block > 0; ++i) {
    int64_t offset = excerpt.base;
    for (size_t d = 0; d < outerDims; ++d)
      offset += at[d] * excerpt.steps[d];
    take(*value.runs, offset, block, runs);
    // Increments `at` like the digits of a number.
    for (size_t d = outerDims; d-- > 0 && ++at[d] == excerpt.sizes[d];)
      at[d] = 0;
  }
  return Layout{excerpt.sizes, excerpt.strides, value.stridesKnown, false,
                std::make_shared<const Runs>(std::move(runs))};
}

} // namespace ccgraph::legality

#include "held_value.h"

#include "ccgraph/ir/strides.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::numerics {

HeldValue HeldValue::of(HeldTensor tensor) {
  HeldValue value;
  value.kind = Kind::Tensor;
  value.tensor = std::move(tensor);
  return value;
}

HeldValue HeldValue::of(std::vector<HeldValue> list) {
  HeldValue value;
  value.kind = Kind::List;
  value.list = std::move(list);
  return value;
}

HeldValue HeldValue::of(ResultList results) {
  HeldValue value;
  value.kind = Kind::Results;
  value.results = std::make_shared<const ResultList>(std::move(results));
  return value;
}

HeldValue HeldValue::ofOpaque(TermId term) {
  HeldValue value;
  value.kind = Kind::Opaque;
  value.opaque = term;
  return value;
}

HeldTensor newTensor(DType dtype, IntListRef sizes, RunList elements) {
  auto memory = std::make_shared<Memory>();
  memory->elements = std::move(elements);
  return {std::move(memory), dtype, toIntList(sizes), contiguousStrides(sizes), 0};
}

bool fits(const HeldTensor &tensor) {
  const bool isForward = llvm::all_of(tensor.strides, [](int64_t stride) { return stride >= 0; });
  return isForward && tensor.offset >= 0 && tensor.sizes.size() == tensor.strides.size() &&
         saturatingAdd(tensor.offset, extentOf(tensor.sizes, tensor.strides)) <= tensor.memory->elements.size();
}

namespace {

/// The dimensions of a view, with those joined that lie one after the other: the last one is the longest stretch.
struct Layout {
  IntList sizes, strides;
};

Layout joinedLayout(const HeldTensor &tensor) {
  Layout layout;
  for (size_t dim = 0; dim != tensor.sizes.size(); ++dim) {
    const int64_t size = tensor.sizes[dim], stride = tensor.strides[dim];
    if (size == 1)
      continue;
    if (!layout.sizes.empty() && layout.strides.back() == saturatingMultiply(stride, size)) {
      layout.sizes.back() *= size;
      layout.strides.back() = stride;
    } else {
      layout.sizes.push_back(size);
      layout.strides.push_back(stride);
    }
  }
  if (layout.sizes.empty() || (layout.strides.back() != 1 && layout.strides.back() != 0)) {
    layout.sizes.push_back(1);
    layout.strides.push_back(1);
  }
  return layout;
}

/// Calls `visit(offset, length, repeats)` for each stretch in row-major order; false if there are too many.
template <class Visit>
bool forEachStretch(const HeldTensor &tensor, Visit visit) {
  const Layout layout = joinedLayout(tensor);
  const size_t outer = layout.sizes.size() - 1;
  const int64_t length = layout.sizes.back();
  const bool repeats = layout.strides.back() == 0;
  const int64_t stretches = productOf(IntListRef(layout.sizes).drop_back());
  if (tensor.count() == 0)
    return true;
  if (stretches > static_cast<int64_t>(mostRuns))
    return false;
  IntList index(outer, 0);
  int64_t offset = tensor.offset;
  for (int64_t i = 0; i != stretches; ++i) {
    visit(offset, length, repeats);
    for (size_t dim = outer; dim-- > 0;) {
      offset += layout.strides[dim];
      if (++index[dim] != layout.sizes[dim])
        break;
      offset -= layout.strides[dim] * layout.sizes[dim];
      index[dim] = 0;
    }
  }
  return true;
}

} // namespace

std::optional<RunList> readElements(const HeldTensor &tensor) {
  RunList result;
  const RunList &memory = tensor.memory->elements;
  bool isRead = forEachStretch(tensor, [&](int64_t offset, int64_t length, bool repeats) {
    if (result.runs().size() > mostRuns)
      return;
    if (!repeats)
      return memory.copyTo(result, offset, length);
    auto [term, index] = memory.at(offset);
    result.push({term, index, length, true});
  });
  return isRead && result.runs().size() <= mostRuns ? std::optional(std::move(result)) : std::nullopt;
}

RunList spanOf(const HeldTensor &tensor) {
  return tensor.memory->elements.slice(tensor.offset, extentOf(tensor.sizes, tensor.strides));
}

bool writeElements(const HeldTensor &tensor, const RunList &elements) {
  int64_t done = 0;
  return forEachStretch(tensor, [&](int64_t offset, int64_t length, bool repeats) {
    const RunList part = elements.slice(done, length);
    done += length;
    tensor.memory->elements.replace(offset, repeats ? part.slice(length - 1, 1) : part);
  });
}

std::optional<HeldTensor> expanded(const HeldTensor &tensor, IntListRef sizes) {
  if (tensor.sizes.size() > sizes.size())
    return std::nullopt;
  HeldTensor result = tensor;
  result.sizes = toIntList(sizes);
  result.strides.assign(sizes.size(), 0);
  const size_t shift = sizes.size() - tensor.sizes.size();
  for (size_t dim = 0; dim != tensor.sizes.size(); ++dim) {
    if (tensor.sizes[dim] == sizes[dim + shift])
      result.strides[dim + shift] = tensor.strides[dim];
    else if (tensor.sizes[dim] != 1)
      return std::nullopt;
  }
  return result;
}

HeldTensor narrowed(const HeldTensor &tensor, size_t dim, int64_t start, int64_t end) {
  HeldTensor part = tensor;
  part.offset += start * tensor.strides[dim];
  part.sizes[dim] = end - start;
  return part;
}

} // namespace ccgraph::numerics

// Views: other sizes, strides and offsets of the same storage; a reshape that no view can express copies.
#include "call.h"

#include "ccgraph/ir/strides.h"

#include <limits>

namespace ccgraph::equality {
namespace {

Tensor viewed(const Tensor &tensor, IntListRef sizes, IntListRef strides, int64_t offset) {
  Tensor view = tensor;
  view.sizes = toIntList(sizes);
  view.strides = toIntList(strides);
  view.offset = offset;
  return view;
}

Value identityRule(Call &call) { return Value(call.view(0)); }
/// The elements of a list too: wait_tensors.
Value waitRule(Call &call) { return call.at(0); }

/// A copy to the host's memory or back: the elements of the tensor, in memory of their own.
Value hostCopyRule(Call &call) {
  const Tensor &tensor = call.view(0);
  if (call.failed())
    return {};
  constexpr size_t originalSize = 2; // of ao.reload
  if (call.has(originalSize))
    call.require(IntListRef(call.integers(originalSize)) == IntListRef(tensor.sizes),
                 "a reload of sizes " + intListText(tensor.sizes));
  return call.failed() ? Value() : Value(reshaped(read(tensor), tensor.sizes));
}

Value reshapeTo(Call &call, const Tensor &tensor, IntListRef wanted) {
  std::optional<IntList> sizes = inferSizes(wanted, productOf(tensor.sizes));
  call.require(sizes.has_value(), "sizes " + intListText(tensor.sizes) + " as " + intListText(wanted));
  if (call.failed())
    return {};
  if (std::optional<IntList> strides = viewStrides(tensor.sizes, tensor.strides, *sizes))
    return Value(viewed(tensor, *sizes, *strides, tensor.offset));
  return Value(reshaped(read(tensor), *sizes));
}
Value viewRule(Call &call) {
  if (call.at(1).is(Value::Type::DType))
    return call.reject("no rule for a view as another dtype"), Value();
  return reshapeTo(call, call.view(0), call.integers(1));
}

Value swapped(const Tensor &tensor, size_t a, size_t b) {
  IntList sizes = tensor.sizes, strides = tensor.strides;
  std::swap(sizes[a], sizes[b]);
  std::swap(strides[a], strides[b]);
  return Value(viewed(tensor, sizes, strides, tensor.offset));
}
Value transposeRule(Call &call) {
  Tensor tensor = call.view(0);
  if (tensor.sizes.empty())
    return Value(tensor);
  auto a = static_cast<size_t>(call.dimension(1, tensor.sizes.size()));
  auto b = static_cast<size_t>(call.dimension(2, tensor.sizes.size()));
  return swapped(tensor, a, b);
}
Value tRule(Call &call) {
  Tensor tensor = call.view(0);
  return tensor.sizes.size() < 2 ? Value(tensor) : swapped(tensor, 0, 1);
}

Value permuteRule(Call &call) {
  Tensor tensor = call.view(0);
  IntList dims = call.integers(1), sizes, strides;
  call.require(dims.size() == tensor.sizes.size(), "permuted dimensions " + intListText(dims));
  for (int64_t dim : dims) {
    dim = dim < 0 ? dim + static_cast<int64_t>(dims.size()) : dim;
    call.require(dim >= 0 && dim < static_cast<int64_t>(tensor.sizes.size()),
                 "permuted dimensions " + intListText(dims));
    if (call.failed())
      return {};
    sizes.push_back(tensor.sizes[static_cast<size_t>(dim)]);
    strides.push_back(tensor.strides[static_cast<size_t>(dim)]);
  }
  return Value(viewed(tensor, sizes, strides, tensor.offset));
}

Value expandRule(Call &call) {
  Tensor tensor = call.view(0);
  IntList sizes = call.integers(1), strides(sizes.size(), 0);
  call.require(sizes.size() >= tensor.sizes.size(), "an expansion to fewer dimensions");
  if (call.failed())
    return {};
  const size_t first = sizes.size() - tensor.sizes.size();
  for (size_t i = first; i != sizes.size(); ++i) {
    int64_t size = tensor.sizes[i - first];
    if (sizes[i] == -1)
      sizes[i] = size;
    call.require(size == 1 || size == sizes[i],
                 "an expansion of " + intListText(tensor.sizes) + " to " + intListText(sizes));
    strides[i] = size == 1 && sizes[i] != 1 ? 0 : tensor.strides[i - first];
  }
  return call.failed() ? Value() : Value(viewed(tensor, sizes, strides, tensor.offset));
}

Value unsqueezeRule(Call &call) {
  Tensor tensor = call.view(0);
  auto dim = static_cast<size_t>(call.dimension(1, tensor.sizes.size() + 1));
  IntList sizes = tensor.sizes, strides = tensor.strides;
  sizes.insert(sizes.begin() + dim, 1);
  strides.insert(strides.begin() + dim, 1);
  return Value(viewed(tensor, sizes, strides, tensor.offset));
}

Value squeezeRule(Call &call) {
  Tensor tensor = call.view(0);
  IntList dims =
      call.has(1) ? call.dimensions(1, tensor.sizes.size()) : allDims(static_cast<int64_t>(tensor.sizes.size()));
  IntList sizes, strides;
  for (size_t i = 0; i != tensor.sizes.size(); ++i)
    if (tensor.sizes[i] != 1 || !llvm::is_contained(dims, static_cast<int64_t>(i))) {
      sizes.push_back(tensor.sizes[i]);
      strides.push_back(tensor.strides[i]);
    }
  return Value(viewed(tensor, sizes, strides, tensor.offset));
}

/// The elements from `start` to before `end`, in steps.
Tensor sliced(const Tensor &tensor, size_t dim, int64_t start, int64_t end, int64_t step = 1) {
  IntList sizes = tensor.sizes;
  sizes[dim] = std::max<int64_t>(0, (end - start + step - 1) / step);
  IntList strides = tensor.strides;
  strides[dim] *= step;
  return viewed(tensor, sizes, strides, tensor.offset + start * tensor.strides[dim]);
}

/// Returns a bound of a slice as Python reads it: from the end where negative, within the tensor.
int64_t boundOf(int64_t bound, int64_t size) { return std::clamp<int64_t>(bound < 0 ? bound + size : bound, 0, size); }

Value sliceRule(Call &call) {
  Tensor tensor = call.view(0);
  auto dim = static_cast<size_t>(call.dimension(1, tensor.sizes.size()));
  int64_t step = call.integer(4, 1);
  call.require(!tensor.sizes.empty() && step > 0, "a slice of this form");
  if (call.failed())
    return {};
  int64_t size = tensor.sizes[dim];
  return Value(sliced(tensor, dim, boundOf(call.integer(2), size),
                      boundOf(call.integer(3, std::numeric_limits<int64_t>::max()), size), step));
}
Value narrowRule(Call &call) {
  Tensor tensor = call.view(0);
  auto dim = static_cast<size_t>(call.dimension(1, tensor.sizes.size()));
  call.require(!tensor.sizes.empty(), "a part of a number");
  if (call.failed())
    return {};
  int64_t size = tensor.sizes[dim];
  int64_t start = boundOf(call.integer(2), size);
  return Value(sliced(tensor, dim, start, std::min(size, start + std::max<int64_t>(0, call.integer(3)))));
}
Value selectRule(Call &call) {
  Tensor tensor = call.view(0);
  auto dim = static_cast<size_t>(call.dimension(1, tensor.sizes.size()));
  int64_t index = call.integer(2);
  call.require(!tensor.sizes.empty(), "an element of a number");
  if (call.failed())
    return {};
  int64_t size = tensor.sizes[dim];
  index = index < 0 ? index + size : index;
  call.require(index >= 0 && index < size, "index " + llvm::Twine(index) + " of a dimension of " + llvm::Twine(size));
  if (call.failed())
    return {};
  IntList sizes = tensor.sizes, strides = tensor.strides;
  sizes.erase(sizes.begin() + dim);
  strides.erase(strides.begin() + dim);
  return Value(viewed(tensor, sizes, strides, tensor.offset + index * tensor.strides[dim]));
}

/// Cuts into parts of the given lengths.
Value parts(Call &call, const Tensor &tensor, size_t dim, IntListRef lengths) {
  std::vector<Value> list;
  int64_t start = 0;
  call.require(!tensor.sizes.empty() && saturatingSum(lengths) == tensor.sizes[dim], "parts " + intListText(lengths));
  if (call.failed())
    return {};
  for (int64_t length : lengths) {
    list.emplace_back(sliced(tensor, dim, start, start + length));
    start += length;
  }
  return Value(std::move(list));
}
Value partsOfLength(Call &call, const Tensor &tensor, size_t dim, int64_t length) {
  IntList lengths;
  int64_t size = tensor.sizes.empty() ? 0 : tensor.sizes[dim];
  call.require(length > 0, "parts of length " + llvm::Twine(length));
  for (int64_t start = 0; start < size && !call.failed(); start += length)
    lengths.push_back(std::min(length, size - start));
  if (lengths.empty())
    lengths.push_back(0);
  return parts(call, tensor, dim, lengths);
}
Value splitRule(Call &call) {
  Tensor tensor = call.view(0);
  auto dim = static_cast<size_t>(call.dimension(2, tensor.sizes.size()));
  return call.at(1).is(Value::Type::List) ? parts(call, tensor, dim, call.integers(1))
                                          : partsOfLength(call, tensor, dim, call.integer(1));
}
Value splitWithSizesRule(Call &call) {
  Tensor tensor = call.view(0);
  return parts(call, tensor, static_cast<size_t>(call.dimension(2, tensor.sizes.size())), call.integers(1));
}
Value chunkRule(Call &call) {
  Tensor tensor = call.view(0);
  auto dim = static_cast<size_t>(call.dimension(2, tensor.sizes.size()));
  int64_t size = tensor.sizes.empty() ? 0 : tensor.sizes[dim], chunks = std::max<int64_t>(1, call.integer(1));
  return partsOfLength(call, tensor, dim, std::max<int64_t>(1, (size + chunks - 1) / chunks));
}
/// tensor_split into a number of parts, of which the first are one element longer if the elements do not divide, or at
/// positions: each part ends where the next one begins.
Value tensorSplitRule(Call &call) {
  Tensor tensor = call.view(0);
  auto dim = static_cast<size_t>(call.dimension(2, tensor.sizes.size()));
  call.require(!tensor.sizes.empty(), "the parts of a number");
  IntList at;
  if (call.at(1).is(Value::Type::Tensor)) {
    const Array positions = call.tensor(1);
    for (int64_t i = 0; i != positions.count(); ++i)
      at.push_back(positions.integer(i));
  } else {
    at = call.integers(1);
  }
  if (call.failed())
    return {};
  const bool isCount = call.at(1).isNumber() || (call.at(1).is(Value::Type::Tensor) && call.view(1).sizes.empty());
  const int64_t size = tensor.sizes[dim];
  call.require(!isCount || at.front() > 0, "a number of parts below 1");
  IntList lengths;
  for (int64_t i = 0; isCount && !call.failed() && i != at.front(); ++i)
    lengths.push_back(size / at.front() + (i < size % at.front() ? 1 : 0));
  if (!isCount) {
    int64_t begin = 0;
    at.push_back(size);
    for (int64_t position : at) {
      const int64_t end = std::clamp<int64_t>(position < 0 ? position + size : position, begin, size);
      lengths.push_back(end - begin);
      begin = end;
    }
  }
  return call.failed() ? Value() : parts(call, tensor, dim, lengths);
}
Value unbindRule(Call &call) {
  Tensor tensor = call.view(0);
  auto dim = static_cast<size_t>(call.dimension(1, tensor.sizes.size()));
  call.require(!tensor.sizes.empty(), "the elements of a number");
  std::vector<Value> list;
  for (int64_t i = 0; !call.failed() && i != tensor.sizes[dim]; ++i) {
    Tensor part = sliced(tensor, dim, i, i + 1);
    part.sizes.erase(part.sizes.begin() + dim);
    part.strides.erase(part.strides.begin() + dim);
    list.emplace_back(std::move(part));
  }
  return Value(std::move(list));
}

/// The parts as copies.
Value copiedPartsRule(Call &call) {
  Value list = splitWithSizesRule(call);
  for (Value &part : list.list)
    part = Value(read(part.tensor));
  return list;
}

/// flatten(self, start_dim, end_dim)
Value flattenRule(Call &call) {
  Tensor tensor = call.view(0);
  auto first = static_cast<size_t>(call.dimension(1, tensor.sizes.size()));
  auto last = static_cast<size_t>(call.dimension(2, tensor.sizes.size(), -1));
  call.require(first <= last, "flattened dimensions in another order");
  if (call.failed() || tensor.sizes.empty())
    return call.failed() ? Value() : reshapeTo(call, tensor, {1});
  IntList sizes(tensor.sizes.begin(), tensor.sizes.begin() + first);
  int64_t length = 1;
  for (size_t dim = first; dim <= last; ++dim)
    length *= tensor.sizes[dim];
  sizes.push_back(length);
  sizes.insert(sizes.end(), tensor.sizes.begin() + last + 1, tensor.sizes.end());
  return reshapeTo(call, tensor, sizes);
}

/// Returns whether two layouts put each element at the same place.
bool sameLayout(IntListRef sizes, IntListRef a, IntListRef b) {
  for (size_t dim = 0; dim != sizes.size(); ++dim)
    if (sizes[dim] > 1 && a[dim] != b[dim])
      return false;
  return true;
}
// as_strided(self, size, stride, storage_offset): places in the storage, which must be those of PyTorch
Value asStridedRule(Call &call) {
  Tensor tensor = call.view(0);
  const IntList sizes = call.integers(1), strides = call.integers(2);
  const int64_t offset = call.integer(3, tensor.offset);
  call.require(call.statedStrides && sameLayout(tensor.sizes, tensor.strides, *call.statedStrides),
               "as_strided of a tensor whose strides are not stated, or are not those that its operator gives here");
  call.require(sizes.size() == strides.size() && offset >= 0 && llvm::all_of(strides, [](int64_t s) { return s >= 0; }),
               "as_strided of sizes " + intListText(sizes) + " and strides " + intListText(strides));
  if (call.failed())
    return {};
  int64_t last = offset;
  for (size_t dim = 0; dim != sizes.size(); ++dim)
    last += std::max<int64_t>(sizes[dim] - 1, 0) * strides[dim];
  call.require(last < static_cast<int64_t>(tensor.storage->words->size()), "as_strided beyond the storage");
  return call.failed() ? Value() : Value(viewed(tensor, sizes, strides, offset));
}

Value getItemRule(Call &call) {
  int64_t index = call.integer(1);
  const Value &list = call.at(0);
  if (index < 0)
    index += static_cast<int64_t>(list.list.size());
  call.require(list.is(Value::Type::List) && index >= 0 && index < static_cast<int64_t>(list.list.size()),
               "element " + llvm::Twine(index) + " of a list");
  return call.failed() ? Value() : list.list[static_cast<size_t>(index)];
}

} // namespace

llvm::ArrayRef<RuleEntry> viewRules() {
  static constexpr RuleEntry rules[] = {
      {"_c10d_functional.wait_tensor", waitRule, true},
      {"_c10d_functional.wait_tensors", waitRule, true},
      {"ao.offload", hostCopyRule},
      {"ao.reload", hostCopyRule},
      {"ao.wait_tensor", waitRule, true},
      {"aten._unsafe_view", viewRule, true},
      {"aten.alias", identityRule, true},
      {"aten.as_strided", asStridedRule, true},
      {"aten.chunk", chunkRule, true},
      {"aten.detach", identityRule, true},
      {"aten.expand", expandRule, true},
      {"aten.flatten", flattenRule, true},
      {"aten.narrow", narrowRule, true},
      {"aten.permute", permuteRule, true},
      {"aten.reshape", viewRule, true},
      {"aten.select", selectRule, true},
      {"aten.slice", sliceRule, true},
      {"aten.split", splitRule, true},
      {"aten.split_with_sizes", splitWithSizesRule, true},
      {"aten.split_with_sizes_copy", copiedPartsRule},
      {"aten.squeeze", squeezeRule, true},
      {"aten.t", tRule, true},
      {"aten.tensor_split", tensorSplitRule, true},
      {"aten.transpose", transposeRule, true},
      {"aten.unbind", unbindRule, true},
      {"aten.unsafe_chunk", chunkRule, true},
      {"aten.unsafe_split", splitRule, true},
      {"aten.unsafe_split_with_sizes", splitWithSizesRule, true},
      {"aten.unsqueeze", unsqueezeRule, true},
      {"aten.view", viewRule, true},
      {"operator.getitem", getItemRule, true},
  };
  return rules;
}

} // namespace ccgraph::equality

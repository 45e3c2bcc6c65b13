#include "infer/families.h"
#include "infer/layout.h"
#include "infer/linear.h"

#include "ccgraph/ir/strides.h"

namespace ccgraph::infer {
namespace {

/// What is left of `sizes` after those of `others` have been taken out: the size that -1 stands for. Empty where the
/// numbers do not divide, or an expression of `others` is no size of its own.
std::optional<Dim> quotient(Context &context, SizesRef sizes, SizesRef others) {
  Sizes left(sizes.begin(), sizes.end());
  int64_t divisor = 1;
  for (const Dim &other : others) {
    if (other.isStatic()) {
      divisor = saturatingMultiply(divisor, other.value());
      continue;
    }
    auto *same = llvm::find(left, other);
    if (same == left.end())
      return std::nullopt;
    left.erase(same);
  }
  int64_t number = 1;
  Dim rest(1);
  for (const Dim &size : left)
    if (size.isStatic())
      number = saturatingMultiply(number, size.value());
    else
      rest = multiply(context, rest, size);
  if (divisor == 0 || number % divisor != 0)
    return std::nullopt;
  return multiply(context, Dim(number / divisor), rest);
}

std::optional<Sizes> resolved(Context &context, SizesRef from, SizesRef wanted) {
  Sizes sizes(wanted.begin(), wanted.end());
  auto *open = llvm::find(sizes, Dim(-1));
  if (open == sizes.end())
    return sizes;
  Sizes others(sizes.begin(), open);
  others.append(open + 1, sizes.end());
  auto rest = quotient(context, from, others);
  if (!rest)
    return std::nullopt;
  *open = *rest;
  return sizes;
}

/// The strides of a view are those of its runs; with expressions only the usual cases are told: a run that is a
/// dimension of the operand as it was, or that is contiguous up to the last.
TypePtr symbolicView(const Call &call, const Type &from, SizesRef sizes) {
  if (from.isContiguous())
    return call.contiguousLike(from, sizes);
  auto oldSizes = numbersFor(from.sizes());
  auto oldStrides = numbersFor(from.strides());
  auto newSizes = numbersFor(sizes);
  if (!oldSizes || !oldStrides || !newSizes || productOf(*oldSizes) != productOf(*newSizes))
    return nullptr;
  auto strides = viewStrides(*oldSizes, *oldStrides, *newSizes);
  if (!strides)
    return call.contiguousLike(from, sizes); // a reshape copies
  Sizes result;
  for (int64_t stride : *strides) {
    auto *same = llvm::find(*oldStrides, stride);
    bool isNumber = same == oldStrides->end() && stride < 1000;
    if (same == oldStrides->end() && !isNumber)
      return nullptr;
    result.push_back(isNumber ? Dim(stride) : from.strides()[static_cast<size_t>(same - oldStrides->begin())]);
  }
  return call.context.tensor(from.dtype(), {sizes, result, true}, from.device());
}

/// Sizes and strides under change.
struct Window {
  Dims sizes;
  Dims strides;

  /// Dimensions `first` to `last` as one; false where memory does not run through them.
  bool collapse(size_t first, size_t last) {
    int64_t length = sizes[last];
    int64_t stride = strides[last];
    size_t inner = last;
    for (size_t i = last; i-- > first;) {
      if (sizes[i] == 1)
        continue;
      if (sizes[inner] != 1 && strides[i] != saturatingMultiply(strides[inner], sizes[inner]))
        return false;
      length = saturatingMultiply(length, sizes[i]);
      stride = sizes[inner] == 1 ? strides[i] : std::min(stride, strides[i]);
      inner = i;
    }
    sizes.erase(sizes.begin() + first, sizes.begin() + last);
    strides.erase(strides.begin() + first, strides.begin() + last);
    sizes[first] = length;
    strides[first] = stride;
    return true;
  }

  void split(size_t dim, int64_t outer) {
    int64_t inner = sizes[dim] / outer;
    sizes[dim] = inner;
    sizes.insert(sizes.begin() + dim, outer);
    strides.insert(strides.begin() + dim, saturatingMultiply(inner, strides[dim]));
  }
};

/// As torch._refs walks: dimensions that stay keep their stride, also those of one element; others are put together from
/// the left until the wanted length divides them, and split. Empty where that would take a copy.
std::optional<Dims> walkedStrides(Window window, DimsRef wanted) {
  size_t at = 0;
  for (int64_t length : wanted) {
    if (at == window.sizes.size()) {
      if (length != 1 || at == 0)
        return std::nullopt;
      window.split(at - 1, window.sizes[at - 1]);
      ++at;
      continue;
    }
    if (length != window.sizes[at]) {
      int64_t product = window.sizes[at];
      size_t end = at;
      while (product % length != 0 && end + 1 != window.sizes.size())
        product = saturatingMultiply(product, window.sizes[++end]);
      if (product % length != 0 || (end != at && !window.collapse(at, end)))
        return std::nullopt;
      if (product != length)
        window.split(at, length);
    }
    ++at;
  }
  window.strides.truncate(wanted.size());
  return window.strides;
}

TypePtr staticView(const Call &call, const Type &from, Window window, DimsRef wanted) {
  if (contiguousStrides(window.sizes) == window.strides || productOf(wanted) == 0 ||
      llvm::any_of(wanted, [](int64_t size) { return size < 1; }))
    return nullptr;
  // A contiguous tensor as one dimension has the stride 1, also where each of its dimensions has one element.
  bool isLine = wanted.size() == 1 && isContiguous(window.sizes, window.strides);
  auto strides = isLine ? std::optional(Dims{1}) : walkedStrides(std::move(window), wanted);
  if (!strides)
    return nullptr;
  Sizes sizes(wanted.begin(), wanted.end());
  Sizes result(strides->begin(), strides->end());
  return call.context.tensor(from.dtype(), {sizes, result, true}, from.device());
}

} // namespace

TypePtr viewType(Call &call) {
  TypePtr from = call.tensor(0);
  auto wanted = dimsAt(call.node, 1);
  auto sizes = from && wanted ? resolved(call.context, from->sizes(), *wanted) : std::nullopt;
  if (!sizes)
    return nullptr;
  if (!from->stridesKnown())
    return call.context.tensor(from->dtype(), {*sizes, {}, false}, from->device());
  auto numbers = staticDims(*sizes);
  auto own = staticDims(from->sizes());
  auto strides = staticDims(from->strides());
  if (numbers && own && strides)
    return staticView(call, *from, {*own, *strides}, *numbers);
  return symbolicView(call, *from, *sizes);
}

TypePtr expandType(Call &call) {
  TypePtr from = call.tensor(0);
  auto wanted = dimsAt(call.node, 1);
  if (!from || !wanted || !from->stridesKnown() || wanted->size() < from->sizes().size())
    return nullptr;
  size_t added = wanted->size() - from->sizes().size();
  Sizes sizes = *wanted;
  Sizes strides(sizes.size(), Dim(0));
  for (size_t i = added; i != sizes.size(); ++i) {
    const Dim &old = from->sizes()[i - added];
    // A size that is another expression is the same number, or the program fails.
    if (sizes[i] == Dim(-1))
      sizes[i] = old;
    if (sizes[i] == old || old != Dim(1)) {
      strides[i] = from->strides()[i - added];
    }
  }
  return call.context.tensor(from->dtype(), {sizes, strides, true}, from->device());
}

// Of a symbolic size: from the front up to a size, or all of it.
TypePtr sliceType(Call &call) {
  TypePtr from = call.tensor(0);
  auto dim = from ? wrapDim(call.integer("dim").value_or(0), from->sizes().size()) : std::nullopt;
  if (!dim || call.integer("step").value_or(0) != 1)
    return nullptr;
  auto begin = call.given("start") ? call.dim("start") : Dim(0);
  auto end = call.given("end") ? call.dim("end") : Dim(INT64_MAX);
  if (!begin || !end || *begin != Dim(0))
    return nullptr;
  Sizes sizes(from->sizes().begin(), from->sizes().end());
  bool isAll = end->isStatic() && end->value() == INT64_MAX;
  if (!isAll && end->isStatic())
    return nullptr;
  if (!isAll)
    sizes[*dim] = *end;
  return call.context.tensor(from->dtype(), {sizes, from->strides(), from->stridesKnown()}, from->device());
}

/// split(x, 2*s0) of 4*s0 rows makes two parts.
static std::optional<Sizes> equalParts(const Call &call, const Dim &total) {
  auto length = call.dim("split_size");
  auto part = length ? Linear::parse(*length) : std::nullopt;
  auto whole = Linear::parse(total);
  constexpr int64_t mostParts = 256;
  for (int64_t count = 1; part && whole && count <= mostParts; ++count)
    if (auto sum = part->times(count); sum && sum->dim(call.context) == whole->dim(call.context))
      return Sizes(static_cast<size_t>(count), *length);
  return std::nullopt;
}

TypePtr splitType(Call &call) {
  TypePtr from = call.tensor(0);
  auto lengths = dimsAt(call.node, 1);
  auto dim = from ? wrapDim(call.integer("dim").value_or(0), from->sizes().size()) : std::nullopt;
  if (!lengths && dim)
    lengths = equalParts(call, from->sizes()[*dim]);
  if (!lengths || !dim)
    return nullptr;
  llvm::SmallVector<TypePtr, 8> parts;
  for (const Dim &length : *lengths) {
    Sizes sizes(from->sizes().begin(), from->sizes().end());
    sizes[*dim] = length;
    parts.push_back(call.context.tensor(from->dtype(), {sizes, from->strides(), from->stridesKnown()}, from->device()));
  }
  return call.context.list(parts);
}

TypePtr complexView(Call &call) {
  TypePtr from = call.tensor(0);
  if (!from || !from->stridesKnown() || from->sizes().empty() || !from->isContiguous() || !isFloat(from->dtype()))
    return nullptr;
  DType dtype = from->dtype() == DType::F64 ? DType::C128 : from->dtype() == DType::F16 ? DType::C32 : DType::C64;
  return call.contiguous(dtype, from->sizes().drop_back(), from->device());
}

TypePtr realView(Call &call) {
  TypePtr from = call.tensor(0);
  if (!from || !from->stridesKnown() || !isComplex(from->dtype()))
    return nullptr;
  DType dtype = from->dtype() == DType::C128 ? DType::F64 : from->dtype() == DType::C32 ? DType::F16 : DType::F32;
  Sizes sizes(from->sizes().begin(), from->sizes().end());
  Sizes strides;
  for (const Dim &stride : from->strides())
    strides.push_back(multiply(call.context, Dim(2), stride));
  sizes.push_back(Dim(2));
  strides.push_back(Dim(1));
  return call.context.tensor(dtype, {sizes, strides, true}, from->device());
}

} // namespace ccgraph::infer

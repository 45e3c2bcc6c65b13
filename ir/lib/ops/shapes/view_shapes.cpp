#include "ccgraph/ir/strides.h"
#include "ops/shapes/shape_families.h"
#include "ops/view_sharing.h"

namespace ccgraph {
namespace {

using Sizes = llvm::SmallVector<Dim, 6>;

/// Because a file may state any size, a list of more parts than this is left unknown.
constexpr int64_t maxParts = 1 << 16;

/// A tensor type under change.
struct Shape {
  const Node &node;
  DType dtype;
  Device device;
  Sizes sizes;
  Sizes strides;
  bool stridesKnown;

  Shape(const Node &node, const Type &type)
      : node(node), dtype(type.dtype()), device(type.device()), sizes(type.sizes().begin(), type.sizes().end()),
        strides(type.strides().begin(), type.strides().end()), stridesKnown(type.stridesKnown()) {}

  void erase(unsigned dim) {
    sizes.erase(sizes.begin() + dim);
    if (stridesKnown)
      strides.erase(strides.begin() + dim);
  }
  const Type *type() const { return contextOf(node).tensor(dtype, {sizes, strides, stridesKnown}, device); }
};

llvm::Error dimError(const Node &node, int64_t dim, size_t rank) {
  return shapeError(node, "names dimension " + llvm::Twine(dim) + " of a tensor of rank " + llvm::Twine(rank),
                    "dimensions count from " + llvm::Twine(-static_cast<int64_t>(rank)) + " to " +
                        llvm::Twine(static_cast<int64_t>(rank) - 1));
}

/// The wrapped dimension given at a parameter; an error if it is out of range, empty if it is no number.
llvm::Expected<std::optional<unsigned>> dimAt(const Node &node, int parameter, size_t rank) {
  std::optional<int64_t> dim = intAt(node, parameter);
  if (!dim)
    return std::nullopt;
  std::optional<unsigned> wrapped = wrapDim(*dim, rank);
  if (!wrapped)
    return dimError(node, *dim, rank);
  return wrapped;
}

/// The type of `from` in these sizes: a view where strides allow, else a contiguous copy. One rule serves both view and
/// reshape: PyTorch refuses a view that strides do not allow, so a copy is only ever the answer of a reshape.
const Type *reshaped(const Node &node, const Type &from, llvm::ArrayRef<int64_t> sizes) {
  Sizes dims(sizes.begin(), sizes.end());
  if (!from.stridesKnown())
    return contextOf(node).tensor(from.dtype(), {dims, {}, false}, from.device());
  auto strides = viewStrides(from, sizes);
  if (!strides)
    return contextOf(node).contiguousTensor(from.dtype(), dims, from.device());
  Sizes view(strides->begin(), strides->end());
  return contextOf(node).tensor(from.dtype(), {dims, view, true}, from.device());
}

bool allStatic(const Type &type) { return staticDims(type.sizes()) && staticDims(type.strides()); }

} // namespace

TypeResult sameShape(const Node &node) { return tensorAt(node, 0); }

TypeResult viewShape(const Node &node) {
  const Type *from = tensorAt(node, 0);
  auto sizes = intsAt(node, 1);
  if (!from || !sizes || !allStatic(*from))
    return nullptr;
  int64_t count = productOf(*staticDims(from->sizes()));
  std::optional<Dims> resolved = inferSizes(*sizes, count);
  if (!resolved)
    return shapeError(node, "views " + llvm::Twine(count) + " elements as a shape that does not hold them",
                      "make the product of the sizes " + llvm::Twine(count));
  return reshaped(node, *from, *resolved);
}

// flatten(x, 1, 2) of f32[2, 3, 4] is f32[2, 12]; of a 0-d tensor it is f32[1].
TypeResult flattenShape(const Node &node) {
  const Type *from = tensorAt(node, 0);
  if (!from || !allStatic(*from))
    return nullptr;
  Dims old = *staticDims(from->sizes());
  if (old.empty())
    return reshaped(node, *from, {1});
  auto begin = dimAt(node, 1, old.size());
  if (!begin)
    return begin.takeError();
  auto end = dimAt(node, 2, old.size());
  if (!end)
    return end.takeError();
  if (!*begin || !*end || **begin > **end)
    return nullptr;
  if (**begin == **end)
    return from;
  Dims sizes(old.begin(), old.begin() + **begin);
  sizes.push_back(productOf(llvm::ArrayRef<int64_t>(old).slice(**begin, **end + 1 - **begin)));
  sizes.append(old.begin() + **end + 1, old.end());
  return reshaped(node, *from, sizes);
}

// Serves aten.transpose, which names two dimensions, and aten.t, which swaps the two that a matrix has.
TypeResult transposeShape(const Node &node) {
  const Type *from = tensorAt(node, 0);
  if (!from)
    return nullptr;
  size_t rank = from->sizes().size();
  bool named = node.op()->paramIndex("dim0") >= 0;
  if (rank == 0 || (!named && rank < 2))
    return from;
  auto first = named ? dimAt(node, 1, rank) : llvm::Expected<std::optional<unsigned>>(0U);
  if (!first)
    return first.takeError();
  auto second = named ? dimAt(node, 2, rank) : llvm::Expected<std::optional<unsigned>>(1U);
  if (!second)
    return second.takeError();
  if (!*first || !*second)
    return nullptr;
  Shape shape(node, *from);
  std::swap(shape.sizes[**first], shape.sizes[**second]);
  if (shape.stridesKnown)
    std::swap(shape.strides[**first], shape.strides[**second]);
  return shape.type();
}

TypeResult permuteShape(const Node &node) {
  const Type *from = tensorAt(node, 0);
  auto order = intsAt(node, 1);
  if (!from || !order)
    return nullptr;
  size_t rank = from->sizes().size();
  if (order->size() != rank)
    return shapeError(node,
                      "permutes " + llvm::Twine(order->size()) + " dimensions of a tensor of rank " + llvm::Twine(rank),
                      "name each dimension once");
  Shape shape(node, *from);
  for (size_t i = 0; i < rank; ++i) {
    std::optional<unsigned> dim = wrapDim((*order)[i], rank);
    if (!dim)
      return dimError(node, (*order)[i], rank);
    shape.sizes[i] = from->sizes()[*dim];
    if (shape.stridesKnown)
      shape.strides[i] = from->strides()[*dim];
  }
  return shape.type();
}

// f32[3, 1][1, 1] expanded to [2, 3, 4] is f32[2, 3, 4][0, 1, 0]: dimensions that are new or stretched have stride 0,
// since all of their elements are one.
TypeResult expandShape(const Node &node) {
  const Type *from = tensorAt(node, 0);
  auto wanted = dimsAt(node, 1);
  if (!from || !wanted || !from->stridesKnown() || wanted->size() < from->sizes().size())
    return nullptr;
  Shape shape(node, *from);
  size_t added = wanted->size() - from->sizes().size();
  shape.sizes.assign(wanted->begin(), wanted->end());
  shape.strides.assign(wanted->size(), Dim(0));
  for (size_t i = added; i < wanted->size(); ++i) {
    const Dim &old = from->sizes()[i - added];
    bool keeps = (*wanted)[i] == Dim(-1) || (*wanted)[i] == old;
    if (!keeps && (!old.isStatic() || !(*wanted)[i].isStatic()))
      return nullptr;
    if (!keeps && old != Dim(1))
      return shapeError(node, "expands a dimension of " + old.str() + " to " + (*wanted)[i].str(),
                        "only dimensions of size 1 expand");
    shape.sizes[i] = keeps ? old : (*wanted)[i];
    shape.strides[i] = keeps ? from->strides()[i - added] : Dim(0);
  }
  // Because PyTorch gives a new dimension of size 1 the stride that follows from the one inside it.
  for (size_t i = added; i-- > 0 && added < wanted->size();)
    if (shape.sizes[i] == Dim(1))
      shape.strides[i] = multiply(contextOf(node), shape.sizes[i + 1], shape.strides[i + 1]);
  return shape.type();
}

// The stride of a dimension of size 1 means nothing, yet texts print it: PyTorch states what a step over all of the
// next dimension would be. f32[4][1] at 0 is f32[1, 4][4, 1], at 1 f32[4, 1][1, 1].
TypeResult unsqueezeShape(const Node &node) {
  const Type *from = tensorAt(node, 0);
  if (!from)
    return nullptr;
  auto dim = dimAt(node, 1, from->sizes().size() + 1);
  if (!dim)
    return dim.takeError();
  if (!*dim)
    return nullptr;
  Shape shape(node, *from);
  bool last = **dim == from->sizes().size();
  if (shape.stridesKnown)
    shape.strides.insert(shape.strides.begin() + **dim,
                         last ? Dim(1) : multiply(contextOf(node), from->sizes()[**dim], from->strides()[**dim]));
  shape.sizes.insert(shape.sizes.begin() + **dim, Dim(1));
  return shape.type();
}

// Without dimensions all of size 1 go. Whether a dimension of size s0 goes is known only when the program runs, so
// there is no answer then.
TypeResult squeezeShape(const Node &node) {
  const Type *from = tensorAt(node, 0);
  auto dims = intsAt(node, 1);
  if (!dims && intAt(node, 1))
    dims.emplace({*intAt(node, 1)});
  bool all = node.op()->params.size() == 1;
  if (!from || (!dims && !all))
    return nullptr;
  size_t rank = from->sizes().size();
  llvm::SmallVector<bool, 6> asked(rank, all);
  for (int64_t dim : dims ? llvm::ArrayRef<int64_t>(*dims) : llvm::ArrayRef<int64_t>()) {
    std::optional<unsigned> wrapped = wrapDim(dim, std::max<size_t>(rank, 1));
    if (!wrapped)
      return dimError(node, dim, rank);
    if (rank)
      asked[*wrapped] = true;
  }
  Shape shape(node, *from);
  for (unsigned i = rank; i-- > 0;) {
    if (asked[i] && !from->sizes()[i].isStatic())
      return nullptr;
    if (asked[i] && from->sizes()[i] == Dim(1))
      shape.erase(i);
  }
  return shape.type();
}

TypeResult selectShape(const Node &node) {
  const Type *from = tensorAt(node, 0);
  if (!from)
    return nullptr;
  auto dim = dimAt(node, 1, from->sizes().size());
  if (!dim)
    return dim.takeError();
  if (!*dim)
    return nullptr;
  Shape shape(node, *from);
  shape.erase(**dim);
  return shape.type();
}

namespace {

/// One end of a slice, counted from the front and within [0, size]; `missing` where it is left out; empty if symbolic.
std::optional<int64_t> sliceEnd(const Node &node, int parameter, int64_t size, int64_t missing) {
  const Argument *argument = argumentAt(node, parameter);
  if (!argument || argument->is(Argument::Kind::None))
    return missing;
  if (!argument->is(Argument::Kind::Int))
    return std::nullopt;
  int64_t value = argument->integer();
  return std::clamp<int64_t>(value < 0 ? value + size : value, 0, size);
}

} // namespace

// Of f32[10, 4][4, 1], slice(x, 0, 1, 9, 3) takes rows 1, 4 and 7: f32[3, 4][12, 1].
TypeResult sliceShape(const Node &node) {
  const Type *from = tensorAt(node, 0);
  if (!from)
    return nullptr;
  auto dim = dimAt(node, 1, from->sizes().size());
  if (!dim)
    return dim.takeError();
  auto step = intAt(node, 4);
  if (!*dim || !step || *step < 1 || !from->sizes()[**dim].isStatic())
    return nullptr;
  int64_t size = from->sizes()[**dim].value();
  auto begin = sliceEnd(node, 2, size, 0);
  auto end = sliceEnd(node, 3, size, size);
  if (!begin || !end)
    return nullptr;
  Shape shape(node, *from);
  int64_t length = std::max<int64_t>(*end - *begin, 0);
  shape.sizes[**dim] = length / *step + (length % *step != 0);
  if (shape.stridesKnown)
    shape.strides[**dim] = multiply(contextOf(node), shape.strides[**dim], *step);
  return shape.type();
}

namespace {

/// The lengths that a split makes of `size` rows; empty if it cannot be told.
std::optional<Dims> splitLengths(const Node &node, int64_t size) {
  if (auto lengths = intsAt(node, 1))
    return lengths;
  std::optional<int64_t> chunk = intAt(node, 1);
  if (!chunk || *chunk <= 0 || size / *chunk > maxParts)
    return std::nullopt;
  Dims lengths;
  for (int64_t at = 0; at < size || at == 0; at = saturatingAdd(at, *chunk))
    lengths.push_back(std::min(*chunk, size - at));
  return lengths;
}

} // namespace

// split(x, 4) of 10 rows makes parts of 4, 4 and 2 rows; of 0 rows it makes one part without rows.
TypeResult splitShape(const Node &node) {
  const Type *from = tensorAt(node, 0);
  if (!from)
    return nullptr;
  auto dim = dimAt(node, 2, from->sizes().size());
  if (!dim)
    return dim.takeError();
  if (!*dim || !from->sizes()[**dim].isStatic())
    return nullptr;
  int64_t size = from->sizes()[**dim].value();
  auto lengths = splitLengths(node, size);
  if (!lengths)
    return nullptr;
  int64_t sum = 0;
  llvm::SmallVector<const Type *, 8> parts;
  for (int64_t length : *lengths) {
    Shape shape(node, *from);
    shape.sizes[**dim] = length;
    parts.push_back(shape.type());
    sum = saturatingAdd(sum, length);
  }
  if (sum != size)
    return shapeError(node, "splits " + llvm::Twine(size) + " rows into parts of together " + llvm::Twine(sum),
                      "make the parts add up");
  return contextOf(node).list(parts);
}

TypeResult unbindShape(const Node &node) {
  const Type *from = tensorAt(node, 0);
  if (!from)
    return nullptr;
  auto dim = dimAt(node, 1, from->sizes().size());
  if (!dim)
    return dim.takeError();
  if (!*dim || !from->sizes()[**dim].isStatic())
    return nullptr;
  int64_t size = from->sizes()[**dim].value();
  if (size < 0 || size > maxParts)
    return nullptr;
  Shape shape(node, *from);
  shape.erase(**dim);
  llvm::SmallVector<const Type *, 8> parts(size, shape.type());
  return contextOf(node).list(parts);
}

// Sizes and strides are the call's own; of x nothing but dtype and device is left.
TypeResult asStridedShape(const Node &node) {
  const Type *from = tensorAt(node, 0);
  auto sizes = dimsAt(node, 1);
  auto strides = dimsAt(node, 2);
  if (!from || !sizes || !strides)
    return nullptr;
  if (sizes->size() != strides->size())
    return shapeError(node,
                      "gives " + llvm::Twine(strides->size()) + " strides for " + llvm::Twine(sizes->size()) + " sizes",
                      "give a stride for each size");
  return contextOf(node).tensor(from->dtype(), {*sizes, *strides, true}, from->device());
}

// The last dimension takes up the change: f32[2, 4][4, 1] viewed as f16 is f16[2, 8][8, 1], and back. Strides of the
// other dimensions count elements, so they change by the same factor (torch.Tensor.view with a dtype).
TypeResult viewDTypeShape(const Node &node) {
  const Type *from = tensorAt(node, 0);
  const Argument *wanted = argumentAt(node, 1);
  if (!from || !wanted || !wanted->is(Argument::Kind::DType) || !allStatic(*from) || !from->stridesKnown())
    return nullptr;
  Shape shape(node, *from);
  int64_t before = sizeInBytes(from->dtype());
  int64_t after = sizeInBytes(wanted->dtype());
  shape.dtype = wanted->dtype();
  if (before == after)
    return shape.type();
  if (shape.sizes.empty())
    return nullptr;
  auto scale = [&](Dim &dim) { dim = saturatingMultiply(dim.value(), before) / after; };
  bool even = saturatingMultiply(shape.sizes.back().value(), before) % after == 0 && shape.strides.back() == Dim(1);
  for (size_t i = 0; even && i + 1 < shape.strides.size(); ++i)
    even = saturatingMultiply(shape.strides[i].value(), before) % after == 0;
  if (!even)
    return shapeError(node, "views " + typeText(from) + " as " + shortName(shape.dtype) + ", whose elements do not fit",
                      "make the last dimension contiguous and a multiple of " + llvm::Twine(after) + " bytes");
  scale(shape.sizes.back());
  std::for_each(shape.strides.begin(), shape.strides.end() - 1, scale);
  return shape.type();
}

// A pair of numbers becomes one: f32[4, 2][2, 1] is c64[4][1]. Strides count elements, which are twice as wide now.
TypeResult viewAsComplexShape(const Node &node) {
  const Type *from = tensorAt(node, 0);
  if (!from || !allStatic(*from) || !from->stridesKnown() || from->sizes().empty() || from->sizes().back() != Dim(2))
    return nullptr;
  if (from->dtype() != DType::F32 && from->dtype() != DType::F64)
    return nullptr;
  Shape shape(node, *from);
  shape.erase(shape.sizes.size() - 1);
  shape.dtype = from->dtype() == DType::F32 ? DType::C64 : DType::C128;
  for (Dim &stride : shape.strides)
    stride = stride.value() / 2;
  return shape.type();
}

TypeResult viewAsRealShape(const Node &node) {
  const Type *from = tensorAt(node, 0);
  if (!from || !allStatic(*from) || !from->stridesKnown() ||
      (from->dtype() != DType::C64 && from->dtype() != DType::C128))
    return nullptr;
  Shape shape(node, *from);
  shape.dtype = from->dtype() == DType::C64 ? DType::F32 : DType::F64;
  for (Dim &stride : shape.strides)
    stride = saturatingMultiply(stride.value(), 2);
  shape.sizes.push_back(2);
  shape.strides.push_back(1);
  return shape.type();
}

} // namespace ccgraph

#include "infer/families.h"

#include "ccgraph/ir/internal/promotion.h"
#include "ccgraph/ir/internal/symbolic_text.h"
#include "ccgraph/ir/min_max.h"

#include <algorithm>

namespace ccgraph::infer {
namespace {

/// Because a file may state any size, a list of more parts than this is left unknown.
constexpr int64_t maxParts = 1 << 16;

/// A tensor type under change.
struct Shape {
  const Call &call;
  DType dtype;
  Device device;
  DimList sizes;
  DimList strides;
  bool stridesKnown;

  Shape(const Call &call, const Type &type)
      : call(call), dtype(type.dtype()), device(type.device()), sizes(type.sizes().begin(), type.sizes().end()),
        strides(type.strides().begin(), type.strides().end()), stridesKnown(type.stridesKnown()) {}

  void erase(unsigned dim) {
    sizes.erase(sizes.begin() + dim);
    if (stridesKnown)
      strides.erase(strides.begin() + dim);
  }
  [[nodiscard]] TypePtr type() const { return call.context.tensor(dtype, {sizes, strides, stridesKnown}, device); }
};

bool allStatic(const Type &type) { return staticDims(type.sizes()) && staticDims(type.strides()); }

} // namespace

TypePtr operandType(Call &call) { return call.tensor(0); }

// Serves aten.transpose, which names two dimensions, and aten.t, which swaps the two that a matrix has.
TypePtr transposeType(Call &call) {
  TypePtr from = call.tensor(0);
  if (!from)
    return nullptr;
  size_t rank = from->sizes().size();
  bool isNamed = call.index("dim0") >= 0;
  if (rank == 0 || (!isNamed && rank < 2))
    return from;
  auto first = isNamed ? call.dimension(1, rank) : 0U, second = isNamed ? call.dimension(2, rank) : 1U;
  if (!first || !second)
    return nullptr;
  Shape shape(call, *from);
  std::swap(shape.sizes[*first], shape.sizes[*second]);
  if (shape.stridesKnown)
    std::swap(shape.strides[*first], shape.strides[*second]);
  return shape.type();
}

TypePtr permuteType(Call &call) {
  TypePtr from = call.tensor(0);
  auto order = intsAt(call.node, 1);
  if (!from || !order)
    return nullptr;
  size_t rank = from->sizes().size();
  if (order->size() != rank)
    return call.refuse("permutes " + llvm::Twine(order->size()) + " dimensions of a tensor of rank " +
                           llvm::Twine(rank),
                       "name each dimension once");
  Shape shape(call, *from);
  for (size_t i = 0; i < rank; ++i) {
    auto dim = call.wrapped((*order)[i], rank);
    if (!dim)
      return nullptr;
    shape.sizes[i] = from->sizes()[*dim];
    if (shape.stridesKnown)
      shape.strides[i] = from->strides()[*dim];
  }
  return shape.type();
}

// f32[3, 1][1, 1] expanded to [2, 3, 4] is f32[2, 3, 4][0, 1, 0]: dimensions that are new or stretched have stride 0,
// since all of their elements are one. A size that is another expression is taken to be the same number, or the
// program fails.
TypePtr expandType(Call &call) {
  TypePtr from = call.tensor(0);
  auto wanted = dimsAt(call.node, 1);
  if (!from || !wanted || !from->stridesKnown() || wanted->size() < from->sizes().size())
    return nullptr;
  Shape shape(call, *from);
  size_t added = wanted->size() - from->sizes().size();
  shape.sizes.assign(wanted->begin(), wanted->end());
  shape.strides.assign(wanted->size(), Dim(0));
  for (size_t i = added; i < wanted->size(); ++i) {
    const Dim &old = from->sizes()[i - added];
    bool keeps = shape.sizes[i] == Dim(-1) || shape.sizes[i] == old;
    if (!keeps && old != Dim(1) && old.isStatic() && shape.sizes[i].isStatic())
      return call.refuse("expands a dimension of " + old.str() + " to " + shape.sizes[i].str(),
                         "only dimensions of size 1 expand");
    call.assumeUnless(keeps || (old.isStatic() && shape.sizes[i].isStatic()));
    shape.sizes[i] = keeps ? old : shape.sizes[i];
    shape.strides[i] = keeps || old != Dim(1) ? from->strides()[i - added] : Dim(0);
  }
  // PyTorch gives a new dimension of size 1 the stride that follows from the dimension inside it. In graphs that
  // torch.compile makes, the strides of an expanded number are 1 there.
  const bool isNumber = added == wanted->size();
  for (size_t i = added; i-- > 0;)
    if (shape.sizes[i] == Dim(1))
      shape.strides[i] = isNumber ? Dim(1) : multiply(call.context, shape.sizes[i + 1], shape.strides[i + 1]);
  return shape.type();
}

// The stride of a dimension of size 1 means nothing, yet texts print it: PyTorch states what a step over all of the
// next dimension would be. f32[4][1] at 0 is f32[1, 4][4, 1], at 1 f32[4, 1][1, 1].
TypePtr unsqueezeType(Call &call) {
  TypePtr from = call.tensor(0);
  auto dim = from ? call.dimension(1, from->sizes().size() + 1) : std::nullopt;
  if (!dim)
    return nullptr;
  Shape shape(call, *from);
  bool isLast = *dim == from->sizes().size();
  if (shape.stridesKnown)
    shape.strides.insert(shape.strides.begin() + *dim,
                         isLast ? Dim(1) : multiply(call.context, from->sizes()[*dim], from->strides()[*dim]));
  shape.sizes.insert(shape.sizes.begin() + *dim, Dim(1));
  return shape.type();
}

// Without dimensions all of size 1 go. Whether a dimension of size s0 goes is known only when the program runs, so
// there is no answer then.
TypePtr squeezeType(Call &call) {
  TypePtr from = call.tensor(0);
  auto dims = intsAt(call.node, 1);
  if (!dims && intAt(call.node, 1))
    dims.emplace({*intAt(call.node, 1)});
  bool all = call.node.op()->params.size() == 1;
  if (!from || (!dims && !all))
    return nullptr;
  size_t rank = from->sizes().size();
  llvm::SmallVector<bool, 6> asked(rank, all);
  for (int64_t dim : dims ? IntListRef(*dims) : IntListRef()) {
    auto wrapped = call.wrapped(dim, std::max<size_t>(rank, 1));
    if (!wrapped)
      return nullptr;
    if (rank)
      asked[*wrapped] = true;
  }
  Shape shape(call, *from);
  for (unsigned i = rank; i-- > 0;) {
    if (asked[i] && !from->sizes()[i].isStatic())
      return nullptr;
    if (asked[i] && from->sizes()[i] == Dim(1))
      shape.erase(i);
  }
  return shape.type();
}

TypePtr selectType(Call &call) {
  TypePtr from = call.tensor(0);
  auto dim = from ? call.dimension(1, from->sizes().size()) : std::nullopt;
  if (!dim)
    return nullptr;
  Shape shape(call, *from);
  shape.erase(*dim);
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

/// A slice of a dimension of symbolic size: the first elements up to a size, or the whole dimension.
TypePtr symbolicSlice(Call &call, const Type &from, unsigned dim, int64_t step) {
  call.assume();
  const Dim &size = from.sizes()[dim];
  auto begin = call.given("start") ? call.dim("start") : Dim(0);
  auto end = call.given("end") ? call.dim("end") : Dim(INT64_MAX);
  if (!begin || !end)
    return nullptr;
  const bool isBeginKnown = begin->isStatic() ? begin->value() >= 0 : !begin->expr()->isUnbacked();
  if (*end == Dim(INT64_MAX))
    end = size;
  const int64_t least = size.isStatic() ? size.value() : size.expr()->isUnbacked() ? 0 : leastSizeSymbol;
  const bool isEndInside = !end->isStatic() || (end->value() >= 0 && end->value() <= least);
  if (!isBeginKnown || !isEndInside)
    return nullptr;
  Dim length = subtract(call.context, *end, *begin);
  std::optional<Dim> count = floorDivide(call.context, add(call.context, length, Dim(step - 1)), Dim(step));
  if (!count)
    return nullptr;
  Shape shape(call, from);
  shape.sizes[dim] = step == 1 ? length : *count;
  if (shape.stridesKnown)
    shape.strides[dim] = multiply(call.context, shape.strides[dim], step);
  return shape.type();
}

} // namespace

// Of f32[10, 4][4, 1], slice(x, 0, 1, 9, 3) takes rows 1, 4 and 7: f32[3, 4][12, 1].
TypePtr sliceType(Call &call) {
  TypePtr from = call.tensor(0);
  auto dim = from ? call.dimension(1, from->sizes().size()) : std::nullopt;
  auto step = intAt(call.node, 4);
  if (!dim || !step || *step < 1)
    return nullptr;
  const Dim &rows = from->sizes()[*dim];
  auto begin = rows.isStatic() ? sliceEnd(call.node, 2, rows.value(), 0) : std::nullopt;
  auto end = rows.isStatic() ? sliceEnd(call.node, 3, rows.value(), rows.value()) : std::nullopt;
  if (!begin || !end)
    return symbolicSlice(call, *from, *dim, *step);
  Shape shape(call, *from);
  int64_t length = std::max<int64_t>(*end - *begin, 0);
  shape.sizes[*dim] = length / *step + (length % *step != 0);
  if (shape.stridesKnown)
    shape.strides[*dim] = multiply(call.context, shape.strides[*dim], *step);
  return shape.type();
}

namespace {

/// Returns the lengths of the parts of `size` rows; empty if they are unknown.
std::optional<DimList> splitLengths(const Node &node, int64_t size) {
  if (auto lengths = dimsAt(node, 1))
    return lengths;
  std::optional<int64_t> chunk = intAt(node, 1);
  if (!chunk || *chunk <= 0 || size / *chunk > maxParts)
    return std::nullopt;
  DimList lengths;
  for (int64_t at = 0; at < size || at == 0; at = saturatingAdd(at, *chunk))
    lengths.push_back(Dim(std::min(*chunk, size - at)));
  return lengths;
}

/// split(x, 2*s0) of 4*s0 rows makes two parts.
std::optional<DimList> equalParts(const Call &call, const Dim &total) {
  auto length = call.dim("split_size");
  const Dim whole = simplified(call.context, total);
  constexpr int64_t mostParts = 256;
  for (int64_t count = 1; length && count <= mostParts; ++count)
    if (multiply(call.context, Dim(count), *length) == whole)
      return DimList(static_cast<size_t>(count), *length);
  return std::nullopt;
}

} // namespace

// split(x, 4) of 10 rows makes parts of 4, 4 and 2 rows; of 0 rows it makes one part without rows.
TypePtr splitType(Call &call) {
  TypePtr from = call.tensor(0);
  auto dim = from ? call.dimension(2, from->sizes().size()) : std::nullopt;
  if (!dim)
    return nullptr;
  const Dim &rows = from->sizes()[*dim];
  auto lengths = rows.isStatic() ? splitLengths(call.node, rows.value()) : dimsAt(call.node, 1);
  if (!lengths)
    lengths = equalParts(call, rows);
  if (!lengths)
    return nullptr;
  auto numbers = staticDims(*lengths);
  call.assumeUnless(rows.isStatic() && numbers);
  if (rows.isStatic() && numbers && saturatingSum(*numbers) != rows.value())
    return call.refuse("splits " + rows.str() + " rows into parts of together " + llvm::Twine(saturatingSum(*numbers)),
                       "make the parts add up");
  llvm::SmallVector<TypePtr, 8> parts;
  for (const Dim &length : *lengths) {
    Shape shape(call, *from);
    shape.sizes[*dim] = length;
    parts.push_back(shape.type());
  }
  return call.context.list(parts);
}

TypePtr unbindType(Call &call) {
  TypePtr from = call.tensor(0);
  auto dim = from ? call.dimension(1, from->sizes().size()) : std::nullopt;
  if (!dim || !from->sizes()[*dim].isStatic())
    return nullptr;
  int64_t size = from->sizes()[*dim].value();
  if (size < 0 || size > maxParts)
    return nullptr;
  Shape shape(call, *from);
  shape.erase(*dim);
  return call.context.list(llvm::SmallVector<TypePtr, 8>(size, shape.type()));
}

// Sizes and strides are the call's own; of x nothing but dtype and device is left.
TypePtr asStridedType(Call &call) {
  TypePtr from = call.tensor(0);
  auto sizes = dimsAt(call.node, 1);
  auto strides = dimsAt(call.node, 2);
  if (!from || !sizes || !strides)
    return nullptr;
  if (sizes->size() != strides->size())
    return call.refuse("gives " + llvm::Twine(strides->size()) + " strides for " + llvm::Twine(sizes->size()) +
                           " sizes",
                       "give a stride for each size");
  return call.context.tensor(from->dtype(), {*sizes, *strides, true}, from->device());
}

// The diagonal becomes the last dimension; its stride is the sum of both. Sizes must be numbers.
static std::optional<Dim> diagonalLength(const Call &call, const Dim &rows, const Dim &columns, int64_t offset) {
  if (rows.isStatic() && columns.isStatic())
    return Dim(std::max<int64_t>(
        std::min(rows.value() + std::min<int64_t>(offset, 0), columns.value() - std::max<int64_t>(offset, 0)), 0));
  if (offset != 0)
    return std::nullopt;
  if (rows == columns)
    return rows;
  const Dim &first = columns.isStatic() ? columns : rows, &second = columns.isStatic() ? rows : columns;
  return minimum(call.context, first, second);
}

TypePtr diagonalType(Call &call) {
  TypePtr from = call.tensor(0);
  size_t rank = from ? from->sizes().size() : 0;
  auto first = from ? call.dimension(call.index("dim1"), rank) : std::nullopt;
  auto second = from ? call.dimension(call.index("dim2"), rank) : std::nullopt;
  auto offset = call.integer("offset");
  if (!first || !second || *first == *second || !offset || !from->stridesKnown())
    return nullptr;
  std::optional<Dim> length = diagonalLength(call, from->sizes()[*first], from->sizes()[*second], *offset);
  if (!length)
    return nullptr;
  Shape shape(call, *from);
  Dim stride = add(call.context, shape.strides[*first], shape.strides[*second]);
  shape.erase(std::max(*first, *second));
  shape.erase(std::min(*first, *second));
  shape.sizes.push_back(*length);
  shape.strides.push_back(stride);
  return shape.type();
}

// Windows of one dimension, whose elements are a new last dimension.
TypePtr windowsType(Call &call) {
  TypePtr from = call.tensor(0);
  auto dim = from ? call.dimension(1, from->sizes().size()) : std::nullopt;
  auto size = call.integer("size"), step = call.integer("step");
  if (!dim || !size || !step || *step <= 0 || !from->stridesKnown() || !allStatic(*from) ||
      from->sizes()[*dim].value() < *size)
    return nullptr;
  Shape shape(call, *from);
  shape.sizes.push_back(Dim(*size));
  shape.strides.push_back(shape.strides[*dim]);
  shape.sizes[*dim] = Dim((shape.sizes[*dim].value() - *size) / *step + 1);
  shape.strides[*dim] = Dim(saturatingMultiply(shape.strides[*dim].value(), *step));
  return shape.type();
}

// The last dimension takes up the change: f32[2, 4][4, 1] viewed as f16 is f16[2, 8][8, 1], and back. Strides of the
// other dimensions count elements, so they change by the same factor (torch.Tensor.view with a dtype).
TypePtr bitsType(Call &call) {
  TypePtr from = call.tensor(0);
  const Argument *wanted = argumentAt(call.node, 1);
  if (!from || !wanted || !wanted->is(Argument::Kind::DType) || !allStatic(*from) || !from->stridesKnown())
    return nullptr;
  Shape shape(call, *from);
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
    return call.refuse("views " + typeText(from) + " as " + shortName(shape.dtype) + ", whose elements do not fit",
                       "make the last dimension contiguous and a multiple of " + llvm::Twine(after) + " bytes");
  scale(shape.sizes.back());
  std::for_each(shape.strides.begin(), shape.strides.end() - 1, scale);
  return shape.type();
}

// A pair of numbers becomes one: f32[4, 2][2, 1] is c64[4][1]. Strides count elements, which are twice as wide now.
TypePtr complexType(Call &call) {
  TypePtr from = call.tensor(0);
  if (!from || !from->stridesKnown() || from->sizes().empty() || from->sizes().back() != Dim(2))
    return nullptr;
  if (from->dtype() != DType::F16 && from->dtype() != DType::F32 && from->dtype() != DType::F64)
    return nullptr;
  Shape shape(call, *from);
  shape.erase(shape.sizes.size() - 1);
  shape.dtype = complexTypeOf(from->dtype());
  if (!allStatic(*from))
    return from->isContiguous() ? call.contiguous(shape.dtype, shape.sizes, shape.device) : nullptr;
  for (Dim &stride : shape.strides)
    stride = stride.value() / 2;
  return shape.type();
}

TypePtr realViewType(Call &call) {
  TypePtr from = call.tensor(0);
  if (!from || !from->stridesKnown() || !isComplex(from->dtype()))
    return nullptr;
  Shape shape(call, *from);
  shape.dtype = realTypeOf(from->dtype());
  for (Dim &stride : shape.strides)
    stride = multiply(call.context, Dim(2), stride);
  shape.sizes.push_back(2);
  shape.strides.push_back(1);
  return shape.type();
}

} // namespace ccgraph::infer

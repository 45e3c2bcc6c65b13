#include "cuda/planner.h"

#include "cuda/apart.h"

#include "ccgraph/ir/strides.h"

#include <cmath>

namespace ccgraph::runtime::cuda {

using device::Element;

std::optional<Element> elementOf(DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return Element::Bool;
  case DType::U8:
    return Element::U8;
  case DType::I8:
    return Element::I8;
  case DType::U16:
    return Element::U16;
  case DType::I16:
    return Element::I16;
  case DType::U32:
    return Element::U32;
  case DType::I32:
    return Element::I32;
  case DType::I64:
    return Element::I64;
  case DType::F16:
    return Element::F16;
  case DType::BF16:
    return Element::BF16;
  case DType::F32:
    return Element::F32;
  case DType::F64:
    return Element::F64;
  case DType::U64:
  case DType::C32:
  case DType::C64:
  case DType::C128:
  case DType::F8E4M3FN:
  case DType::F8E5M2:
  case DType::F8E4M3FNUZ:
  case DType::F8E5M2FNUZ:
  case DType::F8E8M0FNU:
  case DType::F4E2M1FNX2:
    return std::nullopt;
  }
  return std::nullopt;
}

device::Arithmetic arithmeticOf(DType dtype) {
  if (dtype == DType::F64)
    return device::Arithmetic::Double;
  return isFloat(dtype) ? device::Arithmetic::Single : device::Arithmetic::Whole;
}

std::optional<DType> movedAs(DType dtype) {
  switch (sizeInBytes(dtype)) {
  case 1:
    return DType::U8;
  case 2:
    return DType::I16;
  case 4:
    return DType::I32;
  case 8:
    return DType::I64;
  default:
    return std::nullopt;
  }
}

static bool areElements(llvm::ArrayRef<DType> dtypes) {
  return llvm::all_of(dtypes, [](DType dtype) { return elementOf(dtype).has_value(); });
}
/// All that are no elements are one type, which can be moved.
static bool areMovedBesideElements(llvm::ArrayRef<DType> dtypes) {
  llvm::SmallVector<DType, 4> others;
  llvm::copy_if(dtypes, std::back_inserter(others), [](DType dtype) { return !elementOf(dtype); });
  return others.empty() || (llvm::is_splat(others) && movedAs(others.front()));
}

bool takes(Accepted what, llvm::ArrayRef<DType> dtypes) {
  switch (what) {
  case Accepted::Elements:
    return areElements(dtypes);
  case Accepted::Moved:
    return areElements(dtypes) || (llvm::is_splat(dtypes) && movedAs(dtypes.front()));
  case Accepted::Picked:
    return areMovedBesideElements(dtypes);
  case Accepted::Indexed:
    return areMovedBesideElements(dtypes) && !llvm::is_contained(dtypes, DType::Bool) &&
           !llvm::is_contained(dtypes, DType::U8);
  case Accepted::Complex:
    return areElements(dtypes) ||
           (llvm::is_splat(dtypes) && (dtypes.front() == DType::C64 || dtypes.front() == DType::C128));
  case Accepted::Seeded:
    return llvm::all_of(dtypes, [](DType dtype) { return dtype == DType::U64 || elementOf(dtype); });
  }
  return false;
}

// A number without an integer value, such as infinity, is 0 for integers.
Source::Source(double number)
    : kind(device::OperandKind::Number), real(number),
      whole(std::fabs(number) < 0x1p63 ? static_cast<int64_t>(number) : 0) {}

Source Source::number(const Value &value) {
  if (value.is(Value::Kind::Float))
    return value.floating();
  Source source(0.0);
  source.whole = value.is(Value::Kind::Bool) ? static_cast<int64_t>(value.boolean()) : value.integer();
  source.real = static_cast<double>(source.whole);
  return source;
}

Source Source::position() {
  Source source(0.0);
  source.kind = device::OperandKind::Position;
  return source;
}

std::optional<Tensor> Planner::destination(unsigned index) const {
  if (index >= destinations_.size() || !destinations_[index].storage())
    return std::nullopt;
  return destinations_[index];
}

Tensor Planner::result() {
  std::optional<Tensor> place = destination(0);
  args.check(place.has_value(), "its result has no place before it is computed, which a device needs");
  return place.value_or(Tensor());
}

device::Strided Planner::begin(const Tensor &tensor) {
  std::optional<Element> element = elementOf(tensor.dtype());
  args.check(element.has_value(), "got dtype " + shortName(tensor.dtype()) + ", which no kernel of cuda computes with");
  return {tensor.storage() ? tensor.data() : nullptr, element.value_or(Element::U8)};
}

/// Returns the stride for each dimension of `sizes`, 0 where the tensor is expanded; nothing where it does not fit.
static std::optional<IntList> stretchedStrides(const Tensor &tensor, IntListRef sizes) {
  if (tensor.sizes().size() > sizes.size())
    return std::nullopt;
  IntList strides(sizes.size(), 0);
  size_t front = sizes.size() - tensor.sizes().size();
  for (size_t d = front; d < sizes.size(); ++d) {
    if (tensor.sizes()[d - front] == sizes[d])
      strides[d] = tensor.strides()[d - front];
    else if (tensor.sizes()[d - front] != 1)
      return std::nullopt;
  }
  return strides;
}

/// Two neighbouring dimensions can be merged where the outer stride of each tensor continues the inner dimension.
static bool mergeable(llvm::ArrayRef<IntList> strides, size_t outer, size_t inner, int64_t innerSize) {
  return llvm::all_of(strides, [&](const IntList &one) { return one[outer] == one[inner] * innerSize; });
}

// Each of `strides` becomes as short as the shape.
device::Shape Planner::merged(IntListRef sizes, llvm::MutableArrayRef<IntList> strides) {
  device::Shape shape;
  llvm::SmallVector<size_t, 8> kept;
  for (size_t d = 0; d < sizes.size(); ++d) {
    shape.count *= sizes[d];
    if (sizes[d] == 1)
      continue;
    bool merges = !kept.empty() && mergeable(strides, kept.back(), d, sizes[d]);
    if (!merges && !args.check(kept.size() < device::mostDimensions,
                               "got " + dimsOf(sizes).str() + ", which is more than a device's kernels can walk over"))
      return shape;
    if (merges)
      kept.back() = d;
    else
      kept.push_back(d);
    int64_t &size = shape.sizes[kept.size() - 1];
    size = merges ? size * sizes[d] : sizes[d];
  }
  shape.dimensions = static_cast<int>(kept.size());
  for (IntList &one : strides)
    one = IntList(llvm::map_range(kept, [&](size_t d) { return one[d]; }));
  return shape;
}

device::Shape Planner::stretch(IntListRef sizes, llvm::ArrayRef<Tensor> tensors,
                               llvm::MutableArrayRef<device::Strided> windows) {
  llvm::SmallVector<IntList, 5> strides;
  for (const Tensor &tensor : tensors) {
    std::optional<IntList> own = stretchedStrides(tensor, sizes);
    if (!args.check(own.has_value(),
                    "got " + typeOf(tensor).str() + ", which does not stretch to " + dimsOf(sizes).str()))
      return {};
    strides.push_back(std::move(*own));
  }
  device::Shape shape = merged(sizes, strides);
  for (size_t i = 0; i < tensors.size() && !args.failed(); ++i)
    llvm::copy(strides[i], windows[i].strides);
  return shape;
}

device::Shape Planner::over(IntListRef sizes, llvm::ArrayRef<Tensor> tensors,
                            llvm::MutableArrayRef<device::Strided> windows) {
  for (size_t i = 0; i < tensors.size(); ++i)
    windows[i] = begin(tensors[i]);
  return stretch(sizes, tensors, windows);
}

/// Compares addresses, because a plan may lay two buffers over the same bytes. The same window is safe, where each
/// thread reads the element that it writes.
static bool isSafe(const Tensor &read, const Tensor &written) {
  return (read.data() == written.data() && read.elementSize() == written.elementSize() &&
          read.sizes() == written.sizes() && read.strides() == written.strides()) ||
         areApart(read, written);
}

bool Planner::checkApart(const Tensor &read, const Tensor &written) {
  return args.check(areApart(read, written),
                    "got " + typeOf(read) + " that overlaps what is written, which a device does at once");
}

void Planner::map(const Tensor &out, const Mapping &mapping, llvm::ArrayRef<Source> sources) {
  device::MapJob job;
  job.op = mapping.op;
  job.arithmetic = mapping.arithmetic;
  job.numOperands = static_cast<int>(sources.size());
  bool known = mapping.arithmetic == device::Arithmetic::Whole ? isWhole(mapping.op) : isReal(mapping.op);
  if (!args.check(known, "got a dtype which it does not compute with"))
    return;
  llvm::SmallVector<Tensor, 5> tensors = {out};
  for (const Source &source : sources)
    if (source.kind == device::OperandKind::Tensor) {
      if (!args.check(isSafe(source.tensor, out),
                      "got " + typeOf(source.tensor) + " that overlaps what is written, which a device does at once"))
        return;
      tensors.push_back(source.tensor);
    }
  llvm::SmallVector<device::Strided, 5> windows(tensors.size());
  job.shape = over(out.sizes(), tensors, windows);
  job.out = windows.front();
  size_t next = 1;
  for (size_t i = 0; i < sources.size(); ++i)
    job.operands[i] = {sources[i].kind == device::OperandKind::Tensor ? windows[next++] : device::Strided(),
                       sources[i].kind, sources[i].whole, sources[i].real};
  if (job.shape.count != 0)
    add(job);
}

void Planner::complex(const Tensor &out, device::ComplexOp op, llvm::ArrayRef<Tensor> sources) {
  device::ComplexJob job;
  job.op = op;
  DType part = out.dtype() == DType::C128 ? DType::F64 : DType::F32;
  job.arithmetic = arithmeticOf(part);
  llvm::SmallVector<Tensor, 3> tensors = {out};
  for (const Tensor &source : sources) {
    bool isAlike = source.dtype() == out.dtype() && (out.dtype() == DType::C64 || out.dtype() == DType::C128);
    if (!args.check(isAlike, "got " + typeOf(source) + " for " + typeOf(out) + ", expected one complex type") ||
        !(isSafe(source, out) || checkApart(source, out)))
      return;
    tensors.push_back(source);
  }
  llvm::SmallVector<device::Strided, 3> windows(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i)
    windows[i] = {tensors[i].storage() ? tensors[i].data() : nullptr, *elementOf(part)};
  job.shape = stretch(out.sizes(), tensors, windows);
  job.out = windows[0];
  job.a = windows[1];
  job.b = windows.back();
  if (job.shape.count != 0)
    add(job);
}

Planner::Rows linesAlong(const Tensor &tensor, int64_t dim) {
  Planner::Rows rows{tensor, toIntList(tensor.strides()), {tensor.stride(dim)}};
  rows.rowStrides.erase(rows.rowStrides.begin() + dim);
  return rows;
}

Planner::Walk Planner::lay(const RowSizes &sizes, llvm::ArrayRef<Placed> windows) {
  llvm::SmallVector<IntList, 8> rowStrides, innerStrides;
  for (const Placed &one : windows) {
    rowStrides.push_back(one.from->rowStrides);
    innerStrides.push_back(one.from->innerStrides);
  }
  Walk walk{merged(sizes.rows, rowStrides), merged(sizes.inner, innerStrides)};
  for (size_t i = 0; i < windows.size() && !args.failed(); ++i) {
    device::Strided begun = begin(*windows[i].from->tensor);
    windows[i].to->data = begun.data;
    windows[i].to->element = begun.element;
    llvm::copy(rowStrides[i], windows[i].to->rowStrides);
    llvm::copy(innerStrides[i], windows[i].to->innerStrides);
  }
  return walk;
}

void Planner::rows(device::RowJob job, const RowSizes &sizes, llvm::ArrayRef<Rows> in, llvm::ArrayRef<Rows> out) {
  llvm::SmallVector<Placed, 8> windows;
  for (size_t i = 0; i < in.size() + out.size(); ++i) {
    const Rows &one = i < in.size() ? in[i] : out[i - in.size()];
    if (one.tensor)
      windows.push_back({&one, i < in.size() ? &job.in[i] : &job.out[i - in.size()]});
  }
  Walk walk = lay(sizes, windows);
  job.rows = walk.rows;
  job.inner = walk.inner;
  if (job.rows.count != 0)
    add(job);
}

Tensor Planner::moved(const Tensor &tensor) {
  std::optional<DType> as = movedAs(tensor.dtype());
  // A window of its own, since the strides count elements of one size.
  return as ? tensor.reinterpret(*as, {toIntList(tensor.sizes()), toIntList(tensor.strides()), tensor.offset()})
            : tensor;
}

void Planner::copy(const Tensor &out, const Tensor &from) {
  bool stays = out.dtype() == from.dtype();
  Tensor source = stays ? moved(from) : from;
  map(stays ? moved(out) : out, {device::MapOp::Copy, arithmeticOf(source.dtype())}, {source});
}

void Planner::fill(const Tensor &out, const Source &number) {
  map(out, {device::MapOp::Copy, arithmeticOf(out.dtype())}, {number});
}

} // namespace ccgraph::runtime::cuda

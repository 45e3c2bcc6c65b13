#include "ccgraph/runtime/tensor.h"

#include "kernels/elements.h"
#include "memory_limit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <cstring>
#include <numeric>

namespace ccgraph::runtime {

/// Sizes come from files: what 64 bits do not hold is the largest number, which no memory holds either.
static int64_t saturatingProduct(int64_t a, int64_t b) {
  int64_t result = 0;
  return llvm::MulOverflow(a, b, result) ? INT64_MAX : result;
}

static int64_t saturatingSum(int64_t a, int64_t b) {
  int64_t result = 0;
  return llvm::AddOverflow(a, b, result) ? INT64_MAX : result;
}

Storage::Storage(int64_t size) {
  MemoryLimit::take(size);
  bytes.resize(static_cast<size_t>(size));
}

void Storage::growTo(int64_t size) {
  int64_t more = size - static_cast<int64_t>(bytes.size());
  if (more <= 0)
    return;
  MemoryLimit::take(more);
  bytes.resize(static_cast<size_t>(size));
}

Storage::~Storage() { MemoryLimit::give(static_cast<int64_t>(bytes.size())); }

Dims allDims(int64_t rank) {
  Dims dims(static_cast<size_t>(rank));
  std::iota(dims.begin(), dims.end(), int64_t{0});
  return dims;
}

int64_t productOf(DimsRef sizes) {
  // Because nothing times anything is nothing, however large the others are.
  if (llvm::is_contained(sizes, 0))
    return 0;
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, saturatingProduct);
}

Dims contiguousStrides(DimsRef sizes) {
  Dims strides(sizes.size());
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step = saturatingProduct(step, std::max<int64_t>(sizes[i], 1));
  }
  return strides;
}

/// Positive if dimension a must lie outside b, negative if it lies inside already, 0 if no operand
/// tells.
static int compareDims(DimsRef sizes, llvm::ArrayRef<DimsRef> likes, std::pair<size_t, size_t> dims) {
  auto [a, b] = dims;
  for (DimsRef strides : likes) {
    if (strides[a] == 0 || strides[b] == 0)
      continue;
    if (strides[a] != strides[b])
      return strides[a] < strides[b] ? -1 : 1;
    if (sizes[a] > sizes[b])
      return 1;
  }
  return 0;
}

Dims denseStridesLike(DimsRef sizes, llvm::ArrayRef<DimsRef> likes) {
  llvm::SmallVector<size_t, 4> innerFirst(llvm::reverse(llvm::seq<size_t>(0, sizes.size())));
  // Because the comparison is not transitive where strides are 0, the order is that of PyTorch's
  // insertion sort.
  for (size_t i = 1; i < innerFirst.size(); ++i)
    for (size_t at = i, below = i; below-- > 0;) {
      int order = compareDims(sizes, likes, {innerFirst[below], innerFirst[at]});
      if (order < 0)
        break;
      if (order > 0)
        std::swap(innerFirst[below], innerFirst[at]), at = below;
    }
  Dims strides(sizes.size());
  int64_t step = 1;
  for (size_t dim : innerFirst) {
    strides[dim] = step;
    step = saturatingProduct(step, std::max<int64_t>(sizes[dim], 1));
  }
  return strides;
}

std::optional<Dims> broadcastSizes(DimsRef a, DimsRef b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Dims result(a.begin(), a.end());
  size_t lead = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t &size = result[lead + i];
    if (size == 1)
      size = b[i];
    else if (b[i] != 1 && b[i] != size)
      return std::nullopt;
  }
  return result;
}

std::string dimsText(DimsRef dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

/// Elements from the first to one past the last that sizes and strides reach.
static int64_t extentOf(DimsRef sizes, DimsRef strides) {
  int64_t extent = 1;
  for (auto [size, stride] : llvm::zip(sizes, strides)) {
    if (size == 0)
      return 0;
    extent = saturatingSum(extent, saturatingProduct(size - 1, stride));
  }
  return extent;
}

Tensor::Tensor() {
  // Because many values are made only to be overwritten, they share the object of no elements; nothing changes it.
  static const auto nothing = std::make_shared<Object>(Object{DType::F32, {{0}, {1}, 0}, nullptr});
  object_ = nothing;
}

Tensor Tensor::zeros(DType dtype, DimsRef sizes) { return zeros(dtype, sizes, contiguousStrides(sizes)); }

Tensor Tensor::zeros(DType dtype, DimsRef sizes, DimsRef strides) {
  int64_t size = sizeInBytes(dtype);
  MemoryLimit::check(saturatingProduct(productOf(sizes), size));
  auto storage = std::make_shared<Storage>(saturatingProduct(extentOf(sizes, strides), size));
  return Tensor(Object{dtype, {toDims(sizes), toDims(strides), 0}, std::move(storage)});
}

Tensor Tensor::fromHost(const HostTensor &host) {
  Tensor result = zeros(host.dtype, host.sizes);
  assert(host.data.size() == result.object_->storage->bytes.size() && "bytes disagree with sizes");
  result.object_->storage->bytes = host.data;
  return result;
}

Tensor Tensor::fromHost(const HostTensor &host, DimsRef strides) {
  Tensor plain = fromHost(host);
  if (llvm::equal(plain.strides(), strides))
    return plain;
  Tensor result = zeros(host.dtype, host.sizes, strides);
  result.copyFrom(plain);
  return result;
}

HostTensor Tensor::toHost() const {
  Tensor plain = contiguous();
  HostTensor host;
  host.dtype = dtype();
  host.sizes.assign(sizes().begin(), sizes().end());
  auto bytes = static_cast<size_t>(numElements() * elementSize());
  if (bytes != 0)
    host.data.assign(plain.data(), plain.data() + bytes);
  return host;
}

int64_t Tensor::numElements() const { return productOf(sizes()); }

bool Tensor::isContiguous() const {
  int64_t step = 1;
  for (int64_t dim = rank() - 1; dim >= 0; --dim) {
    if (size(dim) == 0)
      return true;
    if (size(dim) != 1 && stride(dim) != step)
      return numElements() == 0;
    step *= size(dim);
  }
  return true;
}

bool Tensor::isDense() const {
  if (numElements() == 0)
    return true;
  llvm::SmallVector<std::pair<int64_t, int64_t>, 4> dims;
  for (auto [size, stride] : llvm::zip(sizes(), strides()))
    if (size != 1)
      dims.emplace_back(stride, size);
  llvm::sort(dims);
  int64_t step = 1;
  for (auto [stride, size] : dims) {
    if (stride != step)
      return false;
    step *= size;
  }
  return true;
}

std::string Tensor::typeText() const { return shortName(dtype()).str() + dimsText(sizes()) + dimsText(strides()); }

std::byte *Tensor::data() const {
  return object_->storage ? object_->storage->bytes.data() + offset() * elementSize() : nullptr;
}

Tensor Tensor::reinterpret(DType dtype, Window window) const {
  return Tensor(Object{dtype, std::move(window), object_->storage});
}

Tensor Tensor::alias() const { return Tensor(*object_); }

void Tensor::become(const Tensor &other) const {
  assert(storage() && "a default-made tensor is nobody's object");
  *object_ = Object(*other.object_);
}

void Tensor::resize(DimsRef sizes, DimsRef strides) const {
  assert(storage() && "a default-made tensor is nobody's object");
  Window window{toDims(sizes), toDims(strides), offset()};
  int64_t elements = extentOf(sizes, strides);
  MemoryLimit::check(saturatingProduct(productOf(sizes), elementSize()));
  if (elements != 0)
    object_->storage->growTo(saturatingProduct(saturatingSum(offset(), elements), elementSize()));
  object_->window = std::move(window);
}

static llvm::Error badWindow(const Window &window, const Tensor &tensor, llvm::StringRef why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "sizes %s, strides %s, offset %lld of a tensor %s: %s",
                                 dimsText(window.sizes).c_str(), dimsText(window.strides).c_str(),
                                 static_cast<long long>(window.offset), tensor.typeText().c_str(), why.str().c_str());
}

llvm::Expected<Tensor> Tensor::asStrided(Window window) const {
  if (window.sizes.size() != window.strides.size())
    return badWindow(window, *this, "expected as many strides as sizes");
  auto negative = [](int64_t value) { return value < 0; };
  if (llvm::any_of(window.sizes, negative) || llvm::any_of(window.strides, negative) || window.offset < 0)
    return badWindow(window, *this, "expected no negative number");
  int64_t room = storage() ? static_cast<int64_t>(storage()->bytes.size()) / elementSize() : 0;
  int64_t reach = extentOf(window.sizes, window.strides);
  int64_t end = saturatingSum(window.offset, reach);
  if (reach != 0 && end > room)
    return badWindow(window, *this,
                     "reaches element " + std::to_string(end - 1) + " of a storage of " + std::to_string(room));
  MemoryLimit::check(saturatingProduct(productOf(window.sizes), elementSize()));
  return reinterpret(dtype(), std::move(window));
}

/// Replaces a -1 by the size that makes the element counts equal; empty where none does.
static std::optional<Dims> inferSize(DimsRef wanted, int64_t count) {
  Dims sizes(wanted.begin(), wanted.end());
  int64_t known = 1;
  int64_t *open = nullptr;
  for (int64_t &size : sizes) {
    if (size >= 0)
      known = saturatingProduct(known, size);
    else if (size == -1 && !open)
      open = &size;
    else
      return std::nullopt;
  }
  if (!open)
    return known == count ? std::optional(sizes) : std::nullopt;
  if (known == 0 || count % known != 0)
    return std::nullopt;
  *open = count / known;
  return sizes;
}

/// Strides of a view of `tensor` as `sizes` without a copy (PyTorch's computeStride: each run of
/// old dimensions that is contiguous among itself may be split anew); empty where there is none.
static std::optional<Dims> viewStrides(const Tensor &tensor, DimsRef sizes) {
  if (tensor.numElements() == 0)
    return llvm::equal(tensor.sizes(), sizes) ? Dims(tensor.strides().begin(), tensor.strides().end())
                                              : contiguousStrides(sizes);
  Dims strides(sizes.size());
  int64_t next = static_cast<int64_t>(sizes.size()) - 1;
  int64_t base = tensor.rank() ? tensor.strides().back() : 1;
  int64_t runOld = 1;
  int64_t runNew = 1;
  for (int64_t dim = tensor.rank() - 1; dim >= 0; --dim) {
    runOld *= tensor.size(dim);
    bool ends = dim == 0 || (tensor.size(dim - 1) != 1 && tensor.stride(dim - 1) != runOld * base);
    if (!ends)
      continue;
    while (next >= 0 && (runNew < runOld || sizes[next] == 1)) {
      strides[next] = runNew * base;
      runNew *= sizes[next--];
    }
    if (runNew != runOld)
      return std::nullopt;
    if (dim > 0)
      base = tensor.stride(dim - 1);
    runOld = runNew = 1;
  }
  for (; next >= 0; --next)
    strides[next] = 1;
  return strides;
}

llvm::Expected<Tensor> Tensor::view(DimsRef wanted) const {
  std::optional<Dims> sizes = inferSize(wanted, numElements());
  if (!sizes)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "shape %s does not hold the %lld elements of %s",
                                   dimsText(wanted).c_str(), static_cast<long long>(numElements()), typeText().c_str());
  std::optional<Dims> strides = viewStrides(*this, *sizes);
  if (!strides)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "a tensor %s cannot be seen as %s without a copy (note: aten.reshape copies where it must)", typeText().c_str(),
        dimsText(*sizes).c_str());
  return reinterpret(dtype(), {*sizes, *strides, offset()});
}

llvm::Expected<Tensor> Tensor::expand(DimsRef wanted) const {
  Window window{Dims(wanted.begin(), wanted.end()), Dims(wanted.size(), 0), offset()};
  auto lead = static_cast<int64_t>(wanted.size()) - rank();
  bool fits = lead >= 0;
  for (int64_t i = 0; fits && i < static_cast<int64_t>(wanted.size()); ++i) {
    int64_t &size = window.sizes[i];
    if (i < lead) {
      fits = size >= 0;
      continue;
    }
    if (size == -1)
      size = this->size(i - lead);
    fits = size >= 0 && (size == this->size(i - lead) || this->size(i - lead) == 1);
    if (size == this->size(i - lead))
      window.strides[i] = stride(i - lead);
  }
  if (!fits)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "a tensor %s does not expand to %s",
                                   typeText().c_str(), dimsText(wanted).c_str());
  // Because PyTorch gives a new dimension of size 1 the stride that follows from the one inside it.
  for (int64_t i = lead - 1; i >= 0 && rank() > 0; --i)
    if (window.sizes[i] == 1)
      window.strides[i] = saturatingProduct(window.sizes[i + 1], window.strides[i + 1]);
  MemoryLimit::check(saturatingProduct(productOf(window.sizes), elementSize()));
  return reinterpret(dtype(), std::move(window));
}

Tensor Tensor::permute(DimsRef order) const {
  Window window{{}, {}, offset()};
  for (int64_t dim : order) {
    window.sizes.push_back(size(dim));
    window.strides.push_back(stride(dim));
  }
  return reinterpret(dtype(), std::move(window));
}

Tensor Tensor::slice(int64_t dim, int64_t start, int64_t end, int64_t step) const {
  Window window{toDims(sizes()), toDims(strides()), offset() + start * stride(dim)};
  window.sizes[dim] = (end - start + step - 1) / step;
  window.strides[dim] *= step;
  return reinterpret(dtype(), std::move(window));
}

Tensor Tensor::select(int64_t dim, int64_t index) const {
  Window window{toDims(sizes()), toDims(strides()), offset() + index * stride(dim)};
  window.sizes.erase(window.sizes.begin() + dim);
  window.strides.erase(window.strides.begin() + dim);
  return reinterpret(dtype(), std::move(window));
}

Tensor Tensor::unsqueeze(int64_t dim) const {
  Window window{toDims(sizes()), toDims(strides()), offset()};
  int64_t stride = dim < rank() ? size(dim) * this->stride(dim) : 1;
  window.sizes.insert(window.sizes.begin() + dim, 1);
  window.strides.insert(window.strides.begin() + dim, stride);
  return reinterpret(dtype(), std::move(window));
}

Tensor Tensor::squeeze(int64_t dim) const {
  assert(size(dim) == 1 && "only a dimension of size 1 can go");
  return select(dim, 0);
}

Tensor Tensor::contiguous() const { return isContiguous() ? *this : cloneContiguous(); }

Tensor Tensor::clone() const {
  Tensor copy =
      isDense() ? zeros(dtype(), sizes(), strides()) : zeros(dtype(), sizes(), denseStridesLike(sizes(), strides()));
  copy.copyFrom(*this);
  return copy;
}

Tensor Tensor::cloneContiguous() const {
  Tensor copy = zeros(dtype(), sizes());
  copy.copyFrom(*this);
  return copy;
}

void Tensor::copyFrom(const Tensor &source) const {
  assert(sizes() == source.sizes() && "sizes differ");
  // Because a source that overlaps the destination would be read half overwritten, it is copied
  // away first.
  copyElements(*this, aliases(source) ? source.cloneContiguous() : source);
}

} // namespace ccgraph::runtime

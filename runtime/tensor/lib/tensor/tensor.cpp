#include "ccgraph/runtime/tensor.h"

#include "ccgraph/ir/internal/broadcast.h"
#include "ccgraph/ir/strides.h"
#include "process/memory_limit.h"
#include "process/thread_sanitizer.h"
#include "tensor/elements.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>
#include <cstring>

namespace ccgraph::runtime {

// All ranks share the account, and its reference count would look like an order between them.
static std::shared_ptr<MemoryAccount> accountInForce() {
  SharedByStreams account;
  return MemoryLimit::account();
}

Storage::Storage(int64_t size) : account_(accountInForce()) { growTo(size); }

// The account is checked before memory is allocated, and charged after: a growth that fails leaves both unchanged. A
// size below 0 is invalid, and check() rejects it.
void Storage::growTo(int64_t size) {
  if (size >= 0 && size <= size_)
    return;
  int64_t more = isLent() ? size : size - size_;
  account_->take(more);
  try {
    std::byte *lent = isLent() ? data_ : nullptr;
    own_.resize(static_cast<size_t>(size));
    if (lent)
      std::copy(lent, lent + size_, own_.data());
  } catch (...) {
    account_->give(more);
    throw;
  }
  data_ = own_.data();
  size_ = size;
}

void Storage::lookAt(std::byte *bytes, int64_t size) {
  account_->give(static_cast<int64_t>(own_.size()));
  own_ = {};
  data_ = bytes;
  size_ = size;
}

Storage::~Storage() {
  account_->give(static_cast<int64_t>(own_.size()));
  HiddenCount::endUse(account_.get());
  SharedByStreams account;
  account_.reset();
}

Tensor::Tensor() {
  // Many values are made only to be overwritten, so they share one empty object, which never changes.
  static const auto nothing = std::make_shared<Object>(Object{DType::F32, {{0}, {1}, 0}, nullptr});
  object_ = nothing;
}

Tensor::Tensor(Object object) : object_(std::allocate_shared<Object>(StepAllocator<Object>(), std::move(object))) {
  object_->elements = productOf(object_->window.sizes);
}

// A tensor is a window onto a storage: sizes, strides, and the offset of its first element. Views make windows and copy
// nothing. Views of x = f32[3, 4][4, 1] at offset 0:
//   select(0, 1)         f32[4][1] at 4          row 1
//   slice(1, 0, 4, 2)    f32[3, 2][4, 2] at 0    every second column
//   permute([1, 0])      f32[4, 3][1, 4] at 0    the transpose
Tensor Tensor::zeros(DType dtype, IntListRef sizes) { return zeros(dtype, sizes, contiguousStrides(sizes)); }

Tensor Tensor::zeros(DType dtype, IntListRef sizes, IntListRef strides) {
  int64_t size = sizeInBytes(dtype);
  MemoryLimit::check(saturatingMultiply(productOf(sizes), size));
  auto storage =
      std::allocate_shared<Storage>(StepAllocator<Storage>(), saturatingMultiply(extentOf(sizes, strides), size));
  return Tensor(Object{dtype, {toIntList(sizes), toIntList(strides), 0}, std::move(storage)});
}

Tensor Tensor::fromHost(const HostTensor &host) {
  Tensor result = zeros(host.dtype, host.sizes);
  assert(static_cast<int64_t>(host.data.size()) == result.storage()->size() && "bytes disagree with sizes");
  llvm::copy(host.data, result.storage()->data());
  return result;
}

Tensor Tensor::fromHost(const HostTensor &host, IntListRef strides) {
  Tensor plain = fromHost(host);
  if (llvm::equal(plain.strides(), strides))
    return plain;
  Tensor result = zeros(host.dtype, host.sizes, strides);
  result.copyFrom(plain);
  return result;
}

Tensor Tensor::over(std::shared_ptr<Storage> storage, DType dtype, Window window) {
  return Tensor(Object{dtype, std::move(window), std::move(storage)});
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

bool Tensor::isContiguous() const { return ccgraph::isContiguous(sizes(), strides()); }

bool Tensor::isDense() const { return ccgraph::isDense(sizes(), strides()); }

std::string Tensor::typeText() const {
  return shortName(dtype()).str() + intListText(sizes()) + intListText(strides());
}

std::byte *Tensor::data() const {
  return object_->storage ? object_->storage->data() + offset() * elementSize() : nullptr;
}

Tensor Tensor::reinterpret(DType dtype, Window window) const {
  return Tensor(Object{dtype, std::move(window), object_->storage});
}

Tensor Tensor::alias() const { return Tensor(*object_); }

void Tensor::become(const Tensor &other) const {
  assert(storage() && "a default-made tensor is no object of the program");
  *object_ = Object(*other.object_);
}

void Tensor::resize(IntListRef sizes, IntListRef strides) const {
  assert(storage() && "a default-made tensor is no object of the program");
  Window window{toIntList(sizes), toIntList(strides), offset()};
  int64_t elements = extentOf(sizes, strides);
  MemoryLimit::check(saturatingMultiply(productOf(sizes), elementSize()));
  if (elements != 0)
    object_->storage->growTo(saturatingMultiply(saturatingAdd(offset(), elements), elementSize()));
  object_->window = std::move(window);
  object_->elements = productOf(sizes);
}

// A storage that shrinks keeps its bytes, because windows onto it may still exist. The bytes read as zeros, so that a
// graph that uses freed memory does not compute correct values by accident.
void Tensor::resizeStorage(int64_t bytes) const {
  assert(storage() && bytes >= 0);
  const Storage &all = *storage();
  if (bytes < all.size())
    std::fill(all.data() + bytes, all.data() + all.size(), std::byte{0});
  object_->storage->growTo(bytes);
}

static llvm::Error badWindow(const Window &window, const Tensor &tensor, llvm::StringRef why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "sizes %s, strides %s, offset %lld of a tensor %s: %s",
                                 intListText(window.sizes).c_str(), intListText(window.strides).c_str(),
                                 static_cast<long long>(window.offset), tensor.typeText().c_str(), why.str().c_str());
}

llvm::Expected<Tensor> Tensor::asStrided(Window window) const {
  if (window.sizes.size() != window.strides.size())
    return badWindow(window, *this, "expected as many strides as sizes");
  auto negative = [](int64_t value) { return value < 0; };
  if (llvm::any_of(window.sizes, negative) || llvm::any_of(window.strides, negative) || window.offset < 0)
    return badWindow(window, *this, "expected no negative number");
  int64_t room = storage() ? storage()->size() / elementSize() : 0;
  int64_t reach = extentOf(window.sizes, window.strides);
  int64_t end = saturatingAdd(window.offset, reach);
  if (reach != 0 && end > room)
    return badWindow(window, *this,
                     "reaches element " + std::to_string(end - 1) + " of a storage of " + std::to_string(room));
  MemoryLimit::check(saturatingMultiply(productOf(window.sizes), elementSize()));
  return reinterpret(dtype(), std::move(window));
}

llvm::Expected<Tensor> Tensor::view(IntListRef wanted) const {
  std::optional<IntList> sizes = inferSizes(wanted, numElements());
  if (!sizes)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "shape %s does not hold the %lld elements of %s",
                                   intListText(wanted).c_str(), static_cast<long long>(numElements()),
                                   typeText().c_str());
  std::optional<IntList> strides = viewStrides(this->sizes(), this->strides(), *sizes);
  if (!strides)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "a tensor %s cannot be seen as %s without a copy (note: aten.reshape copies where it must)", typeText().c_str(),
        intListText(*sizes).c_str());
  return reinterpret(dtype(), {*sizes, *strides, offset()});
}

// f32[1] expanded to f32[2^40] takes four bytes, but any computation with it makes 2^40 elements. So the limit is
// checked for the expanded size, not for the stored one.
llvm::Expected<Tensor> Tensor::expand(IntListRef wanted) const {
  std::optional<Stretched> stretched = expanded(sizes(), strides(), wanted);
  if (!stretched)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "a tensor %s does not expand to %s",
                                   typeText().c_str(), intListText(wanted).c_str());
  MemoryLimit::check(saturatingMultiply(productOf(stretched->sizes), elementSize()));
  return reinterpret(dtype(), {stretched->sizes, stretched->strides, offset()});
}

Tensor Tensor::permute(IntListRef order) const {
  Window window{{}, {}, offset()};
  for (int64_t dim : order) {
    window.sizes.push_back(size(dim));
    window.strides.push_back(stride(dim));
  }
  return reinterpret(dtype(), std::move(window));
}

// Rounded up: of [1, 9) with step 3 the elements 1, 4 and 7 are taken, of [1, 8) the same three.
Tensor Tensor::slice(int64_t dim, int64_t start, int64_t end, int64_t step) const {
  Window window{toIntList(sizes()), toIntList(strides()), offset() + start * stride(dim)};
  window.sizes[dim] = (end - start + step - 1) / step;
  window.strides[dim] *= step;
  return reinterpret(dtype(), std::move(window));
}

Tensor Tensor::select(int64_t dim, int64_t index) const {
  assert(dim >= 0 && dim < rank() && "a dimension that it has");
  Window window{toIntList(sizes()), toIntList(strides()), offset() + index * stride(dim)};
  window.sizes.erase(window.sizes.begin() + dim);
  window.strides.erase(window.strides.begin() + dim);
  return reinterpret(dtype(), std::move(window));
}

Tensor Tensor::unsqueeze(int64_t dim) const {
  Window window{toIntList(sizes()), toIntList(strides()), offset()};
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
  Tensor copy = zeros(dtype(), sizes(), preservedStrides(sizes(), strides()));
  copy.copyFrom(*this);
  return copy;
}

Tensor Tensor::cloneContiguous() const {
  Tensor copy = zeros(dtype(), sizes());
  copy.copyFrom(*this);
  return copy;
}

bool Tensor::overlaps(const Tensor &other) const {
  if (!aliases(other))
    return false;
  auto endOf = [](const Tensor &t) { return t.data() + extentOf(t.sizes(), t.strides()) * t.elementSize(); };
  return data() < endOf(other) && other.data() < endOf(*this);
}

void Tensor::copyFrom(const Tensor &source) const {
  assert(sizes() == source.sizes() && "sizes differ");
  if (data() == source.data() && dtype() == source.dtype() && strides() == source.strides())
    return;
  // A source that overlaps the destination would be read half overwritten, so it is copied first.
  copyElements(*this, overlaps(source) ? source.cloneContiguous() : source);
}

} // namespace ccgraph::runtime

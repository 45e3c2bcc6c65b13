#include "ccgraph/ir/context.h"

#include "argument_pool.h"

#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/type.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"

#include <algorithm>
#include <vector>

namespace ccgraph {

struct Context::Impl {
  llvm::BumpPtrAllocator arena;
  llvm::StringMap<char, llvm::BumpPtrAllocator &> identifiers{arena};
  llvm::DenseMap<const void *, const SymExpr *> symbols; // by identifier
  llvm::DenseMap<uint64_t, llvm::SmallVector<const Type *, 1>> types;
  ArgumentPool arguments{arena};
  std::unique_ptr<OpTable> ops;
  unsigned sharings = 0;
  std::recursive_mutex mutex; ///< recursive: a symbol is made from an identifier, and an operator from many

  template <typename T>
  T *copy(llvm::ArrayRef<T> values) {
    T *memory = arena.Allocate<T>(values.size());
    std::uninitialized_copy(values.begin(), values.end(), memory);
    return memory;
  }

  /// Returns the stored type that `equal` accepts, or the one that `make` builds. Types are compared by address
  /// everywhere, so a second type that is equal must never be built. The hash leads to the few stored types that may be
  /// equal; a new one is added only if none of them is.
  template <typename Equal, typename Make>
  const Type *unique(uint64_t hash, Equal equal, Make make) {
    auto &bucket = types[hash & ~(uint64_t(1) << 63)]; // DenseMap keeps the two top values for itself
    for (const Type *type : bucket)
      if (equal(*type))
        return type;
    bucket.push_back(make());
    return bucket.back();
  }
};

namespace {

uint64_t hashDims(llvm::ArrayRef<Dim> dims) {
  llvm::hash_code hash = llvm::hash_value(dims.size());
  for (const Dim &dim : dims)
    hash = llvm::hash_combine(hash, dim.value(), dim.expr());
  return hash;
}

/// Returns row-major strides: [2, s0, 4] has the strides [4*s0, 4, 1]. A dimension that may be empty counts as 1, as in
/// PyTorch: [2, 0, 4] has [4, 4, 1], and [2, u0, 4] has [4*Max(1, u0), 4, 1].
llvm::SmallVector<Dim, 8> rowMajorStrides(Context &context, llvm::ArrayRef<Dim> sizes) {
  llvm::SmallVector<Dim, 8> strides(sizes.size());
  Dim next(1);
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = next;
    next = multiply(context, atLeastOne(context, sizes[i]), next);
  }
  return strides;
}

} // namespace

Context::Context() : impl_(std::make_unique<Impl>()) {}
Context::~Context() = default;

Context::Sharing::Sharing(Context &context) : context_(context) { ++context_.impl_->sharings; }
Context::Sharing::~Sharing() { --context_.impl_->sharings; }

Context::Lock Context::lock() const { return impl_->sharings > 0 ? Lock(impl_->mutex) : Lock(); }

// An entry of the table never moves, so its address is the identifier: equal texts have one address, and names are
// compared and hashed without reading their letters.
Identifier Context::identifier(llvm::StringRef text) {
  const Lock lock = this->lock();
  return Identifier(&*impl_->identifiers.try_emplace(text).first);
}

// Expressions are uniqued by text and not by value: "s0 + 1" and "1 + s0" are two expressions. A comparison must treat
// "different" as "not known to be equal" (symbol.h).
const SymExpr *Context::symbolic(llvm::StringRef text) {
  const Lock lock = this->lock();
  Identifier id = identifier(text);
  const SymExpr *&slot = impl_->symbols[id.key()];
  if (!slot)
    slot = new (impl_->arena.Allocate<SymExpr>()) SymExpr(id.str());
  return slot;
}

const Type *Context::tensor(DType dtype, const TensorShape &shape, Device device) {
  assert((!shape.stridesKnown || shape.sizes.size() == shape.strides.size()) && "one stride a size");
  uint64_t hash = llvm::hash_combine(static_cast<int>(dtype), hashDims(shape.sizes), hashDims(shape.strides),
                                     shape.stridesKnown, device.kind.key(), device.index);
  const Lock lock = this->lock();
  auto equal = [&](const Type &t) {
    return t.isTensor() && t.dtype() == dtype && t.stridesKnown() == shape.stridesKnown && t.device() == device &&
           t.sizes() == shape.sizes && t.strides() == shape.strides;
  };
  return impl_->unique(hash, equal, [&] {
    llvm::SmallVector<Dim, 16> dims(shape.sizes.begin(), shape.sizes.end());
    dims.append(shape.strides.begin(), shape.strides.end());
    auto *type = new (impl_->arena.Allocate<Type>()) Type();
    type->kind_ = Type::Kind::Tensor;
    type->dtype_ = dtype;
    type->stridesKnown_ = shape.stridesKnown;
    type->rank_ = static_cast<unsigned>(shape.sizes.size());
    type->device_ = device;
    type->dims_ = impl_->copy<Dim>(dims);
    return type;
  });
}

const Type *Context::contiguousTensor(DType dtype, llvm::ArrayRef<Dim> sizes, Device device) {
  auto strides = rowMajorStrides(*this, sizes);
  return tensor(dtype, {sizes, strides, true}, device);
}

const Type *Context::list(llvm::ArrayRef<const Type *> elements) {
  uint64_t hash = llvm::hash_combine(static_cast<int>(Type::Kind::List),
                                     llvm::hash_combine_range(elements.begin(), elements.end()));
  const Lock lock = this->lock();
  auto equal = [&](const Type &t) { return t.isList() && t.elements() == elements; };
  return impl_->unique(hash, equal, [&] {
    auto *type = new (impl_->arena.Allocate<Type>()) Type();
    type->kind_ = Type::Kind::List;
    type->rank_ = static_cast<unsigned>(elements.size());
    type->elements_ = impl_->copy<const Type *>(elements);
    return type;
  });
}

const Type *Context::symbolicScalar(const SymExpr *value) {
  uint64_t hash = llvm::hash_combine(static_cast<int>(Type::Kind::Symbolic), value);
  const Lock lock = this->lock();
  auto equal = [&](const Type &t) { return t.kind() == Type::Kind::Symbolic && t.symbol() == value; };
  return impl_->unique(hash, equal, [&] {
    auto *type = new (impl_->arena.Allocate<Type>()) Type();
    type->kind_ = Type::Kind::Symbolic;
    type->symbol_ = value;
    return type;
  });
}

const Type *Context::noneType() {
  const Lock lock = this->lock();
  auto equal = [](const Type &t) { return t.kind() == Type::Kind::None; };
  return impl_->unique(1, equal, [&] { return new (impl_->arena.Allocate<Type>()) Type(); });
}

const Arguments *Context::arguments(const Arguments &given) {
  const Lock lock = this->lock();
  return impl_->arguments.get(given);
}

OpTable &Context::ops() {
  const Lock lock = this->lock();
  if (!impl_->ops)
    impl_->ops = std::make_unique<OpTable>(*this);
  return *impl_->ops;
}

} // namespace ccgraph

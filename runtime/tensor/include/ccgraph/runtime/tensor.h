// Tensor: a strided window onto shared memory, the value that kernels and collectives work on.
//
// A Tensor is a name of a tensor object, as in Python. A copy is another name of the same object, and an in-place
// change of its shape (t_, resize_, set_: become()) is visible under all names. Views are objects of their own, so such
// a change does not affect them. Several objects may share one Storage; all of them see a write through any of them.
//
// Sizes, strides and the offset count elements of `dtype`; strides are never negative and may be 0 (expanded
// dimensions). Every element that a tensor can reach lies inside its storage: the functions here that make windows
// reject any other.
//
// Ownership: a Tensor shares its object, and that its Storage; copying one copies no elements. Two tensors alias iff
// storage() is the same pointer. Failure: windows that do not fit are an llvm::Error that names
// sizes, got and expected. Not thread-safe: ranks that run in parallel synchronise through the
// collectives. Cost: views are O(rank), copies linear in elements; memory is a step's (step_memory.h).
#pragma once

#include "ccgraph/ir/dtype.h"
#include "ccgraph/ir/host_tensor.h"
#include "ccgraph/ir/int_list.h"
#include "ccgraph/runtime/step_memory.h"

#include "llvm/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph::runtime {

class MemoryAccount;

/// Bytes without a type. They are its own, freed with the last tensor that uses them, or lent by an arena. Its own
/// bytes count towards the memory of the run that allocated them. Exceeding that limit or the available memory is
/// std::bad_alloc, which interpret() and runKernel() turn into errors.
class Storage {
public:
  /// Allocates its own bytes; they start as zeros, so that `empty` is deterministic.
  explicit Storage(int64_t size);
  ~Storage();
  Storage(const Storage &) = delete;
  Storage &operator=(const Storage &) = delete;

  [[nodiscard]] std::byte *data() const { return data_; }
  [[nodiscard]] int64_t size() const { return size_; }
  /// Adds zeros up to `size` bytes. Lent bytes that are too few are replaced by own ones.
  void growTo(int64_t size);
  /// Uses these bytes from now on; their owner counts them and keeps them for as long as they are used here.
  void lookAt(std::byte *bytes, int64_t size);

private:
  [[nodiscard]] bool isLent() const { return data_ != own_.data(); }
  std::shared_ptr<MemoryAccount> account_;
  std::vector<std::byte, StepAllocator<std::byte>> own_;
  std::byte *data_ = nullptr;
  int64_t size_ = 0;
};

/// The place of a tensor's elements in its storage; all three in elements.
struct Window {
  IntList sizes;
  IntList strides;
  int64_t offset = 0;
};

class Tensor {
public:
  /// f32[0] without storage: the content of a default-constructed Value, never a result.
  Tensor();
  /// A new contiguous (row-major) tensor of zeros.
  static Tensor zeros(DType dtype, IntListRef sizes);
  /// A new tensor of zeros in memory just large enough for these strides.
  static Tensor zeros(DType dtype, IntListRef sizes, IntListRef strides);
  static Tensor fromHost(const HostTensor &host);
  /// The same values laid out with `strides`, e.g. those that a graph's placeholder declares.
  static Tensor fromHost(const HostTensor &host, IntListRef strides);
  /// Makes a window onto existing memory; the caller must ensure that it lies inside.
  static Tensor over(std::shared_ptr<Storage> storage, DType dtype, Window window);
  /// Returns a contiguous copy.
  [[nodiscard]] HostTensor toHost() const;

  [[nodiscard]] DType dtype() const { return object_->dtype; }
  [[nodiscard]] IntListRef sizes() const { return object_->window.sizes; }
  [[nodiscard]] IntListRef strides() const { return object_->window.strides; }
  [[nodiscard]] int64_t offset() const { return object_->window.offset; }
  [[nodiscard]] int64_t rank() const { return static_cast<int64_t>(sizes().size()); }
  [[nodiscard]] int64_t size(int64_t dim) const { return sizes()[static_cast<size_t>(dim)]; }
  [[nodiscard]] int64_t stride(int64_t dim) const { return strides()[static_cast<size_t>(dim)]; }
  [[nodiscard]] int64_t numElements() const { return object_->elements; }
  [[nodiscard]] int64_t elementSize() const { return sizeInBytes(dtype()); }
  /// Returns whether it is row-major without gaps; dimensions of size 1 may have any stride, and an empty tensor is
  /// contiguous.
  [[nodiscard]] bool isContiguous() const;
  /// Returns whether some order of the dimensions is row-major without gaps: each element has memory of its own and
  /// none is unused.
  [[nodiscard]] bool isDense() const;
  /// "bf16[8, 4][4, 1]": dtype, sizes, strides.
  [[nodiscard]] std::string typeText() const;

  /// The identity of the memory; null for a default-constructed tensor.
  [[nodiscard]] const Storage *storage() const { return object_->storage.get(); }
  /// The memory itself, for code that keeps it beyond the tensor.
  [[nodiscard]] const std::shared_ptr<Storage> &sharedStorage() const { return object_->storage; }
  [[nodiscard]] bool aliases(const Tensor &other) const { return storage() && storage() == other.storage(); }
  /// Returns whether the bytes from its first element to its last one include bytes of the other.
  [[nodiscard]] bool overlaps(const Tensor &other) const;
  /// Returns whether both are names of one tensor object.
  [[nodiscard]] bool isSameObject(const Tensor &other) const { return object_ == other.object_; }
  /// Returns the address of the element at index (0, 0, ...). Every alias sees writes.
  [[nodiscard]] std::byte *data() const;

  // --- Windows onto the same memory -----------------------------------------------------------
  /// torch.as_strided: fails unless every element lies inside the storage.
  [[nodiscard]] llvm::Expected<Tensor> asStrided(Window window) const;
  /// torch.Tensor.view; one size may be -1. Fails where the new shape is not a window (needs a
  /// copy).
  [[nodiscard]] llvm::Expected<Tensor> view(IntListRef sizes) const;
  /// torch.Tensor.expand: new dimensions in front, -1 keeps a size, size 1 stretches with stride 0.
  [[nodiscard]] llvm::Expected<Tensor> expand(IntListRef sizes) const;
  /// Dimension i of the result is dimension order[i]; `order` must be a permutation of 0..rank-1.
  [[nodiscard]] Tensor permute(IntListRef order) const;
  /// Elements start, start+step, ... before `end` of one dimension; 0 <= start <= end <= size(dim),
  /// step >= 1.
  [[nodiscard]] Tensor slice(int64_t dim, int64_t start, int64_t end, int64_t step = 1) const;
  /// One element of one dimension, which disappears; 0 <= index < size(dim).
  [[nodiscard]] Tensor select(int64_t dim, int64_t index) const;
  /// A dimension of size 1 before `dim`, 0 <= dim <= rank.
  [[nodiscard]] Tensor unsqueeze(int64_t dim) const;
  /// Without dimension `dim`, whose size must be 1.
  [[nodiscard]] Tensor squeeze(int64_t dim) const;
  /// Reads the same memory as elements of another size or kind; the caller must ensure valid sizes, strides and offset.
  [[nodiscard]] Tensor reinterpret(DType dtype, Window window) const;

  /// Returns another object with the same window (torch.Tensor.detach).
  [[nodiscard]] Tensor alias() const;

  // --- Changes of the object, seen under every name ---------------------------------------------
  /// The object takes the other's dtype, window and storage (torch.Tensor.set_).
  void become(const Tensor &other) const;
  /// torch.Tensor.resize_: the elements of the storage from the offset on, with these strides. The storage grows where
  /// it is too small; new bytes are zeros.
  void resize(IntListRef sizes, IntListRef strides) const;
  /// torch.UntypedStorage.resize_: the storage grows, or the bytes beyond the new size become zeros, because here every
  /// element of a tensor must lie inside its storage.
  void resizeStorage(int64_t bytes) const;

  // --- Copies -----------------------------------------------------------------------------------
  /// Returns this tensor if it is contiguous, else a contiguous copy.
  [[nodiscard]] Tensor contiguous() const;
  /// A copy in new memory: strides kept where isDense(), else row-major in the order of the strides
  /// (PyTorch's preserve_format).
  [[nodiscard]] Tensor clone() const;
  /// A row-major copy in new memory.
  [[nodiscard]] Tensor cloneContiguous() const;
  /// Writes `source`'s elements here, converted to this dtype. Sizes must be equal; overlapping
  /// memory is read first.
  void copyFrom(const Tensor &source) const;

private:
  struct Object {
    DType dtype = DType::F32;
    Window window;
    std::shared_ptr<Storage> storage;
    /// of the window; computed where sizes change, because it is read far more often
    int64_t elements = 0;
  };
  explicit Tensor(Object object);

  std::shared_ptr<Object> object_;
};

using Tensors = std::vector<Tensor, StepAllocator<Tensor>>;
using OptionalTensors = std::vector<std::optional<Tensor>, StepAllocator<std::optional<Tensor>>>;

} // namespace ccgraph::runtime

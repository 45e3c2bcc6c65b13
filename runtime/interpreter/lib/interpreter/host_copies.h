// HostCopies: the copies of one rank to the host's memory and back that no wait has completed, and the storages that
// waits have freed.
//
// PyTorch makes a copy on a stream of its own between ao.offload (or ao.reload) and ao.wait_tensor, at a moment that
// the program does not know (torch/_functorch/_activation_offloading/offload_ops.py). Here the elements move at the
// wait, and until then any other use of the two tensors that may interfere is an error, so an early read or write is
// always found. A storage that a wait has freed keeps its size, but its bytes become 0xff, and each use of it is an
// error.
//
// Ownership: keeps the tensors of pending copies alive, no freed storage. Failure: none; the caller reports. Cost:
// linear in the pending copies, which are few; a look-up for a freed storage.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/runtime/tensor.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph::runtime {

class HostCopies {
public:
  void start(const Node &node, Tensor from, Tensor to) { pending_.push_back({&node, std::move(from), std::move(to)}); }
  [[nodiscard]] bool empty() const { return pending_.empty() && freed_.empty(); }
  /// Return the copy that fills memory of this tensor / that still reads memory of it; null if there is none.
  [[nodiscard]] const Node *writer(const Tensor &tensor) const;
  [[nodiscard]] const Node *reader(const Tensor &tensor) const;

  /// Makes the copies that fill this storage; returns false if there is none.
  bool complete(const Storage *storage);
  void completeAll();

  /// Forgets the storage's bytes, by the wait `node`.
  void free(const Node &node, const Tensor &tensor);
  /// Returns the wait that has freed the tensor's storage; null if none has.
  [[nodiscard]] const Node *freedBy(const Tensor &tensor) const;

private:
  struct Copy {
    const Node *node = nullptr;
    Tensor from;
    Tensor to;
  };
  struct Freed {
    const Node *node = nullptr;
    /// shows whether the storage at that address is still the freed one
    std::weak_ptr<Storage> storage;
  };
  std::vector<Copy> pending_; ///< in the order of issue
  llvm::DenseMap<const Storage *, Freed> freed_;
};

} // namespace ccgraph::runtime

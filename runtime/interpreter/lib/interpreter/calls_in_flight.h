// CallsInFlight: which storages of one rank a communication is reading or writing right now.
//
// PyTorch registers a launch under the storage of each of its results, and a wait completes a storage with all its
// aliases. The same holds here: results are written to their storage at the wait. Until then, any other use of the
// storage is an error that names the launch and the offender, so an illegal early read or write is always found. Once
// one result of a launch is waited for, its inputs are free again; other results of a coalesced launch stay in flight
// until a wait of their own. With gloo's reduce_scatter, each wait on one result of a list copies all of them again
// (CollectiveSpec::waitsRewriteAll), and so it does here: writes to the others in between are lost, and no other launch
// may read or fill them.
//
// Ownership: keeps the storages in flight alive. Cost: a hash lookup a storage; none where nothing is in flight.
#pragma once

#include "ccgraph/runtime/value.h"
#include "collectives/communication.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph::runtime {

class CallsInFlight {
public:
  /// Registers what a launch fills and reads. Inputs that were copied at launch are the caller's
  /// to leave out of `send`.
  void start(const Seat &seat);

  [[nodiscard]] bool empty() const { return calls_.empty(); }
  /// Returns the launch that fills memory of this tensor; null if there is none. The bytes from a tensor's first to its
  /// last element count as its memory, so that launches may fill disjoint slices of one buffer.
  [[nodiscard]] const Launch *writer(const Tensor &tensor) const;
  /// A launch that is still reading memory of this tensor; null if none.
  [[nodiscard]] const Launch *reader(const Tensor &tensor) const;

  /// A communication that a wait on this storage depends on and that lacks members; null if the
  /// wait can go ahead.
  [[nodiscard]] const Communication *blocking(const Storage *storage) const;
  /// Returns the oldest communication that lacks members.
  [[nodiscard]] const Communication *blocking() const;
  /// Completes everything on this storage. Nothing may block it.
  [[nodiscard]] llvm::Error complete(const Storage *storage);
  /// Completes one launch as a whole, for a synchronous operator.
  [[nodiscard]] llvm::Error complete(const Seat &seat);
  [[nodiscard]] llvm::Error completeAll();

private:
  struct CallInFlight {
    Seat seat;
    /// by row
    std::vector<bool> completed;
  };
  using CallRef = std::shared_ptr<CallInFlight>;
  using CallList = llvm::SmallVector<CallRef, 1>;
  using StorageMap = llvm::DenseMap<const Storage *, CallList>;
  [[nodiscard]] CallList waitedFor(const Storage *storage) const;
  [[nodiscard]] llvm::Error completeRows(CallInFlight &call, const Storage *storage);
  [[nodiscard]] llvm::Error completeWhole(CallRef call);
  /// Copies a row again that is complete already.
  [[nodiscard]] llvm::Error copyAgain(const CallInFlight &call, size_t row) const;
  void release(const CallRef &call);

  /// in order of launch; removed when every row is complete
  std::vector<CallRef> calls_;
  StorageMap writing_;
  StorageMap reading_;
};

/// Calls `visit` with each tensor in a value, lists included, in order.
void forEachTensor(const Value &value, llvm::function_ref<void(const Tensor &)> visit);

} // namespace ccgraph::runtime

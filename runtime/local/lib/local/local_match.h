// LocalMatch: one collective, or one transfer, of ranks in one process, and the progress of its members.
//
// All matches of a plan are known before it runs (Transport::enrol). A member arrives with its launch. The last
// arrival lets all members copy their parts, each on its own thread, from one another's memory; the last one to finish
// releases all. Nothing in between needs a lock, because a member writes only its own rows.
//
// Ownership: borrows the launches from arrival until the next run. Failure: arrive() gives a DiagnosticError where
// ranks disagree. Thread-safe. Cost: a lock to arrive, which a caller may replace by its own.
#pragma once

#include "collectives/agreement.h"

#include "llvm/ADT/SmallVector.h"

#include <atomic>
#include <mutex>

namespace ccgraph::runtime {

class LocalMatch {
public:
  /// `sequence`: from 1, which collective of the group this is; 0 for a transfer, whose members are its two ends.
  LocalMatch(llvm::ArrayRef<int64_t> members, size_t sequence)
      : members_(members), sequence_(sequence), launches_(members.size()) {}

  /// Forgets all arrivals, before a run.
  void reset();
  /// The launch of one member. True for the last one to come.
  [[nodiscard]] llvm::Expected<bool> arrive(size_t member, const Launch &launch);
  /// The same for members that hold a lock of their own.
  [[nodiscard]] llvm::Expected<bool> arriveLocked(size_t member, const Launch &launch);
  [[nodiscard]] bool allArrived() const { return arrived_.load(std::memory_order_acquire) == launches_.size(); }
  /// The launches by member, once all have arrived.
  [[nodiscard]] llvm::ArrayRef<const Launch *> launches() const { return launches_; }

  /// One member has moved its part. True for the last one.
  [[nodiscard]] bool finish() { return done_.fetch_add(1, std::memory_order_acq_rel) + 1 == launches_.size(); }
  [[nodiscard]] bool allDone() const { return done_.load(std::memory_order_acquire) == launches_.size(); }

  /// Returns "all_reduce `ar` (collective 1 on ranks [0, 1]), which ranks [1] have not launched"; valid after the first
  /// arrival.
  [[nodiscard]] std::string waitText();
  /// The same for the launch of a member that holds the lock of arriveLocked(); reads no other launch.
  [[nodiscard]] std::string waitTextLocked(const Launch &own) const;

private:
  [[nodiscard]] llvm::Error check(size_t member) const;

  llvm::ArrayRef<int64_t> members_;
  size_t sequence_;
  std::mutex mutex_;
  /// null until the member arrives
  llvm::SmallVector<const Launch *, 8> launches_;
  std::atomic<size_t> arrived_ = 0;
  std::atomic<size_t> done_ = 0;
};

} // namespace ccgraph::runtime

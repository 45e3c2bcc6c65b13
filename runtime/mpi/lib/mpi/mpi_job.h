// MpiJob: this process among those that mpirun has started: MPI itself, the rank of this process, and the
// communicators.
//
// A process joins once; MPI cannot be started a second time. There is one communicator for control messages, one for
// the engine's own exchanges, and one for each group of ranks and stream (MpiTransport). Those of groups are made at
// their first use, by all members in one order, and kept.
//
// After a failure, peers may still write into this process's memory, and collective calls would never return. So the
// job is over, and the process can only leave it.
//
// Ownership: one a process, until its end. Failure: DiagnosticErrors of rule run.mpi. Cost: joining takes MPI's start,
// tenths of a second; a communicator takes a round of messages.
#pragma once

#include "mpi/control.h"
#include "mpi/mpi_calls.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <chrono>
#include <map>
#include <memory>

namespace ccgraph::runtime {

/// The key of a communicator: global ranks in the group's order, and its number among those of these ranks.
struct MpiCommKey {
  std::vector<int64_t> members;
  int64_t number = 0;
  friend auto operator<=>(const MpiCommKey &, const MpiCommKey &) = default;
};

class MpiJob {
public:
  using Milliseconds = std::chrono::milliseconds;
  /// The process's job; starts MPI the first time. `deadline`: how long that may take.
  [[nodiscard]] static llvm::Expected<MpiJob *> join(Milliseconds deadline);
  /// Null where the process has not joined.
  [[nodiscard]] static MpiJob *joined();

  [[nodiscard]] int64_t rank() const { return start_.rank; }
  [[nodiscard]] int64_t size() const { return start_.size; }
  [[nodiscard]] llvm::ArrayRef<size_t> hostRanks() const { return start_.hostRanks; }
  /// MPI's largest tags are those of openings (mpi_transport.h); a transfer has a smaller one.
  [[nodiscard]] int64_t largestTransferTag() const { return start_.largestTag - 2; }
  [[nodiscard]] int64_t tagOfNotices() const { return start_.largestTag - 1; }
  [[nodiscard]] int64_t tagOfRows() const { return start_.largestTag; }
  [[nodiscard]] MpiCalls &calls() { return *calls_; }
  [[nodiscard]] ControlChannel &control() { return control_; }
  /// The communicator of the engine's own exchanges.
  [[nodiscard]] MpiComm exchange() const { return exchange_; }

  /// Makes those that there are not yet. All processes give the same keys, sorted.
  [[nodiscard]] llvm::Error makeCommunicators(llvm::ArrayRef<MpiCommKey> keys, Milliseconds deadline);
  [[nodiscard]] MpiComm communicator(const MpiCommKey &key) const { return communicators_.at(key); }

  /// Returns an error "rank 1: MPI says: ...".
  [[nodiscard]] llvm::Error error(const std::string &doing, int code) const;

  [[nodiscard]] bool isOver() const { return over_; }
  /// Ends the run after a failure. `reports`: this process reports to the user.
  void end(bool reports);
  [[nodiscard]] bool reports() const { return over_ ? reports_ : start_.rank == 0; }
  /// Keeps memory that MPI may still write to, or read, when the job is over.
  void keep(std::shared_ptr<void> memory) { kept_.push_back(std::move(memory)); }
  /// The last call: ends MPI, or where the job is over all of its processes. Gives the largest exit code of all
  /// processes.
  int leave(int exitCode);

private:
  [[nodiscard]] llvm::Error startMpi(Milliseconds deadline);
  [[nodiscard]] int largestOf(int exitCode);
  [[nodiscard]] llvm::Error duplicate(MpiComm &made, Milliseconds deadline);

  MpiCalls *calls_ = nullptr;
  MpiStart start_;
  ControlChannel control_;
  MpiComm controlComm_, exchange_;
  std::map<MpiCommKey, MpiComm> communicators_;
  Milliseconds patience_{};
  std::vector<std::shared_ptr<void>> kept_;
  bool over_ = false;
  bool reports_ = false;
};

} // namespace ccgraph::runtime

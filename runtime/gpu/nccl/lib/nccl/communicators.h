// Communicators: one rank's communicators, and the memory that is registered with them.
//
// All ranks make them in the one order of the CommTable, or would wait for one another for ever.
//
// Ownership: closes what it has made, but what was aborted. Failure: DiagnosticErrors of rule run.nccl. Cost: to open,
// that of the splits, milliseconds each.
#pragma once

#include "calls/gpu_calls.h"
#include "nccl/comm_table.h"

#include "llvm/Support/Error.h"

namespace ccgraph::runtime {

class Communicators {
public:
  Communicators(GpuCalls &calls, int64_t rank) : calls_(calls), rank_(rank) {}
  ~Communicators();
  Communicators(const Communicators &) = delete;
  Communicators &operator=(const Communicators &) = delete;

  /// A call of all ranks. `table` must live as long.
  [[nodiscard]] llvm::Error open(const CommTable &table, const GpuJobId &id, int ranks);
  /// Returns none for a communicator without this rank, or of this rank alone.
  [[nodiscard]] GpuComm of(size_t index) const { return comms_[index]; }

  /// Registers the arena with each registered communicator, unless it is registered already. Without an arena, does
  /// nothing.
  [[nodiscard]] llvm::Error registerArena(std::byte *memory, int64_t bytes);
  /// Before the memory goes.
  void forget(const std::byte *memory);

  /// Returns the code of the first communicator with an asynchronous error.
  [[nodiscard]] int asyncError();
  /// Aborts the work of this rank.
  void abandon();

private:
  [[nodiscard]] llvm::Error splitAll(const CommTable &table);
  [[nodiscard]] llvm::Error check(GpuComm comm, llvm::ArrayRef<int64_t> members);
  [[nodiscard]] llvm::Error failed(const std::string &doing, int code) const;

  GpuCalls &calls_;
  int64_t rank_;
  const CommTable *table_ = nullptr;
  std::optional<GpuComm> job_;
  /// by index of the communicator
  std::vector<GpuComm> comms_;
  struct Registered {
    GpuComm comm;
    GpuRegistration registration;
  };
  std::vector<Registered> registered_;
  std::byte *arena_ = nullptr;
  int64_t arenaBytes_ = 0;
  bool aborted_ = false;
};

} // namespace ccgraph::runtime

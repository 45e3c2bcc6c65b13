// Communicators: one rank's communicators, and the memory that is registered with them.
//
// All ranks make them in the one order of the LaneTable, or would wait for one another for ever.
//
// Ownership: closes what it has made, but what was aborted. Failure: DiagnosticErrors of rule run.nccl. Cost: to open, that of the
// splits, milliseconds each.
#pragma once

#include "calls/gpu_calls.h"
#include "nccl/lane_table.h"

#include "llvm/Support/Error.h"

namespace ccgraph::runtime {

class Communicators {
public:
  Communicators(GpuCalls &calls, int64_t rank) : calls_(calls), rank_(rank) {}
  ~Communicators();
  Communicators(const Communicators &) = delete;
  Communicators &operator=(const Communicators &) = delete;

  /// A call of all ranks. `table` must live as long.
  [[nodiscard]] llvm::Error open(const LaneTable &table, const GpuJobId &id, int ranks);
  /// None of a lane in which this rank has no part, or of one to itself.
  [[nodiscard]] GpuComm of(size_t lane) const { return comms_[lane]; }

  /// Registers the arena with each lane that is, unless it is so already. No arena: nothing.
  [[nodiscard]] llvm::Error registerArena(std::byte *memory, int64_t bytes);
  /// Before the memory goes.
  void forget(const std::byte *memory);

  /// Returns the code of the first communicator with an asynchronous error.
  [[nodiscard]] int asyncError();
  /// Ends what is under way, on this rank.
  void abandon();

private:
  [[nodiscard]] llvm::Error splitAll(const LaneTable &table);
  [[nodiscard]] llvm::Error check(GpuComm comm, llvm::ArrayRef<int64_t> members);
  [[nodiscard]] llvm::Error failed(const std::string &doing, int code) const;

  GpuCalls &calls_;
  int64_t rank_;
  const LaneTable *table_ = nullptr;
  std::optional<GpuComm> job_;
  /// by lane
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

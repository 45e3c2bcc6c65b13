// NcclJob: this process among those that a launcher has started: its rank, its device, and the rendezvous of the ranks.
//
// Ownership: one a process, until its end. Failure: DiagnosticErrors of rule run.nccl, whole before any communication
// begins. Cost: to join, that of loading the module and of the rendezvous.
#pragma once

#include "calls/gpu_module.h"
#include "ccgraph/runtime/engine.h"
#include "rendezvous/rendezvous.h"

namespace ccgraph::runtime {

class NcclJob {
public:
  /// Joins the first time.
  [[nodiscard]] static llvm::Expected<NcclJob *> join(std::chrono::milliseconds deadline);
  /// Null where the process has not joined.
  [[nodiscard]] static NcclJob *joined();
  /// Call before join(), with the place from the launcher.
  static void setPlace(JobPlace place);
  [[nodiscard]] static const JobPlace &place();

  [[nodiscard]] GpuCalls &calls() { return module_->calls(); }
  [[nodiscard]] llvm::ArrayRef<size_t> hostRanks() const { return hostRanks_; }
  [[nodiscard]] Rendezvous &rendezvous() { return *rendezvous_; }
  /// Made by rank 0, for all. A call of all ranks.
  [[nodiscard]] llvm::Expected<GpuJobId> makeId();
  /// This thread's device is this process's.
  [[nodiscard]] llvm::Error useDevice();
  /// An error has ended it.
  bool over = false;

private:
  [[nodiscard]] llvm::Error open(std::chrono::milliseconds deadline);

  GpuModule *module_ = nullptr;
  int device_ = 0;
  std::unique_ptr<Rendezvous> rendezvous_;
  std::vector<size_t> hostRanks_;
};

} // namespace ccgraph::runtime

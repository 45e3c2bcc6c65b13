// NcclGroup: one rank's communicators of a process group, and its calls in flight on a device (nccl_backend.h).
//
// Ownership: owns streams, memory and communicators. Thread-safe. Failure: DiagnosticErrors; after the first one, the
// group is over, and each function returns that error. Cost: that of the library.
#pragma once

#include "process_groups/device_call.h"
#include "process_groups/group_device.h"

#include "ccgraph/ir/diagnostic.h"

#include <deque>
#include <mutex>

namespace ccgraph::runtime {

class NcclGroup {
public:
  using CallPtr = std::shared_ptr<DeviceCall>;
  NcclGroup(BackendSetup setup, GroupDevice device, std::string backend);
  ~NcclGroup();
  NcclGroup(const NcclGroup &) = delete;
  NcclGroup &operator=(const NcclGroup &) = delete;

  /// A call of all ranks.
  [[nodiscard]] llvm::Error open();
  [[nodiscard]] llvm::Expected<CallPtr> launch(DeviceCall::LaunchPtr launch);
  /// Does what can be done without waiting. True where the call is complete.
  [[nodiscard]] llvm::Expected<bool> advance(DeviceCall &call);
  /// Ends the group, since the call has not ended at its deadline.
  [[nodiscard]] llvm::Error endOverdue(const DeviceCall &call);
  /// "all_reduce `all_reduce` (collective 1 on ranks [0, 1])"
  [[nodiscard]] std::string describeCall(const DeviceCall &call) const;
  [[nodiscard]] const BackendSetup &setup() const { return setup_; }
  [[nodiscard]] const std::string &backend() const { return backend_; }

private:
  using Lock = std::lock_guard<std::mutex>;
  [[nodiscard]] llvm::Error meet();
  [[nodiscard]] llvm::Error openComm(const std::string &key, GpuComm &comm);
  [[nodiscard]] llvm::Error makeStreams();
  [[nodiscard]] llvm::Expected<bool> advanceLocked(DeviceCall &call);
  [[nodiscard]] llvm::Error advanceAll();
  [[nodiscard]] llvm::Error overdueLocked(const DeviceCall &call);
  [[nodiscard]] int issueCollective(DeviceCall &call);
  /// Issues the transfers that have been launched.
  [[nodiscard]] int flush();
  [[nodiscard]] std::vector<int64_t> missingRanks(const DeviceCall &call);
  [[nodiscard]] llvm::Error checkCode(int code, const char *doing);
  /// The first failure of any rank counts.
  [[nodiscard]] llvm::Error end(llvm::Error own);
  void abortTransfers();

  BackendSetup setup_;
  GroupDevice device_;
  std::string backend_;
  GpuCalls &calls_;
  mutable std::mutex mutex_;
  std::unique_ptr<DevicePool> pool_;
  GpuComm collectives_, transfers_;
  GpuStream collectiveStream_, transferStream_;
  std::byte *signal_ = nullptr;
  int64_t launched_ = 0;
  /// oldest first
  std::deque<CallPtr> inFlight_;
  /// transfers that have not been issued
  std::vector<CallPtr> pending_;
  std::vector<Diagnostic> failure_;
};

} // namespace ccgraph::runtime

// What can be said before any device is asked for anything: no driver, one that is too old, too few devices, unlike versions.
//
// Ownership: plain functions. Failure: DiagnosticErrors of rule run.nccl, each with its repair. Cost: none.
#pragma once

#include "calls/gpu_module.h"

namespace ccgraph::runtime {

/// Which device a rank takes on its host.
struct DeviceChoice {
  /// of this process, among those of its host
  size_t localRank = 0;
  /// ranks may take turns on one device
  bool shares = false;
};
[[nodiscard]] llvm::Error checkDevices(const GpuPlace &place, const DeviceChoice &choice);
/// By rank: the version of what communicates.
[[nodiscard]] llvm::Error checkVersions(llvm::ArrayRef<int> libraries);
/// "2.28.9" of 22809.
[[nodiscard]] std::string libraryVersion(int number);

} // namespace ccgraph::runtime

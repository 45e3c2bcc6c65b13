// Checks before any use of a device: no driver, an old driver, too few devices, different versions.
//
// Ownership: plain functions. Failure: DiagnosticErrors of rule run.nccl, each with its repair. Cost: none.
#pragma once

#include "calls/gpu_module.h"

namespace ccgraph::runtime {

/// The device that a rank uses on its host.
struct DeviceChoice {
  /// of this process, among those of its host
  size_t localRank = 0;
  /// ranks may take turns on one device
  bool shares = false;
};
[[nodiscard]] llvm::Error checkDevices(const GpuPlace &place, const DeviceChoice &choice);
/// The versions of the communication library, by rank.
[[nodiscard]] llvm::Error checkVersions(llvm::ArrayRef<int> libraries);
/// "2.28.9" of 22809.
[[nodiscard]] std::string libraryVersion(int number);

} // namespace ccgraph::runtime

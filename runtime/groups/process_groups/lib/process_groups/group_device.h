// GroupDevice: the device of one rank, by which the backends nccl and nccl-recorded execute the calls of a group.
//
//   nccl            the module of the nccl engine: one process and one device for each rank
//   nccl-recorded   the simulated device of the engine nccl-recorded, on the CPU; the ranks are threads of one process
//
// Ownership: keeps what its calls need. Failure: run.nccl without a driver, a device or the module. Cost: to open, that
// of loading the module.
#pragma once

#include "calls/gpu_calls.h"
#include "ccgraph/runtime/backend.h"

namespace ccgraph::runtime {

struct GroupDevice {
  GpuCalls *calls = nullptr;
  /// lives as long as the calls are used
  std::shared_ptr<void> keeper;
  /// Makes the device that of the calling thread; returns a code of `calls`.
  std::function<int()> use;
};

[[nodiscard]] llvm::Expected<GroupDevice> openNcclDevice(const BackendSetup &setup);
[[nodiscard]] llvm::Expected<GroupDevice> openRecordedDevice(const BackendSetup &setup);

} // namespace ccgraph::runtime

#include "nccl/device_check.h"

#include "calls/gpu_error.h"

namespace ccgraph::runtime {
namespace {

/// The first version with all functions that the engine calls: registration of buffers.
constexpr int oldestLibrary = 21900;

/// "13.0" of 13000.
std::string toolkitVersion(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

llvm::Error cannotStart(const std::string &why, std::string repair) {
  return ncclError("engine nccl cannot start: " + why, std::move(repair));
}

llvm::Error tooFewDevices(const GpuPlace &place, const DeviceChoice &choice) {
  std::string devices = place.devices == 1 ? "1 device" : std::to_string(place.devices) + " devices";
  return cannotStart(
      "rank " + std::to_string(choice.localRank) + " of this host has no device of its own: there are " + devices,
      "start at most as many ranks on a host as it has devices; or let ranks share one: start each with a text of its "
      "own "
      "in NCCL_HOSTID, which makes NCCL take it for a host of its own. Bytes then go over sockets, and kernels take "
      "turns: for tests, and not for speed");
}

} // namespace

std::string libraryVersion(int number) {
  return std::to_string(number / 10000) + "." + std::to_string(number % 10000 / 100) + "." +
         std::to_string(number % 100);
}

llvm::Error checkDevices(const GpuPlace &place, const DeviceChoice &choice) {
  if (place.driver == 0)
    return cannotStart(
        "there is no driver of NVIDIA's on this machine",
        "install one (Debian: apt-get install nvidia-driver; Ubuntu: ubuntu-drivers install), or start "
        "the container with --gpus all; nvidia-smi then lists the devices. --engine nccl-recorded needs none");
  if (place.driver / 1000 < place.toolkit / 1000)
    return cannotStart("the driver runs CUDA up to " + toolkitVersion(place.driver) + ", and this build is of CUDA " +
                           toolkitVersion(place.toolkit),
                       "update the driver, or build with a CUDA toolkit of " + std::to_string(place.driver / 1000));
  if (place.devices == 0)
    return cannotStart("there is no device: CUDA reports " + place.why,
                       "nvidia-smi lists what the machine has; CUDA_VISIBLE_DEVICES may hide it");
  if (choice.localRank >= static_cast<size_t>(place.devices) && !choice.shares)
    return tooFewDevices(place, choice);
  if (place.library < oldestLibrary)
    return cannotStart("NCCL " + libraryVersion(place.library) + " is loaded, expected " +
                           libraryVersion(oldestLibrary) + " or newer; this build is of " +
                           libraryVersion(place.builtFor),
                       "install a newer libnccl2, or let LD_LIBRARY_PATH name the folder of one");
  return llvm::Error::success();
}

llvm::Error checkVersions(llvm::ArrayRef<int> libraries) {
  for (size_t rank = 1; rank < libraries.size(); ++rank)
    if (libraries[rank] != libraries[0])
      return cannotStart("ranks 0 and " + std::to_string(rank) + " have unlike versions of NCCL: " +
                             libraryVersion(libraries[0]) + " and " + libraryVersion(libraries[rank]),
                         "install the same libnccl2 on all hosts");
  return llvm::Error::success();
}

} // namespace ccgraph::runtime

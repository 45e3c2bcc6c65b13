#include "process_groups/group_device.h"

#include "calls/gpu_module.h"
#include "nccl/device_check.h"
#include "process_groups/process_rooms.h"
#include "simulated/recorded_calls.h"

namespace ccgraph::runtime {
namespace {

/// One rank's calls, and the devices of all ranks.
struct RecordedDevice {
  RecordedDevice(std::shared_ptr<StreamModel> shared, size_t rank)
      : model(std::move(shared)), calls(*model, rank, /*records=*/false) {}
  std::shared_ptr<StreamModel> model;
  RecordedCalls calls;
};

} // namespace

llvm::Expected<GroupDevice> openNcclDevice(const BackendSetup &setup) {
  llvm::Expected<GpuModule *> module = loadGpuModule();
  if (!module)
    return module.takeError();
  GpuPlace place = (*module)->place();
  int64_t global = setup.members[static_cast<size_t>(setup.rank)];
  int64_t local = setup.localRank.value_or(global % std::max(place.devices, 1));
  if (llvm::Error error = checkDevices(place, {static_cast<size_t>(local), false}))
    return error;
  auto use = [module = *module, device = static_cast<int>(local)] { return module->use(device); };
  return GroupDevice{&(*module)->calls(), nullptr, use};
}

llvm::Expected<GroupDevice> openRecordedDevice(const BackendSetup &setup) {
  llvm::Expected<std::shared_ptr<void>> room =
      enterRoom(setup, {"nccl-recorded", "use backend nccl for ranks that are processes"}, [&] {
        return std::make_shared<StreamModel>(static_cast<size_t>(setup.size()), std::nullopt, setup.timeout,
                                             StreamModel::Hosts::Apart);
      });
  if (!room)
    return room.takeError();
  auto device =
      std::make_shared<RecordedDevice>(std::static_pointer_cast<StreamModel>(*room), static_cast<size_t>(setup.rank));
  return GroupDevice{&device->calls, device, [] { return 0; }};
}

} // namespace ccgraph::runtime

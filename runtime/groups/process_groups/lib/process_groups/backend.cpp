#include "ccgraph/runtime/backend.h"

#include "process_groups/group_error.h"
#include "process_groups/local_backend.h"
#include "process_groups/mpi_backend.h"
#include "process_groups/nccl_backend.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <mutex>

namespace ccgraph::runtime {
namespace {

class CompletedWork final : public Work {
public:
  explicit CompletedWork(std::vector<Tensor> result) : result_(std::move(result)) {}
  llvm::Error wait(std::optional<Milliseconds>) override { return llvm::Error::success(); }
  bool isCompleted() override { return true; }
  llvm::Error exception() override { return llvm::Error::success(); }
  std::vector<Tensor> result() const override { return result_; }

private:
  std::vector<Tensor> result_;
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, BackendKind> kinds;
};

Registry &registry() {
  static Registry all{{},
                      {{"local", {createLocalBackend, {"cpu"}}},
                       {"mpi", {createMpiBackend, {"cpu"}}},
                       {"nccl", {createNcclBackend, {"cuda"}}},
                       {"nccl-recorded", {createRecordedNcclBackend, {"cuda"}}}}};
  return all;
}

/// Backends of torch.distributed, and the devices that it states for them.
const std::map<std::string, std::vector<std::string>, std::less<>> &devicesElsewhere() {
  static const std::map<std::string, std::vector<std::string>, std::less<>> devices = {
      {"gloo", {"cpu", "cuda"}}, {"mpi", {"cpu", "cuda"}}, {"ucc", {"cpu", "cuda"}}, {"xccl", {"xpu"}}};
  return devices;
}

std::string assumed(const std::string &backend, llvm::StringRef how, llvm::StringRef repair) {
  return "Device capability of " + backend + " " + how.str() + ", assuming `cpu` and the current accelerator. " +
         repair.str();
}

/// Adds a warning where the devices are assumed.
std::vector<std::string> devicesOf(const std::string &backend, std::vector<std::string> &warnings) {
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto own = all.kinds.find(backend);
  auto elsewhere = devicesElsewhere().find(backend);
  if (own != all.kinds.end())
    return own->second.devices;
  if (elsewhere != devicesElsewhere().end())
    return elsewhere->second;
  warnings.push_back(assumed(backend, "unknown", "You can specify it in `device:backend` format in JobOptions."));
  return {"cpu", "cuda"};
}

llvm::Error invalidPair(llvm::StringRef pair, llvm::StringRef whole) {
  return groupError(
      "group.argument", "",
      "Invalid device:backend pairing: '" + pair.str() +
          "'. The custom backend string argument is invalid: " + whole.str(),
      "the backend string must be in the format \"<device_type1>:<backend1>,<device_type2>:<backend2>...\", "
      "e.g. 'cpu:local,cuda:nccl'");
}

} // namespace

WorkPtr completedWork(std::vector<Tensor> result) { return std::make_shared<CompletedWork>(std::move(result)); }

llvm::Expected<int64_t> Work::sourceRank() {
  return groupError("group.argument", "",
                    "sourceRank() may only be called on work objects that correspond to a recv or recv-from-any call.");
}

llvm::Error Backend::unsupported(GroupOp op) const {
  return groupError("group.unsupported", groupOpName(op),
                    "Backend " + name().str() + " does not support " + groupOpName(op).str(),
                    "use another backend for this device type");
}

std::optional<std::string> registerBackend(llvm::StringRef name, BackendKind kind) {
  std::optional<std::string> warning;
  if (kind.devices.empty()) {
    warning = assumed(name.lower(), "unspecified", "Please specify it via the `devices` of BackendKind.");
    kind.devices = {"cpu", "cuda"};
  }
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.kinds[name.lower()] = std::move(kind);
  return warning;
}

bool isBackendAvailable(llvm::StringRef name) {
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  return all.kinds.count(name.lower()) != 0;
}

llvm::Expected<std::shared_ptr<Backend>> createBackend(llvm::StringRef name, const BackendSetup &setup) {
  Registry &all = registry();
  std::unique_lock<std::mutex> lock(all.mutex);
  auto found = all.kinds.find(name.str());
  std::vector<std::string> known;
  for (const auto &[each, kind] : all.kinds)
    known.push_back(each);
  if (found == all.kinds.end() || !found->second.create)
    return groupError("group.unsupported", "",
                      "Unknown backend: " + name.str() + ", expected one of " + llvm::join(known, ", "),
                      "register it with registerBackend(), or use one of these");
  auto create = found->second.create;
  lock.unlock();
  return create(setup);
}

std::string BackendConfig::str() const {
  std::string text;
  for (const Entry &entry : entries)
    text += (text.empty() ? "" : ",") + entry.device + ":" + entry.backend;
  return text;
}

const std::string *BackendConfig::find(llvm::StringRef device) const {
  auto found = llvm::find_if(entries, [&](const Entry &entry) { return entry.device == device; });
  return found == entries.end() ? nullptr : &found->backend;
}

llvm::Expected<BackendConfig> parseBackendConfig(llvm::StringRef text) {
  std::string lower = text.lower();
  BackendConfig config;
  if (lower.empty() || lower == "undefined") {
    config.entries.push_back({"cpu", "local"});
    return config;
  }
  if (lower.find(':') == std::string::npos) {
    for (std::string &device : devicesOf(lower, config.warnings))
      config.entries.push_back({std::move(device), lower});
    return config;
  }
  llvm::SmallVector<llvm::StringRef, 4> pairs;
  llvm::StringRef(lower).split(pairs, ',');
  for (llvm::StringRef pair : pairs) {
    if (pair.count(':') != 1)
      return invalidPair(pair, lower);
    auto [device, backend] = pair.split(':');
    if (config.find(device))
      return groupError("group.argument", "",
                        "Duplicate device type " + device.str() + " in backend string: " + lower +
                            ". The custom backend string argument is invalid",
                        "name each device type once");
    config.entries.push_back({device.str(), backend.str()});
  }
  return config;
}

} // namespace ccgraph::runtime

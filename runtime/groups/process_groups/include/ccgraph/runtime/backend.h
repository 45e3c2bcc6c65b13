// Backend: executes the calls of one process group. Work: one such call, in flight or complete.
//
// A backend has a name, under which a creator is registered. Backends of this library:
//
//   local           the ranks are threads of one process
//   mpi             the ranks are processes that mpirun has started
//   nccl            each rank is a process with a device of its own
//   nccl-recorded   the same on simulated devices; the ranks are threads of one process
//
// A program registers others:
//
//   registerBackend("mine", {[](const BackendSetup &setup) { ... }, {"cpu"}});
//   Job::init({.backend = "cpu:mine", ...});
//
// Ownership: a group owns its backends; a work keeps its tensors until it is complete. Failure: an error of launch() is
// an error of the call; an error of a work is also returned by every later wait. Cost: the backend's.
#pragma once

#include "ccgraph/runtime/group_call.h"
#include "ccgraph/runtime/store.h"

#include <functional>

namespace ccgraph::runtime {

/// Thread-safe: any thread of the rank may wait. Destroying a work does not end the call.
class Work {
public:
  using Milliseconds = std::chrono::milliseconds;
  virtual ~Work() = default;
  /// Returns when the outputs are filled. Without a time: until the deadline of the call, which ends the group for all
  /// ranks (run.deadline). With a shorter time, only this wait fails, and the call remains in flight.
  [[nodiscard]] virtual llvm::Error wait(std::optional<Milliseconds> timeout) = 0;
  [[nodiscard]] llvm::Error wait() { return wait(std::nullopt); }
  /// Complete or failed. Does what can be done without waiting.
  [[nodiscard]] virtual bool isCompleted() = 0;
  /// The error of a failed call; success for a call in flight.
  [[nodiscard]] virtual llvm::Error exception() = 0;
  /// What the call fills; valid once it is complete.
  [[nodiscard]] virtual std::vector<Tensor> result() const = 0;
  /// The sender's rank within the group. Fails unless the call is a receive that is complete.
  [[nodiscard]] virtual llvm::Expected<int64_t> sourceRank();
};
using WorkPtr = std::shared_ptr<Work>;

/// A work that is complete, for backends that execute calls immediately.
[[nodiscard]] WorkPtr completedWork(std::vector<Tensor> result);

class Backend {
public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual llvm::StringRef name() const = 0;
  /// Begins a call. The group has checked its arguments. Calls of one group come from one thread at a time, in the
  /// order of the program.
  [[nodiscard]] virtual llvm::Expected<WorkPtr> launch(GroupCall call) = 0;

protected:
  /// The error of an operation that the backend does not have.
  [[nodiscard]] llvm::Error unsupported(GroupOp op) const;
};

/// What a backend needs to join a group.
struct BackendSetup {
  /// of the group: the keys are not used by other groups
  std::shared_ptr<Store> store;
  /// within the group
  int64_t rank = 0;
  /// global ranks, in the group's order
  std::vector<int64_t> members;
  /// of the group
  std::string name;
  std::chrono::milliseconds timeout{};
  /// the rank's number on its host, for a device of its own
  std::optional<int64_t> localRank = {};

  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(members.size()); }
};

struct BackendKind {
  std::function<llvm::Expected<std::shared_ptr<Backend>>(const BackendSetup &setup)> create;
  /// Types of devices, such as "cpu". Empty: cpu and cuda, with a warning.
  std::vector<std::string> devices;
};
/// Registers the backend, or replaces the one of this name; names have lower case. Returns the warning, if there is
/// one. Thread-safe.
std::optional<std::string> registerBackend(llvm::StringRef name, BackendKind kind);
[[nodiscard]] bool isBackendAvailable(llvm::StringRef name);

/// Which backend serves which type of device: "cpu:local,cuda:nccl", or one name for all devices that it has.
struct BackendConfig {
  struct Entry {
    std::string device;
    std::string backend;
  };
  /// in the order of the text
  std::vector<Entry> entries;
  std::vector<std::string> warnings;

  /// "cpu:local,cuda:nccl".
  [[nodiscard]] std::string str() const;
  [[nodiscard]] const std::string *find(llvm::StringRef device) const;
};
/// Letters may have any case. "undefined" and "" mean "cpu:local". Fails for a pair that is not DEVICE:BACKEND, such as
/// after a trailing comma, and for a device that occurs twice.
[[nodiscard]] llvm::Expected<BackendConfig> parseBackendConfig(llvm::StringRef text);

} // namespace ccgraph::runtime

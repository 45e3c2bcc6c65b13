// DeviceCall: a call of a process group whose rows are in the memory of a device.
//
// Tensors of process groups are in the memory of the host. So the rows that a rank sends are copied to the device
// before the communication, and the rows that it fills are copied back after it, all on one stream.
//
// Ownership: takes memory from the pool, and gives it back when the call is complete; shares the launch. Failure: codes
// of the device's calls. Cost: two copies of each row.
#pragma once

#include "calls/gpu_calls.h"
#include "process_groups/group_launch.h"

#include <map>

namespace ccgraph::runtime {

/// Memory and events of a device, which calls use again.
class DevicePool {
public:
  explicit DevicePool(GpuCalls &calls) : calls_(calls) {}
  ~DevicePool();
  DevicePool(const DevicePool &) = delete;
  DevicePool &operator=(const DevicePool &) = delete;

  /// At least so many bytes. Returns a code.
  [[nodiscard]] int take(int64_t bytes, std::byte *&memory);
  void give(std::byte *memory);
  [[nodiscard]] int takeEvent(GpuEvent &event);
  void giveEvent(GpuEvent event) { events_.push_back(event); }
  [[nodiscard]] GpuCalls &calls() const { return calls_; }

private:
  GpuCalls &calls_;
  /// by size, a power of two
  std::map<int64_t, std::vector<std::byte *>> free_;
  std::map<std::byte *, int64_t> sizes_;
  std::vector<GpuEvent> events_;
};

class DeviceCall {
public:
  using LaunchPtr = std::shared_ptr<const GroupLaunch>;
  DeviceCall(LaunchPtr launch, DevicePool &pool, int64_t number)
      : launch_(std::move(launch)), pool_(pool), number_(number), deadline_(launch_->deadline()) {}
  ~DeviceCall();
  DeviceCall(const DeviceCall &) = delete;
  DeviceCall &operator=(const DeviceCall &) = delete;

  [[nodiscard]] const GroupLaunch &group() const { return *launch_; }
  /// The launch over the memory of the device; valid after copyIn().
  [[nodiscard]] const Launch &launch() const { return rows_; }
  /// Which collective of its group it is, from 1; 0 for a transfer.
  [[nodiscard]] int64_t number() const { return number_; }
  [[nodiscard]] std::chrono::steady_clock::time_point deadline() const { return deadline_; }

  /// Enqueues the copies of what is sent.
  [[nodiscard]] int copyIn(GpuStream stream);
  /// Memory that the call needs until it is complete; null where there is none left.
  [[nodiscard]] std::byte *scratch(int64_t bytes);
  /// Enqueues the copies of what is filled, and records the end.
  [[nodiscard]] int copyOut(GpuStream stream);
  /// After copyOut().
  [[nodiscard]] bool isIssued() const { return ended_.has_value(); }
  /// Queries whether the device has executed the call.
  [[nodiscard]] int query(bool &ended);
  /// Once, after its end: fills the tensors of the call.
  void complete();
  [[nodiscard]] bool isComplete() const { return complete_; }

private:
  [[nodiscard]] int onDevice(const Buffer &row, Buffer &made);
  [[nodiscard]] int copy(GpuCopy way, const Buffer &host, const Buffer &device, GpuStream stream);
  void release();

  LaunchPtr launch_;
  DevicePool &pool_;
  int64_t number_;
  std::chrono::steady_clock::time_point deadline_;
  Launch rows_;
  std::vector<std::byte *> memory_;
  std::optional<GpuEvent> ended_;
  bool complete_ = false;
};

} // namespace ccgraph::runtime

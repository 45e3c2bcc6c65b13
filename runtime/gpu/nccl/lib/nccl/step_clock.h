// StepClock: when each step of a rank began and ended on its stream, by the clock of its device.
//
// The host enqueues steps long before they run, so its own clock tells nothing of them. Around the work of each step stand two events that
// take the time: one after all that the step waits for, one after its work. Of a step that the host computes, its own clock tells.
//
// A device tells only how much time lies between two events. So before a run it takes the time while its stream is idle, and the host
// looks at its own clock before and after; the closest of a few tries says where the device's clock stands by the host's, to within half
// of that try, which is some microseconds. So times of all ranks of a host may be compared, and those of several hosts as far as their
// clocks may.
//
// Captured, these events are nodes of the graph, and each launch takes their times anew: what they add stands between the steps.
//
// Ownership: borrows the calls, and owns its events. Failure: what the device refuses, of rule run.nccl. Cost: two calls a step, and three of
// them before a run for each try.
#pragma once

#include "calls/gpu_calls.h"
#include "watch/flight_recorder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace ccgraph::runtime {

class StepClock {
public:
  StepClock(GpuCalls &calls, int64_t rank) : calls_(calls), rank_(rank) {}
  ~StepClock();
  StepClock(const StepClock &) = delete;
  StepClock &operator=(const StepClock &) = delete;

  /// Before the first run: by number of a step, its name; empty of one that the host computes.
  [[nodiscard]] llvm::Error prepare(llvm::ArrayRef<std::string> names);
  /// Before each run. `stream` has nothing to do; `await` returns once the event has been reached.
  [[nodiscard]] llvm::Error place(GpuStream stream, llvm::function_ref<llvm::Error(GpuEvent)> await);
  /// Around the work of a step.
  [[nodiscard]] llvm::Error begin(size_t step, GpuStream stream);
  [[nodiscard]] llvm::Error end(size_t step, GpuStream stream);
  void beginOnHost(size_t step) { steps_[step].span.began = now(); }
  void endOnHost(size_t step) { steps_[step].span.ended = now(); }
  /// Of a run that the device has ended.
  [[nodiscard]] llvm::Expected<FlightRecorder::Span> spanOf(size_t step);

private:
  static constexpr int tries = 8;
  struct Entry {
    bool byHost = false;
    GpuEvent began, ended;
    /// of a step of the host
    FlightRecorder::Span span;
  };
  [[nodiscard]] int64_t now() const;
  [[nodiscard]] llvm::Error make(const std::string &name, GpuEvent &timer);
  [[nodiscard]] llvm::Error check(int code, const char *doing) const;

  GpuCalls &calls_;
  int64_t rank_;
  std::vector<Entry> steps_;
  std::array<GpuEvent, tries> tries_;
  /// the try that counts, and when it was by the host's clock
  GpuEvent anchor_;
  int64_t anchoredAt_ = 0;
};

} // namespace ccgraph::runtime

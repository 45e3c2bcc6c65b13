// StepClock: when each step of a rank began and ended on its stream, by the clock of its device.
//
// The host enqueues steps long before they run, so its clock does not show their times. Two events take the time around
// the work of each step: one after everything that the step waits for, one after its work. Steps that the host computes
// are timed by its own clock.
//
// A device reports only the time between two events. So before a run the device takes the time on an idle stream, and
// the host reads its own clock before and after. The shortest of a few attempts aligns the device's clock with the
// host's, to within half of that attempt, some microseconds. So times of all ranks of a host are comparable, and those
// of several hosts as far as their clocks agree.
//
// In a capture, these events are nodes of the graph, and each launch takes their times anew; their cost falls between
// the steps.
//
// Ownership: borrows the calls, and owns its events. Failure: errors of the device, with rule run.nccl. Cost: two calls
// a step, and three of them before a run for each try.
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
  /// Returns the span of a step in a run that the device has completed.
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

// Pace: a run whose steps take simulated durations, and do nothing else.
//
// It shows the benefit of a plan's order and overlap on another machine. Kernels and collectives take given durations
// of that machine. Everything else is the engine's own: its threads or processes, streams, events, and the waits
// between ranks. So the run can be compared with a predicted timeline, from which it is independent.
//
//   begin   of a step: the host has issued it, its stream is free, and the events that it waits for are recorded. For a
//             collective or transfer, this holds on all of its members
//   end     begin plus the given duration. The rank sleeps until then on its own clock
//
// An end counts from the computed begin, not from the moment when the rank awoke, so a sleep that lasts too long delays
// no other step.
//
// No kernel runs, no data moves, no memory is held and no value is returned. So the speed of this machine's kernels
// does not matter, and a graph of any size can be simulated. Ranks exchange only their launch times; their collectives
// are assumed to match.
//
// Ownership: plain values. Failure: rule run.request where times do not fit the plans. Cost: a few microseconds a step,
// of this machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ccgraph::runtime {

/// The clock of one rank, in one run.
class PaceClock {
public:
  virtual ~PaceClock() = default;
  /// The time since the clock was made.
  [[nodiscard]] virtual std::chrono::nanoseconds now() = 0;
  /// The rank has nothing to do before this moment. A clock whose time passes without calls does nothing.
  virtual void idleUntil(std::chrono::nanoseconds) {}
};

struct Pace {
  /// By plan of the request, by step: picoseconds, none negative.
  std::vector<std::vector<int64_t>> steps;
  /// Makes a rank's clock, on the rank's thread, when a run begins; empty: the machine's time.
  std::function<std::unique_ptr<PaceClock>()> clock = {};
};

} // namespace ccgraph::runtime

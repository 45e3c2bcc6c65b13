// Pace: a run whose steps take stated times, and do nothing else.
//
// It shows what a plan's order and overlap are worth on a machine that this one is not: kernels and collectives take what
// somebody says that they take there, and all else is the engine's own: its threads or processes, streams, events, and the ranks
// that wait for each other. So it can be held against a predicted timeline, of which it knows nothing.
//
//   begin   of a step: the host has issued it, its stream is free, and the events that it waits for are recorded. Of a
//           collective or transfer: that holds on all of its members
//   end     the stated time later. The rank sleeps until then on its own clock
//
// An end is counted from the stated begin, not from when the rank awoke: a sleep that lasts too long delays nothing but itself.
//
// No kernel runs, no row moves, no memory is held and no value comes out. So what this machine takes for a kernel does not
// show, and a program of any size can be paced. Ranks tell each other when they have launched, and nothing more: that they mean
// the same collectives is taken for granted.
//
// Ownership: plain values. Failure: rule run.request where times do not fit the plans. Cost: a few microseconds a step, of this machine.
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
  /// Since it was made.
  [[nodiscard]] virtual std::chrono::nanoseconds now() = 0;
  /// The rank has nothing to do before this moment. A clock whose time passes by itself does nothing.
  virtual void idleUntil(std::chrono::nanoseconds) {}
};

struct Pace {
  /// By plan of the request, by step: picoseconds, none negative.
  std::vector<std::vector<int64_t>> steps;
  /// Makes a rank's clock, on the rank's thread, when a run begins; empty: the machine's time.
  std::function<std::unique_ptr<PaceClock>()> clock = {};
};

} // namespace ccgraph::runtime

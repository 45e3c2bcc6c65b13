// LauncherWatch detects an mpirun that has finished its work and does not exit.
//
// After its processes were killed, mpirun sometimes blocks in its last cleanup on a lock that is never released. No
// process remains that could end it, so a process that waits for mpirun would wait forever. So mpirun gets a limited
// time to exit once all its processes are gone.
//
// Ownership: plain values. Failure: none; if the system does not provide process information, mpirun counts as working.
// Cost: reads a few files of /proc for each check.
#pragma once

#include <chrono>
#include <optional>
#include <sys/types.h>

namespace ccgraph::driver {

class LauncherWatch {
public:
  using Clock = std::chrono::steady_clock;
  /// The longest time that an exiting mpirun needs on a busy machine.
  static constexpr std::chrono::seconds patience{8};

  explicit LauncherWatch(pid_t launcher) : launcher_(launcher) {}
  /// Returns true if mpirun has had processes, and none has been alive for as long as `patience`. Call it at intervals.
  [[nodiscard]] bool isStuck(Clock::time_point now);

private:
  pid_t launcher_;
  bool hadProcesses_ = false;
  /// the time since which there has been no live process
  std::optional<Clock::time_point> alone_;
};

} // namespace ccgraph::driver

// LauncherWatch: has mpirun come to its end, and not ended?
//
// When its processes have been killed, mpirun waits at times for a lock that nobody lets go of, in the last thing that it does. Nobody is
// left then who would end it, and whoever waits for it waits for ever. So it is given some time once its processes are all gone.
//
// Ownership: plain values. Failure: none; where the system does not tell of processes, mpirun is taken to be at work. Cost: a few files
// of /proc a look.
#pragma once

#include <chrono>
#include <optional>
#include <sys/types.h>

namespace ccgraph::driver {

class LauncherWatch {
public:
  using Clock = std::chrono::steady_clock;
  /// What an mpirun that ends takes at most, on a busy machine.
  static constexpr std::chrono::seconds patience{8};

  explicit LauncherWatch(pid_t launcher) : launcher_(launcher) {}
  /// It has had processes, and for as long as `patience` none that lives. Ask every now and then.
  [[nodiscard]] bool isStuck(Clock::time_point now);

private:
  pid_t launcher_;
  bool hadProcesses_ = false;
  /// since when there has been none
  std::optional<Clock::time_point> alone_;
};

} // namespace ccgraph::driver

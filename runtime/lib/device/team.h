// Teams: the threads that compute one unit of a job together.
//
// A job is a number of units that know nothing of each other. A unit is computed by a team of `lanes` threads, which meet between
// its phases: each(body) has every lane run body(lane), and reduce(body, fold) folds what the lanes yield, in one order that is always
// the same, and gives all of them the result. On a device a team is a block (runtime/nccl); here it is a loop.
//
// fail() ends the run with an error: what was computed is worth nothing.
//
// Ownership: values. Failure: failed(). Cost: reduce() is log2(lanes) meetings.
#pragma once

#include "device/portable.h"

#include <cstdint>

namespace ccgraph::runtime::device {

inline constexpr int lanes = 256;

class HostTeam {
public:
  template <typename Body>
  void each(Body body) {
    for (int lane = 0; lane < lanes; ++lane)
      body(lane);
  }
  template <typename T, typename Body, typename Fold>
  T reduce(Body body, Fold fold) {
    T parts[lanes];
    for (int lane = 0; lane < lanes; ++lane)
      parts[lane] = body(lane);
    for (int half = lanes / 2; half > 0; half /= 2)
      for (int lane = 0; lane < half; ++lane)
        parts[lane] = fold(parts[lane], parts[lane + half]);
    return parts[0];
  }
  void fail() { failed_ = true; }
  [[nodiscard]] bool failed() const { return failed_; }

private:
  bool failed_ = false;
};

/// Enough units for so many elements, one a lane.
CCGRAPH_ANYWHERE constexpr int64_t unitsOf(int64_t elements) { return (elements + lanes - 1) / lanes; }

} // namespace ccgraph::runtime::device

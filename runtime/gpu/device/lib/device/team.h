// Teams: the threads that compute one unit of a job together.
//
// A job is a number of units that know nothing of each other. A unit is computed by a team of `lanes` threads, which meet between
// its phases: each(body) has every lane run body(lane), and reduce(body, fold) folds what the lanes yield, in one order that is always
// the same, and gives all of them the result. What lanes tell each other from phase to phase stands on boards of one number a lane, which
// nobody has written when a unit begins. On a device a team is a block (runtime/gpu/nccl/module); here it is a loop.
//
// fail() ends the run with an error; the computed values are invalid.
//
// Ownership: values. Failure: failed(). Cost: reduce() takes log2(lanes) synchronisations.
#pragma once

#include "device/portable.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ccgraph::runtime::device {

inline constexpr int lanes = 256;

/// How many boards a team has.
inline constexpr int numBoards = 2;
/// The size in bytes of the largest number that a thread yields, or that a board holds.
inline constexpr int widestNumber = 8;

class HostTeam {
public:
  /// `order` determines the first thread of a phase, and the direction: no job may depend on it.
  explicit HostTeam(uint64_t order = 0) : order_(order) {}
  /// A unit begins.
  void begin() { memset(boards_, 0xff, sizeof(boards_)); }
  template <typename Body>
  void each(Body body) {
    for (int i = 0; i < lanes; ++i)
      body(laneAt(i));
  }
  template <typename T, typename Body, typename Fold>
  T reduce(Body body, Fold fold) {
    T parts[lanes];
    each([&](int lane) { parts[lane] = body(lane); });
    for (int half = lanes / 2; half > 0; half /= 2)
      for (int lane = 0; lane < half; ++lane)
        parts[lane] = fold(parts[lane], parts[lane + half]);
    return parts[0];
  }
  template <typename T>
  T *board(int number) {
    static_assert(sizeof(T) <= widestNumber);
    return reinterpret_cast<T *>(boards_[number]);
  }
  void fail() { failed_ = true; }
  [[nodiscard]] bool failed() const { return failed_; }

private:
  [[nodiscard]] int laneAt(int i) const {
    int turned = (i + static_cast<int>(order_ / 2 % lanes)) % lanes;
    return order_ % 2 == 0 ? turned : lanes - 1 - turned;
  }
  uint64_t order_;
  bool failed_ = false;
  alignas(widestNumber) std::byte boards_[numBoards][widestNumber * lanes];
};

/// Returns enough units for this number of elements, one a thread.
CCGRAPH_ANYWHERE constexpr int64_t unitsOf(int64_t elements) { return (elements + lanes - 1) / lanes; }

} // namespace ccgraph::runtime::device

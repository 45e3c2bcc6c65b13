// Teams: the threads that compute one unit of a job together.
//
// A job is a number of units that know nothing of each other. A unit is computed by a team of `teamThreads` threads,
// which meet between its phases: each(body) has every thread run body(thread), and reduce(body, fold) folds what the
// threads yield, in one order that is always the same, and gives all of them the result. What threads tell each other
// from phase to phase stands on boards of one number a thread, which nobody has written when a unit begins. On a device
// a team is a block (runtime/gpu/nccl/module); here it is a loop.
//
// fail() ends the run with an error; the computed values are invalid.
//
// Ownership: values. Failure: failed(). Cost: reduce() takes log2(teamThreads) synchronisations.
#pragma once

#include "device/portable.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ccgraph::runtime::device {

inline constexpr int teamThreads = 256;

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
    for (int i = 0; i < teamThreads; ++i)
      body(threadAt(i));
  }
  template <typename T, typename Body, typename Fold>
  T reduce(Body body, Fold fold) {
    T parts[teamThreads];
    each([&](int thread) { parts[thread] = body(thread); });
    for (int half = teamThreads / 2; half > 0; half /= 2)
      for (int thread = 0; thread < half; ++thread)
        parts[thread] = fold(parts[thread], parts[thread + half]);
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
  [[nodiscard]] int threadAt(int i) const {
    int turned = (i + static_cast<int>(order_ / 2 % teamThreads)) % teamThreads;
    return order_ % 2 == 0 ? turned : teamThreads - 1 - turned;
  }
  uint64_t order_;
  bool failed_ = false;
  alignas(widestNumber) std::byte boards_[numBoards][widestNumber * teamThreads];
};

/// Returns enough units for this number of elements, one a thread.
CCGRAPH_ANYWHERE constexpr int64_t unitsOf(int64_t elements) { return (elements + teamThreads - 1) / teamThreads; }

} // namespace ccgraph::runtime::device

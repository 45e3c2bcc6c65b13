// Random draws the choices of one trial, for tests with many trials.
//
// Ownership: a plain value. Failure: none. Cost: that of a Mersenne twister.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace ccgraph::test {

/// Draws the choices of one trial; the same seed gives the same choices on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : engine_(seed * 0x9E3779B97F4A7C15U + 1) {}
  /// Returns a number below `limit`, which must not be 0.
  [[nodiscard]] size_t below(size_t limit) { return static_cast<size_t>(engine_() % limit); }
  template <typename T>
  [[nodiscard]] const T &of(const std::vector<T> &choices) {
    return choices[below(choices.size())];
  }

private:
  std::mt19937_64 engine_;
};

} // namespace ccgraph::test

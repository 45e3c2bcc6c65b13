// Numbers: a stream of pseudorandom numbers that is the same on every machine, because no libm is
// in it.
//
// splitmix64: Guy Steele, Doug Lea, Christine Flood, "Fast Splittable Pseudorandom Number
// Generators" (OOPSLA 2014).
// Ownership: plain value. Nothing fails. Cost: a few multiplications a number.
#pragma once

#include <cstdint>

namespace ccgraph::runtime {

/// One stream: equal seeds give equal streams.
class Numbers {
public:
  explicit Numbers(uint64_t seed) : state_(seed) {}

  /// 64 bits, each as likely 0 as 1.
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// Returns a number in [0, 1), a multiple of 2^-24: exact in f32.
  double uniform() { return static_cast<double>(next() >> 40) / 16777216.0; }
  /// The sum of four uniform numbers, scaled to mean 0 and deviation 1: near normal, within 3.5.
  double nearNormal() {
    uint64_t bits = next();
    double sum = 0;
    for (int i = 0; i < 4; ++i)
      sum += static_cast<double>((bits >> (16 * i)) & 0xffff) / 65536.0 - 0.5;
    return sum * 1.7320508075688772;
  }

private:
  uint64_t state_;
};

} // namespace ccgraph::runtime

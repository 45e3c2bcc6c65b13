// Arithmetic of the cost model, the same to the bit on every machine.
//
// IEEE addition, multiplication and division have one answer; the functions of the mathematical
// library have as many as there are libraries. So the few that are needed are written here with the
// former alone.
//
// Plain functions; nothing is owned and nothing fails. Cost: tens of nanoseconds.
#pragma once

#include <cstdint>

namespace ccgraph {

/// The nearest whole number, halves up; 0 for what is not above zero, the largest number for what does not fit.
[[nodiscard]] int64_t rounded(double value);

/// The whole part of log2, of a number from 1.
[[nodiscard]] int64_t floorLog2(int64_t value);

/// base to the power of exponent, for a normal base above zero and a result between 2^-1000 and 2^1000. The relative
/// error is below 1e-13 for exponents from -4 to 4.
[[nodiscard]] double power(double base, double exponent);

} // namespace ccgraph

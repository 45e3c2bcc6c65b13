// Arithmetic of the cost model, bitwise equal on every machine.
//
// IEEE addition, multiplication and division have one result; the functions of math libraries have different results in
// different libraries. So the few functions needed are written here with these operations only.
//
// Ownership: none; plain functions. Failure: none. Cost: tens of nanoseconds.
#pragma once

#include <cstdint>

namespace ccgraph {

/// Returns the nearest integer, halves up; 0 for a value that is not above zero, the largest integer for a value that
/// does not fit.
[[nodiscard]] int64_t rounded(double value);

/// Returns the integer part of log2 of a number from 1.
[[nodiscard]] int64_t floorLog2(int64_t value);

/// Returns base to the power of exponent, for a normal base above zero and a result between 2^-1000 and 2^1000. The
/// relative error is below 1e-13 for exponents from -4 to 4.
[[nodiscard]] double power(double base, double exponent);

} // namespace ccgraph

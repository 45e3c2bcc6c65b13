#include "cost/arithmetic.h"

#include <bit>
#include <limits>

namespace ccgraph {
namespace {

constexpr double ln2 = 0x1.62e42fefa39efp-1;
constexpr int mantissaBits = 52;
constexpr uint64_t mantissaMask = (uint64_t(1) << mantissaBits) - 1;
constexpr int exponentBias = 1023;

/// Returns 2^n.
double exactPowerOfTwo(int64_t n) {
  return std::bit_cast<double>(static_cast<uint64_t>(n + exponentBias) << mantissaBits);
}

/// Returns ln(m) = 2 artanh((m - 1) / (m + 1)) for m in [1, 2): the argument is below 1/3, so each term of the series
/// is at most a ninth of the previous one.
double logOfMantissa(double mantissa) {
  const double s = (mantissa - 1) / (mantissa + 1);
  const double square = s * s;
  double sum = 0;
  for (int k = 35; k >= 1; k -= 2)
    sum = sum * square + 1.0 / k;
  return 2 * s * sum;
}

/// Returns log2: the stored exponent plus the logarithm of the mantissa.
double log2Of(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const auto exponent = static_cast<int64_t>(bits >> mantissaBits) - exponentBias;
  const double mantissa = std::bit_cast<double>((bits & mantissaMask) | std::bit_cast<uint64_t>(1.0));
  return static_cast<double>(exponent) + logOfMantissa(mantissa) / ln2;
}

/// Returns 2^x = 2^n e^(f ln 2), f in [0, 1), by the series of e.
double exp2Of(double x) {
  auto whole = static_cast<int64_t>(x);
  if (static_cast<double>(whole) > x)
    --whole;
  const double t = (x - static_cast<double>(whole)) * ln2;
  double sum = 1;
  for (int k = 20; k >= 1; --k)
    sum = 1 + sum * t / k;
  return sum * exactPowerOfTwo(whole);
}

} // namespace

int64_t rounded(double value) {
  if (!(value > 0))
    return 0;
  constexpr double limit = 0x1p63;
  return value + 0.5 >= limit ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(value + 0.5);
}

int64_t floorLog2(int64_t value) { return std::bit_width(static_cast<uint64_t>(value)) - 1; }

double power(double base, double exponent) { return exp2Of(exponent * log2Of(base)); }

} // namespace ccgraph

#include "equivalence/tally.h"

#include "ccgraph/runtime/tensor.h"
#include "tensor/elements.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>

namespace ccgraph::runtime {
namespace {

// An element is equal, equal within the tolerance, or different. With atol 0.1 and rtol 0.01:
//   expected 3.25, got 3.25     bitwise equal
//   expected 3.25, got 3.3      within 0.1 + 0.01 * 3.25 = 0.1325: counted as inexact
//   expected 3.25, got 3.5      different, by 0.1175 too much
//   expected NaN, got NaN       equal, and counted: a NaN is weak evidence
//   expected inf, got inf       equal, and counted
//   expected inf, got 1e30      different: no distance can be measured, so it counts as worst of all
// The element that is shown is the one that misses the tolerance by most.

/// Two elements of a dtype that can be computed with, got and expected.
struct Pair {
  double distance = 0.0;
  double magnitude = 0.0; ///< of the expected value
  bool sameNan = false;   ///< NaN on both sides, and equal in all parts that are not NaN
  bool infinite = false;  ///< on the expected side
};

bool sameNumber(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// |a - b| is NaN where a part is, so parts that are NaN on both sides count as equal numbers.
Pair measureComplex(Complex a, Complex b) {
  bool realNan = std::isnan(a.real()) && std::isnan(b.real());
  bool imaginaryNan = std::isnan(a.imag()) && std::isnan(b.imag());
  Pair pair;
  pair.infinite = std::isinf(b.real()) || std::isinf(b.imag());
  pair.sameNan = (realNan && sameNumber(a.imag(), b.imag())) || (imaginaryNan && sameNumber(a.real(), b.real()));
  auto without = [&](Complex c) { return Complex(realNan ? 0.0 : c.real(), imaginaryNan ? 0.0 : c.imag()); };
  pair.distance = std::abs(without(a) - without(b));
  pair.magnitude = std::abs(without(b));
  return pair;
}

Pair measureFloat(double a, double b) {
  Pair pair;
  pair.infinite = std::isinf(b);
  pair.sameNan = std::isnan(a) && std::isnan(b);
  pair.distance = a == b ? 0.0 : std::fabs(a - b);
  pair.magnitude = std::fabs(b);
  return pair;
}

Pair measure(DType dtype, const std::byte *got, const std::byte *expected) {
  if (classOf(dtype) == DTypeClass::Complex)
    return measureComplex(readElement<Complex>(dtype, got), readElement<Complex>(dtype, expected));
  if (classOf(dtype) == DTypeClass::Float)
    return measureFloat(readElement<double>(dtype, got), readElement<double>(dtype, expected));
  auto a = readElement<int64_t>(dtype, got), b = readElement<int64_t>(dtype, expected);
  return {std::fabs(static_cast<double>(a) - static_cast<double>(b)), std::fabs(static_cast<double>(b))};
}

void count(Tally &tally, size_t index, const Pair &pair, const Tolerance &tolerance, bool sameBytes) {
  tally.nans += pair.sameNan;
  if (pair.sameNan)
    return;
  bool measurable = std::isfinite(pair.distance);
  bool infinite = pair.infinite && (sameBytes || pair.distance == 0.0);
  tally.infinities += infinite;
  if (sameBytes)
    return;
  if (measurable)
    tally.worst = std::max(tally.worst, pair.distance);
  double allowed = tolerance.bitwise ? 0.0 : tolerance.atol + tolerance.rtol * pair.magnitude;
  if (!tolerance.bitwise && measurable && pair.distance <= allowed) {
    ++tally.inexact;
    return;
  }
  ++tally.different;
  double excess = measurable ? pair.distance - allowed : HUGE_VAL;
  if (excess > tally.worstExcess) {
    tally.worstExcess = excess;
    tally.worstElement = index;
  }
}

std::string elementText(DType dtype, const std::byte *at) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!convertible(dtype)) {
    os << "0x" << llvm::toHex(llvm::StringRef(reinterpret_cast<const char *>(at), sizeInBytes(dtype)));
  } else if (isComplex(dtype)) {
    auto value = readElement<Complex>(dtype, at);
    os << llvm::format("%.9g%+.9gi", value.real(), value.imag());
  } else if (isFloat(dtype)) {
    os << llvm::format("%.9g", readElement<double>(dtype, at));
  } else {
    os << readElement<int64_t>(dtype, at);
  }
  return text;
}

std::string placeText(const HostTensor &tensor, size_t element) {
  IntList place(tensor.sizes.size());
  for (size_t dim = place.size(); dim-- > 0;) {
    auto size = static_cast<size_t>(tensor.sizes[dim]);
    place[dim] = static_cast<int64_t>(element % size);
    element /= size;
  }
  return intListText(place);
}

} // namespace

Tally compareElements(const HostTensor &expected, const HostTensor &got, const Tolerance &tolerance) {
  Tally tally;
  bool same = expected.data == got.data;
  if (same && classOf(expected.dtype) != DTypeClass::Float && classOf(expected.dtype) != DTypeClass::Complex)
    return tally;
  size_t size = sizeInBytes(expected.dtype);
  bool readable = convertible(expected.dtype);
  for (size_t i = 0, n = expected.data.size() / size; i < n; ++i) {
    const std::byte *a = got.data.data() + i * size, *b = expected.data.data() + i * size;
    bool sameBytes = std::memcmp(a, b, size) == 0;
    Pair pair = readable ? measure(expected.dtype, a, b) : Pair{sameBytes ? 0.0 : NAN};
    count(tally, i, pair, tolerance, sameBytes);
  }
  return tally;
}

std::string differenceText(const HostTensor &expected, const HostTensor &got, const Tally &tally,
                           const Tolerance &tolerance) {
  std::string text;
  llvm::raw_string_ostream os(text);
  size_t at = tally.worstElement * sizeInBytes(expected.dtype);
  os << "element " << placeText(expected, tally.worstElement) << " is "
     << elementText(expected.dtype, got.data.data() + at) << ", expected "
     << elementText(expected.dtype, expected.data.data() + at) << " (" << tally.different << " of "
     << expected.numElements() << " elements differ; ";
  if (tolerance.bitwise)
    os << "held bitwise)";
  else
    os << llvm::format("atol %g, rtol %g)", tolerance.atol, tolerance.rtol);
  return text;
}

llvm::StringRef constantBytes(const HostTensor &tensor) {
  auto size = static_cast<size_t>(sizeInBytes(tensor.dtype));
  const size_t bytes = tensor.data.size();
  if (bytes < 2 * size || std::memcmp(tensor.data.data(), tensor.data.data() + size, bytes - size) != 0)
    return {};
  return {reinterpret_cast<const char *>(tensor.data.data()), size};
}

} // namespace ccgraph::runtime

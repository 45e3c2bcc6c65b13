#include "ccgraph/runtime/comparison.h"

#include "ccgraph/runtime/tensor.h"
#include "kernels/elements.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>
#include <set>

namespace ccgraph::runtime {
namespace {

/// How one tensor compares.
struct Tally {
  size_t different = 0;
  size_t nans = 0;
  size_t inexact = 0;
  double worst = 0.0;      ///< over all elements
  double worstExcess = -1; ///< over the elements that differ: distance beyond what is allowed
  size_t worstElement = 0; ///< where that is
};

/// One element of a dtype that can be computed with.
struct Element {
  double distance = 0.0;
  double magnitude = 0.0; ///< of the expected value
  bool bothNan = false;
};

Element measure(DType dtype, const std::byte *got, const std::byte *expected) {
  Element element;
  if (classOf(dtype) == DTypeClass::Complex) {
    auto a = readElement<Complex>(dtype, got), b = readElement<Complex>(dtype, expected);
    auto isNan = [](Complex c) { return std::isnan(c.real()) || std::isnan(c.imag()); };
    return {std::abs(a - b), std::abs(b), isNan(a) && isNan(b)};
  }
  if (classOf(dtype) == DTypeClass::Float) {
    auto a = readElement<double>(dtype, got), b = readElement<double>(dtype, expected);
    if (a == b)
      return {0.0, std::fabs(b), false};
    return {std::fabs(a - b), std::fabs(b), std::isnan(a) && std::isnan(b)};
  }
  auto a = readElement<int64_t>(dtype, got), b = readElement<int64_t>(dtype, expected);
  return {std::fabs(static_cast<double>(a) - static_cast<double>(b)), std::fabs(static_cast<double>(b)), false};
}

void count(Tally &tally, size_t index, const Element &element, const Tolerance &tolerance, bool sameBytes) {
  tally.nans += element.bothNan;
  if (element.bothNan || sameBytes)
    return;
  bool measurable = std::isfinite(element.distance);
  if (measurable)
    tally.worst = std::max(tally.worst, element.distance);
  double allowed = tolerance.bitwise ? 0.0 : tolerance.atol + tolerance.rtol * element.magnitude;
  if (!tolerance.bitwise && measurable && element.distance <= allowed) {
    ++tally.inexact;
    return;
  }
  ++tally.different;
  double excess = measurable ? element.distance - allowed : HUGE_VAL;
  if (excess > tally.worstExcess) {
    tally.worstExcess = excess;
    tally.worstElement = index;
  }
}

Tally compareElements(const HostTensor &expected, const HostTensor &got, const Tolerance &tolerance) {
  Tally tally;
  bool same = expected.data == got.data;
  if (same && classOf(expected.dtype) != DTypeClass::Float && classOf(expected.dtype) != DTypeClass::Complex)
    return tally;
  size_t size = sizeInBytes(expected.dtype);
  bool readable = computable(expected.dtype);
  for (size_t i = 0, n = expected.data.size() / size; i < n; ++i) {
    const std::byte *a = got.data.data() + i * size, *b = expected.data.data() + i * size;
    bool sameBytes = std::memcmp(a, b, size) == 0;
    Element element = readable ? measure(expected.dtype, a, b) : Element{sameBytes ? 0.0 : NAN, 0.0, false};
    count(tally, i, element, tolerance, sameBytes);
  }
  return tally;
}

std::string elementText(DType dtype, const std::byte *at) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!computable(dtype)) {
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
  Dims place(tensor.sizes.size());
  for (size_t dim = place.size(); dim-- > 0;) {
    auto size = static_cast<size_t>(tensor.sizes[dim]);
    place[dim] = static_cast<int64_t>(element % size);
    element /= size;
  }
  return dimsText(place);
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

/// Compares one rank's outputs.
class RankComparison {
public:
  RankComparison(size_t rank, const ComparedRuns &runs, const ComparisonRules &rules, Comparison &total)
      : rank_(rank), expected_(runs.expected[rank]), got_(runs.got[rank]), inputs_(runs.inputs[rank]), rules_(rules),
        total_(total) {}

  void compareAll() {
    std::set<std::string> names;
    for (const TensorMap *side : {&expected_, &got_})
      for (const auto &[name, tensor] : *side)
        if (llvm::StringRef(name).startswith("out.") || llvm::StringRef(name).startswith("after."))
          names.insert(name);
    for (const std::string &name : names)
      compareOne(name);
  }

private:
  /// What one side has under a name; an input that was not written is what went in.
  [[nodiscard]] const HostTensor *find(const TensorMap &side, const std::string &name) const {
    if (auto found = side.find(name); found != side.end())
      return &found->second;
    llvm::StringRef placeholder(name);
    if (!placeholder.consume_front("after."))
      return nullptr;
    auto input = inputs_.find(("in." + placeholder).str());
    return input == inputs_.end() ? nullptr : &input->second;
  }

  void differ(const std::string &name, std::string message) {
    total_.differences.push_back({rank_, name, std::move(message)});
  }

  void compareOne(const std::string &name) {
    const HostTensor *expected = find(expected_, name), *got = find(got_, name);
    ++total_.outputs;
    if (!expected)
      return differ(name, "is there, expected none");
    if (!got)
      return differ(name, "is missing, expected " + expected->typeText());
    if (expected->dtype != got->dtype || expected->sizes != got->sizes)
      return differ(name, "is " + got->typeText() + ", expected " + expected->typeText());
    auto rule = rules_.perOutput.find(name);
    const Tolerance &tolerance = rule == rules_.perOutput.end() ? rules_.otherwise : rule->second;
    Tally tally = compareElements(*expected, *got, tolerance);
    total_.elements += static_cast<size_t>(expected->numElements());
    total_.nans += tally.nans;
    total_.inexact += tally.inexact;
    if (tally.worst > total_.worst) {
      total_.worst = tally.worst;
      total_.worstRank = rank_;
      total_.worstOutput = name;
    }
    if (tally.different)
      differ(name, differenceText(*expected, *got, tally, tolerance));
  }

  size_t rank_;
  const TensorMap &expected_;
  const TensorMap &got_;
  const TensorMap &inputs_;
  const ComparisonRules &rules_;
  Comparison &total_;
};

} // namespace

Comparison compareRuns(const ComparedRuns &runs, const ComparisonRules &rules) {
  Comparison total;
  for (size_t rank = 0; rank < runs.expected.size(); ++rank)
    RankComparison(rank, runs, rules, total).compareAll();
  return total;
}

} // namespace ccgraph::runtime

#include "angles.h"

#include <cmath>

namespace ccgraph::equality {
namespace {

/// Returns how often a base fits into the angle, if that is an integer of at most `most`: a larger one may be found by
/// accident. `inverse`: that of the base.
std::optional<int64_t> timesOf(Word angle, Word inverse, uint64_t most) {
  const uint64_t times = toPlain(multiply(angle, inverse));
  if (times <= most)
    return static_cast<int64_t>(times);
  return modulus - times <= most ? std::optional(-static_cast<int64_t>(modulus - times)) : std::nullopt;
}
constexpr uint64_t mostTimes = uint64_t{1} << 24;

/// Fractions with a denominator of 2^8 5^4 have one base, so that frequencies of 1 and of 0.1 have one law.
constexpr int64_t denominator = 160000;
constexpr uint64_t mostNumerator = uint64_t{1} << 36;

Rotation product(const Rotation &a, const Rotation &b) {
  return {subtract(multiply(a.cosine, b.cosine), multiply(a.sine, b.sine)),
          add(multiply(a.cosine, b.sine), multiply(a.sine, b.cosine))};
}

/// Finds the bases of one array's elements.
class BaseFinder {
public:
  BaseFinder(Field &field, const Array &array)
      : field_(field), array_(array), strides_(Tensor(array).strides),
        fraction_(field.inverse(numberOfInteger(denominator))) {}

  [[nodiscard]] Angle angleAt(int64_t index) {
    const Word angle = array_[index];
    if (std::optional<Angle> known = field_.angles().find(angle))
      return *known;
    Angle found = search(angle, index);
    field_.angles().note(angle, found, array_.digits);
    return found;
  }

private:
  [[nodiscard]] Angle search(Word angle, int64_t index) {
    // Fewer digits do not tell multiples from other numbers.
    if (array_.digits < fullDigits)
      return {1, angle};
    if (std::optional<int64_t> numerator = timesOf(angle, numberOfInteger(denominator), mostNumerator))
      return {*numerator, fraction_};
    if (std::optional<Angle> multiple = field_.angles().multipleOfBase(angle))
      return *multiple;
    for (size_t dim = 0; dim != strides_.size(); ++dim)
      if (std::optional<Angle> multiple = multipleOfStep(angle, index, dim))
        return *multiple;
    return {1, angle};
  }

  /// Returns the angle as a multiple of the step to the next or the last element of a dimension.
  [[nodiscard]] std::optional<Angle> multipleOfStep(Word angle, int64_t index, size_t dim) {
    const int64_t size = array_.sizes[dim], stride = strides_[dim];
    if (size < 2)
      return std::nullopt;
    const bool isLast = index / stride % size == size - 1;
    const Word neighbour = array_[isLast ? index - stride : index + stride];
    const Word step = isLast ? subtract(angle, neighbour) : subtract(neighbour, angle);
    // An inverse of a multiple of p would count as a gap of the evaluation.
    if (isMark(step) || primePower(step) != 0)
      return std::nullopt;
    const Word inverse = field_.inverse(step);
    std::optional<int64_t> times = timesOf(angle, inverse, mostTimes);
    if (!times)
      return std::nullopt;
    field_.angles().addBase(step, inverse);
    return Angle{*times, step};
  }

  Field &field_;
  const Array &array_;
  IntList strides_;
  Word fraction_;
};

} // namespace

std::optional<Angle> AngleTable::find(Word angle) const {
  auto known = known_.find(angle);
  return known == known_.end() ? std::nullopt : std::optional(known->second);
}

std::optional<Angle> AngleTable::multipleOfBase(Word angle) const {
  for (const auto &[base, inverse] : bases_)
    if (std::optional<int64_t> times = timesOf(angle, inverse, mostTimes))
      return Angle{*times, base};
  return std::nullopt;
}

void AngleTable::note(Word angle, const Angle &found, unsigned digits) {
  for (unsigned known = digits; known != 0; --known)
    known_.try_emplace(truncate(angle, known), Angle{found.times, truncate(found.base, known)});
}

void AngleTable::addBase(Word base, Word inverse) {
  constexpr size_t mostBases = 1024;
  if (bases_.size() != mostBases)
    bases_.emplace_back(base, inverse);
}

Rotation rotationBy(Field &field, const Angle &angle) {
  const Word one = fromPlain(1);
  const uint64_t key = hashText("tangent of half an angle");
  const Word t = subtract(field.random(key, angle.base), field.random(key, negate(angle.base)));
  const Word square = multiply(t, t), inverse = field.inverse(add(one, square));
  Rotation power{multiply(subtract(one, square), inverse), multiply(add(t, t), inverse)};
  if (angle.times < 0)
    power.sine = negate(power.sine);
  Rotation result{one, 0};
  for (auto times = static_cast<uint64_t>(std::abs(angle.times)); times != 0; times >>= 1) {
    if ((times & 1) != 0)
      result = product(result, power);
    power = product(power, power);
  }
  return result;
}

std::vector<Rotation> rotationsBy(Field &field, const Array &angles) {
  std::vector<Rotation> rotations;
  rotations.reserve(angles.words->size());
  BaseFinder finder(field, angles);
  for (int64_t i = 0; i != angles.count(); ++i)
    rotations.push_back(isMark(angles[i]) ? Rotation{notANumber, notANumber} : rotationBy(field, finder.angleAt(i)));
  return rotations;
}

} // namespace ccgraph::equality

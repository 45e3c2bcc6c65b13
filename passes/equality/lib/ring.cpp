#include "ring.h"

#include <cmath>

namespace ccgraph::equality {
namespace {

/// The order of the group of units.
constexpr uint64_t unitOrder = prime * prime * (prime - 1);

bool isUnit(Word number) { return toPlain(number) % prime != 0; }

/// Returns a^-1 for a unit.
Word invert(Word a) { return powerOf(a, unitOrder - 1); }

/// A fraction of two integers.
struct Fraction {
  uint64_t above = 0;
  uint64_t below = 1;
};

/// How close a fraction must be to a number, and how large its denominator may be.
struct FractionLimit {
  double most = 0;
  double relativeError = 0;
};
/// Half a unit in the last place; few doubles that are no fractions have a denominator below 2^22.
constexpr FractionLimit literalLimit{4194304, 0x1p-53};
/// Of a square or a fourth power, which is rounded up to four times; the numerator has the same limit.
constexpr FractionLimit powerLimit{65536, 0x1p-50};

/// Returns the simplest fraction within the limit of a positive number, by its continued fraction.
std::optional<Fraction> simplestFraction(double value, const FractionLimit &limit) {
  const double most = limit.most, tolerance = value * limit.relativeError;
  double rest = value;
  Fraction last{1, 0}, now{static_cast<uint64_t>(value), 1};
  for (int i = 0; i < 40; ++i) {
    if (std::fabs(static_cast<double>(now.above) / static_cast<double>(now.below) - value) <= tolerance)
      return now;
    double part = rest - std::floor(rest);
    if (part < 1e-13)
      return std::nullopt;
    rest = 1 / part;
    double whole = std::floor(rest);
    if (whole * static_cast<double>(now.below) + static_cast<double>(last.below) > most ||
        whole * static_cast<double>(now.above) > 4e18)
      return std::nullopt;
    auto step = static_cast<uint64_t>(whole);
    Fraction next{step * now.above + last.above, step * now.below + last.below};
    last = now;
    now = next;
  }
  return std::nullopt;
}

/// Returns mantissa * 2^exponent.
Word binaryFraction(double value) {
  int exponent = 0;
  double mantissa = std::frexp(value, &exponent);
  Word number = numberOfInteger(static_cast<int64_t>(std::ldexp(mantissa, 53)));
  exponent -= 53;
  Word scale = powerOf(numberOfInteger(2), static_cast<uint64_t>(std::abs(exponent)));
  return multiplyNumbers(number, exponent < 0 ? invert(scale) : scale);
}

/// Returns the number of a fraction; empty if its denominator is a multiple of p.
std::optional<Word> numberOfFraction(const std::optional<Fraction> &fraction) {
  if (!fraction || fraction->below % prime == 0)
    return std::nullopt;
  return multiplyNumbers(numberOfInteger(static_cast<int64_t>(fraction->above)),
                         invert(numberOfInteger(static_cast<int64_t>(fraction->below))));
}

/// sqrt(u) = u^rootExponent for units. It is odd, so that sqrt(-u) is -sqrt(u).
constexpr uint64_t halfExponent = (unitOrder / 2 + 1) / 2;
constexpr uint64_t rootExponent = halfExponent % 2 == 1 ? halfExponent : halfExponent + unitOrder / 2;

/// Returns a square root whose square is the number, and which has such a root as well; empty if there is none.
std::optional<Word> exactRoot(Word number) {
  if (!isUnit(number))
    return std::nullopt;
  const Word root = powerOf(number, rootExponent);
  return multiplyNumbers(root, root) == number ? std::optional(root) : std::nullopt;
}

/// Returns the number of a power of a literal if it is a fraction of two small integers; empty for any other.
std::optional<Word> numberOfPower(double power) {
  if (power > powerLimit.most || power < 1 / powerLimit.most)
    return std::nullopt;
  std::optional<Fraction> fraction = simplestFraction(power, powerLimit);
  const bool isSmall = fraction && static_cast<double>(fraction->above) <= powerLimit.most;
  return isSmall ? numberOfFraction(fraction) : std::nullopt;
}

/// Returns the number whose square or fourth power is a simple fraction; empty if there is none.
std::optional<Word> rootOfFraction(double value) {
  const double square = value * value;
  if (std::optional<Word> number = numberOfPower(square))
    return exactRoot(*number);
  std::optional<Word> root;
  if (std::optional<Word> number = numberOfPower(square * square))
    root = exactRoot(*number);
  return root ? exactRoot(*root) : std::nullopt;
}

Word numberOfPositive(double value) {
  constexpr double mostExact = 4503599627370496; // 2^52
  if (value >= mostExact)
    return binaryFraction(value);
  if (std::optional<Word> number = numberOfFraction(simplestFraction(value, literalLimit)))
    return *number;
  if (std::optional<Word> root = rootOfFraction(value))
    return *root;
  return binaryFraction(value);
}

} // namespace

Word powerOf(Word number, uint64_t exponent) {
  Word result = fromPlain(1);
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0)
      result = multiplyNumbers(result, number);
    number = multiplyNumbers(number, number);
  }
  return result;
}

Word numberOfInteger(int64_t value) {
  uint64_t size = value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
  Word number = fromPlain(size % modulus);
  return value < 0 ? negateNumber(number) : number;
}

Word numberOfReal(double value) {
  if (std::isnan(value))
    return notANumber;
  if (std::isinf(value))
    return value < 0 ? negativeInfinity : positiveInfinity;
  if (value == 0)
    return 0;
  return value < 0 ? negateNumber(numberOfPositive(-value)) : numberOfPositive(value);
}

std::optional<int64_t> integerOf(Word number) {
  constexpr uint64_t most = uint64_t{1} << 32;
  if (isMark(number))
    return std::nullopt;
  uint64_t plain = toPlain(number);
  if (plain < most)
    return static_cast<int64_t>(plain);
  if (modulus - plain < most)
    return -static_cast<int64_t>(modulus - plain);
  return std::nullopt;
}

static bool isLimit(Word word) { return word == lowestNumber || word == highestNumber; }

/// Returns the sum of two marks. Two lowest numbers overflow, and an infinity absorbs a finite number.
static Word addMarks(Word a, Word b) {
  if (isLimit(a) && isLimit(b))
    return a != b ? 0 : a == lowestNumber ? negativeInfinity : positiveInfinity;
  if (isLimit(a) || isLimit(b))
    return isLimit(a) ? b : a;
  return a == b ? a : notANumber;
}

Word add(Word a, Word b) {
  if (!isMark(a | b))
    return addNumbers(a, b);
  if (!isMark(a))
    return b;
  return isMark(b) ? addMarks(a, b) : a;
}

Word multiply(Word a, Word b) { return isMark(a | b) ? notANumber : multiplyNumbers(a, b); }

Word negate(Word a) {
  if (!isMark(a))
    return negateNumber(a);
  if (isLimit(a))
    return a == lowestNumber ? highestNumber : lowestNumber;
  return a == notANumber ? a : a == negativeInfinity ? positiveInfinity : negativeInfinity;
}

uint64_t modulusOf(unsigned digits) {
  constexpr uint64_t powers[] = {1, prime, prime * prime, modulus};
  return powers[digits];
}

unsigned primePower(Word word) {
  unsigned power = 0;
  while (!isMark(word) && power != fullDigits && toPlain(word) % modulusOf(power + 1) == 0)
    ++power;
  return power;
}

Word truncate(Word word, unsigned digits) {
  return digits >= fullDigits || isMark(word) ? word : fromPlain(toPlain(word) % modulusOf(digits));
}

static uint64_t orderKeyOfMark(Word mark) {
  if (mark == negativeInfinity || mark == lowestNumber)
    return mark == lowestNumber ? 1 : 0;
  return modulus + (mark == notANumber ? 4 : mark == positiveInfinity ? 3 : 2);
}

uint64_t orderKey(Word word) {
  if (isMark(word))
    return orderKeyOfMark(word);
  constexpr uint64_t half = (prime - 1) / 2;
  constexpr uint64_t middle = half * (1 + prime + prime * prime);
  uint64_t shifted = (toPlain(word) + middle) % modulus;
  return 2 + shifted % prime * prime * prime + shifted / prime % prime * prime + shifted / prime / prime;
}

// The finalizer of splitmix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014).
uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t z = a * 0x9e3779b97f4a7c15 + b + 0x632be59bd9b4e019;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// FNV-1a, so that texts have equal hashes in every run.
uint64_t hashText(llvm::StringRef text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

Word Field::fillGap(uint64_t key, Word a) {
  ++gaps_;
  return random(key, a);
}

Word Field::inverse(Word a) {
  if (a == 0)
    return notANumber;
  if (isMark(a))
    return a == notANumber ? a : 0;
  return isUnit(a) ? invert(a) : fillGap(hashText("inverse"), a);
}

// (1 + p)^x = 1 + x p + x (x - 1) / 2 p^2 modulo p^3.
Word Field::exponential(Word a) {
  if (isMark(a))
    return a == negativeInfinity || a == lowestNumber ? 0 : a == highestNumber ? positiveInfinity : a;
  const Word one = fromPlain(1), p = fromPlain(prime);
  Word pairs = multiplyNumbers(multiplyNumbers(a, addNumbers(a, negateNumber(one))), fromPlain((modulus + 1) / 2));
  Word tail = addNumbers(a, multiplyNumbers(p, pairs));
  return addNumbers(one, multiplyNumbers(p, tail));
}

// u^(p-1) = 1 + p y, and log(1 + p y) / p = y - p y^2 / 2 modulo p^2. For u = 1 + p this is (p - 1) (1 - p / 2).
Word Field::logarithm(Word a, unsigned mostPower) {
  if (a == 0)
    return negativeInfinity;
  if (isMark(a))
    return isLimit(a) ? notANumber : a;
  const unsigned factors = primePower(a);
  if (factors > mostPower)
    return fillGap(hashText("log"), a);
  a = fromPlain(toPlain(a) / modulusOf(factors));
  const uint64_t power = toPlain(powerOf(a, prime - 1));
  const Word half = fromPlain((modulus + 1) / 2), p = fromPlain(prime), one = fromPlain(1);
  Word y = fromPlain((power - 1) / prime);
  Word above = addNumbers(y, negateNumber(multiplyNumbers(multiplyNumbers(p, half), multiplyNumbers(y, y))));
  Word below = multiplyNumbers(fromPlain(prime - 1), addNumbers(one, negateNumber(multiplyNumbers(p, half))));
  return multiplyNumbers(above, invert(below));
}

Word Field::rootOfUnity(Word a, unsigned mostPower) {
  const unsigned power = primePower(a);
  if (isMark(a) || power > mostPower)
    return fromPlain(1);
  const Word unit = fromPlain(toPlain(a) / modulusOf(power));
  return multiplyNumbers(fromPlain(modulusOf(power)), powerOf(unit, prime * prime));
}

Word Field::root(Word a) {
  if (a == 0)
    return 0;
  if (isMark(a))
    return a == positiveInfinity ? a : notANumber;
  if (isUnit(a))
    return powerOf(a, rootExponent);
  const uint64_t plain = toPlain(a);
  if (plain % modulusOf(2) == 0)
    return multiply(fromPlain(prime), powerOf(fromPlain(plain / modulusOf(2)), rootExponent));
  return fillGap(hashText("sqrt"), a);
}

unsigned rootDigits(llvm::ArrayRef<Word> words, unsigned digits) {
  for (Word word : words)
    if (!isMark(word) && word != 0 && toPlain(word) % modulusOf(2) == 0)
      digits = std::min(digits, 2U);
  // A single 0 of which not all digits are known may be a multiple of p^2, such as the norm of multiples of p.
  return words.size() == 1 && words.front() == 0 && digits < fullDigits ? 1 : digits;
}

Word Field::square(Word a) const {
  auto known = squares_.find(a);
  return known == squares_.end() ? multiply(a, a) : known->second;
}

Word Field::random(uint64_t key, Word a) const {
  if (isMark(a))
    return notANumber;
  uint64_t plain = toPlain(a);
  uint64_t place = 1, sum = 0;
  for (unsigned digit = 1; digit <= fullDigits; ++digit, place *= prime)
    if (uint64_t known = plain % modulusOf(digit); known != 0)
      sum += mix(mix(seed_, key + digit), known) % prime * place;
  return fromPlain(sum);
}

Word Field::draw(uint64_t key) const { return fromPlain(mix(seed_, key) % modulus); }

} // namespace ccgraph::equality

// Ring: the numbers in which two steps are compared, integers modulo p^3 for one prime p.
//
// Floating-point tensors are evaluated as elements of Z/p^3, the first three digits of a p-adic integer, p = 1045799.
// Addition and multiplication are exact, so sums may be reordered and products may be distributed freely. The primes up
// to 13 are squares modulo p and -1 is none, so numbers that have no other prime factors have square roots, and these
// have square roots again. The other functions are chosen so that the identities that rewrites use hold exactly:
//   exp(x) = (1 + p)^x            exp(a + b) = exp(a) exp(b), exp(0) = 1. Modulo p^(d+1) it depends on x modulo p^d.
//   log(u) = L(u) / L(1 + p)      for units u, with L(u) = log(u^(p-1)) / (p - 1), the p-adic logarithm that is 0 on
//                                 the roots of unity (Iwasawa). log(uv) = log(u) + log(v), log(exp(x)) = x. It needs u
//                                 modulo p^(d+1) for d digits. exp(log(u)) is u divided by its root of unity, u^(p^2)
//                                 (Teichmueller). An array of logarithms keeps these roots (Array::unity); sums of
//                                 logarithms multiply them, and exp multiplies by them. The logarithm of p^k u is that
//                                 of u, of which k digits fewer are known, and p^k stays with the root of unity.
//   sqrt(u) = u^m                 with 2m = 1 + (p^3 - p^2) / 2 modulo p^3 - p^2 and odd m. It is multiplicative,
//                                 sqrt(-u) = -sqrt(u), and sqrt(u)^2 is u or -u, because (p^3 - p^2) / 2 is odd.
//                                 Field::square returns u for every root that was made. Of p^2 u it is p sqrt(u), of
//                                 which two digits are known; a norm of multiples of p has it. There are only p such
//                                 numbers, so that other numbers equal a root by accident; Squares (map.h) tells them
//                                 apart.
//   cos(x), sin(x)                a pseudo-random point of the circle c^2 + s^2 = 1 that obeys the addition theorems
//                                 (angles.h).
//   any other function            digit i of the result is a pseudo-random function of x modulo p^(i+1).
// Sources: N. Koblitz, p-adic Numbers, p-adic Analysis, and Zeta-Functions, IV.1 (exp and log); J.T. Schwartz, J.ACM 27
// (1980) and R. Zippel (1979) (identity by evaluation); Mirage (OSDI 2025) evaluates exp in a second field, which
// allows one exp along a path.
//
// Every function above maps arguments that are equal modulo p^d to results that are equal modulo p^d (log: p^(d-1)). So
// an array states how many digits are known (Array::digits), and two forms of one value agree in the digits that both
// know. log loses a digit and exp regains it; a product with multiples of p has one more than the other factor.
//
// Infinities and NaN are marks outside the ring: exp(-inf) = 0, -inf + x = -inf, and any undefined operation is NaN.
// The lowest number of a dtype that a mask fills in is a mark as well: exp(lowest) = 0 and lowest + x = lowest, as a
// sum of floats absorbs x, but lowest - lowest = 0.
//
// Error: two different values are taken for equal if their difference vanishes by accident. A nonzero polynomial of
// degree n in inputs drawn from Z/p vanishes with a probability of at most n / p. exp moves a difference to the next
// digit, so one that reaches an output only through three exponentials, each an argument of the next, is not seen; with
// a residual connection there is always a shorter way. The opposite error needs a division by a multiple of p, for
// which no inverse exists; Field counts these, and such an evaluation proves no difference.
//
// Ownership: plain numbers; a Field owns its table of roots. Failure: none; a number has every function. Cost: a
// product takes about 2 ns, an inverse, a root or a logarithm about 150 ns (one power).
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ccgraph::equality {

/// An element of a tensor: a number of the ring (in Montgomery form), a mark, an integer, or 0 and 1 for a bool.
using Word = uint64_t;

inline constexpr uint64_t prime = 1045799;
inline constexpr uint64_t modulus = prime * prime * prime;
/// digits of a number
inline constexpr unsigned fullDigits = 3;

inline constexpr Word lowestNumber = ~Word{0} - 4;
/// -lowestNumber
inline constexpr Word highestNumber = ~Word{0} - 3;
inline constexpr Word negativeInfinity = ~Word{0} - 2;
inline constexpr Word positiveInfinity = ~Word{0} - 1;
inline constexpr Word notANumber = ~Word{0};
/// Returns true for a mark.
[[nodiscard]] constexpr bool isMark(Word word) { return (word >> 63) != 0; }

namespace detail {
__extension__ using Wide = unsigned __int128;
/// Returns -1 / modulus modulo 2^64, by Newton's iteration.
constexpr uint64_t negatedInverse() {
  uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i)
    inverse *= 2 - modulus * inverse;
  return ~inverse + 1;
}
inline constexpr uint64_t minusInverse = negatedInverse();
constexpr uint64_t squaredRadix() {
  Wide radix = (Wide{1} << 64) % modulus;
  return static_cast<uint64_t>(radix * radix % modulus);
}
inline constexpr uint64_t radixSquared = squaredRadix();
} // namespace detail

/// Montgomery reduction: wide / 2^64 modulo the modulus, for wide < modulus * 2^64.
[[nodiscard]] constexpr Word reduce(detail::Wide wide) {
  uint64_t factor = static_cast<uint64_t>(wide) * detail::minusInverse;
  auto high = static_cast<uint64_t>((wide + detail::Wide{factor} * modulus) >> 64);
  return high >= modulus ? high - modulus : high;
}
/// So many products of numbers may be added before reduce().
inline constexpr unsigned mostProducts = 16;

// Arithmetic of numbers; marks are not accepted.
[[nodiscard]] constexpr Word multiplyNumbers(Word a, Word b) { return reduce(detail::Wide{a} * b); }
[[nodiscard]] constexpr Word addNumbers(Word a, Word b) {
  Word sum = a + b;
  return sum >= modulus ? sum - modulus : sum;
}
[[nodiscard]] constexpr Word negateNumber(Word a) { return a == 0 ? 0 : modulus - a; }
/// Converts an integer below the modulus to a number, and back.
[[nodiscard]] constexpr Word fromPlain(uint64_t plain) { return reduce(detail::Wide{plain} * detail::radixSquared); }
[[nodiscard]] constexpr uint64_t toPlain(Word number) { return reduce(number); }
[[nodiscard]] Word powerOf(Word number, uint64_t exponent);

/// Returns the number of any integer.
[[nodiscard]] Word numberOfInteger(int64_t value);
/// Returns the number of a literal: of the simplest fraction that is closer to it than half a unit in the last place,
/// so that 0.1 is 1/10 and 0.3333333333333333 is 1/3; else the square or fourth root of a simple fraction if the ring
/// has it, so that 0.35355339059327373 is 1 / sqrt(8) and its square 1/8; else of the exact binary fraction. A mark for
/// an infinity or NaN.
[[nodiscard]] Word numberOfReal(double value);
/// Returns the integer that the number is, if its absolute value is below 2^32; empty for any other number.
[[nodiscard]] std::optional<int64_t> integerOf(Word number);

// Arithmetic with marks.
[[nodiscard]] Word add(Word a, Word b);
[[nodiscard]] Word multiply(Word a, Word b);
[[nodiscard]] Word negate(Word a);
[[nodiscard]] inline Word subtract(Word a, Word b) { return add(a, negate(b)); }

/// p^digits.
[[nodiscard]] uint64_t modulusOf(unsigned digits);
/// Returns how often p divides a number; fullDigits for 0, and 0 for a mark.
[[nodiscard]] unsigned primePower(Word word);
/// Returns the number whose unknown digits are 0; marks stay.
[[nodiscard]] Word truncate(Word word, unsigned digits);

/// Returns a key that orders words totally, so that maxima are associative: by the first digit, which counts from
/// -(p-1)/2 to (p-1)/2, then by the next ones. 0 is in the middle; -inf and the lowest number are below, the highest
/// number and inf above all other numbers.
[[nodiscard]] uint64_t orderKey(Word word);

/// Mixes two words.
[[nodiscard]] uint64_t mix(uint64_t a, uint64_t b);
[[nodiscard]] uint64_t hashText(llvm::StringRef text);

/// `times` times `base`.
struct Angle {
  int64_t times = 1;
  Word base = 0;
};

/// The angles of which cosines and sines were taken; an angle keeps what was noted first.
class AngleTable {
public:
  [[nodiscard]] std::optional<Angle> find(Word angle) const;
  /// Returns the angle as a multiple of a base that was added.
  [[nodiscard]] std::optional<Angle> multipleOfBase(Word angle) const;
  /// `digits`: how many are known of the angle. It is noted with fewer digits too.
  void note(Word angle, const Angle &found, unsigned digits);
  void addBase(Word base, Word inverse);

private:
  llvm::DenseMap<Word, Angle> known_;
  /// with their inverses
  std::vector<std::pair<Word, Word>> bases_;
};

/// The functions of one evaluation, which `seed` chooses.
class Field {
public:
  explicit Field(uint64_t seed) : seed_(seed) {}
  [[nodiscard]] uint64_t seed() const { return seed_; }

  [[nodiscard]] Word inverse(Word a);
  [[nodiscard]] Word divide(Word a, Word b) { return multiply(a, inverse(b)); }
  [[nodiscard]] static Word exponential(Word a);
  /// Returns log(u) of p^k u for k up to `mostPower`.
  [[nodiscard]] Word logarithm(Word a, unsigned mostPower = 0);
  /// Returns what exp(log(p^k u)) must be multiplied by to be p^k u: p^k times the root of unity that is congruent to u
  /// modulo p. 1 for a mark, 0 and a number with more than `mostPower` factors p.
  [[nodiscard]] static Word rootOfUnity(Word a, unsigned mostPower = 0);
  [[nodiscard]] Word root(Word a);
  /// Notes that `root` is a square root of `of`.
  void noteRoot(Word root, Word of) { squares_.try_emplace(root, of); }
  [[nodiscard]] Word square(Word a) const;
  [[nodiscard]] bool isRoot(Word a) const { return squares_.count(a) != 0; }
  [[nodiscard]] AngleTable &angles() { return angles_; }
  /// A pseudo-random function; `key` names it.
  [[nodiscard]] Word random(uint64_t key, Word a) const;
  /// A pseudo-random number; equal keys give equal numbers.
  [[nodiscard]] Word draw(uint64_t key) const;

  /// The number of operations for which the ring has no result: an inverse, a root or a logarithm of a multiple of p
  /// that is not 0. They give pseudo-random numbers.
  [[nodiscard]] uint64_t numGaps() const { return gaps_; }

private:
  [[nodiscard]] Word fillGap(uint64_t key, Word a);
  uint64_t seed_;
  uint64_t gaps_ = 0;
  llvm::DenseMap<Word, Word> squares_;
  AngleTable angles_;
};

/// Returns how many digits are known of the roots of numbers of which `digits` are known.
[[nodiscard]] unsigned rootDigits(llvm::ArrayRef<Word> words, unsigned digits);

} // namespace ccgraph::equality

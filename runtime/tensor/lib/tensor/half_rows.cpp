#include "tensor/half_rows.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace ccgraph::runtime {
namespace {

float widened(Half half) { return floatFromHalf(half.bits); }
float widened(BFloat16 brain) { return llvm::bit_cast<float>(static_cast<uint32_t>(brain.bits) << 16); }
void narrowInto(Half &half, float value) { half.bits = halfFromFloat(value); }
void narrowInto(BFloat16 &brain, float value) { brain.bits = bfloat16FromFloat(value); }

template <typename E>
void widenPlainly(const E *from, float *to, size_t count) {
  for (size_t i = 0; i < count; ++i)
    to[i] = widened(from[i]);
}

template <typename E>
void narrowPlainly(const float *from, E *to, size_t count) {
  for (size_t i = 0; i < count; ++i)
    narrowInto(to[i], from[i]);
}

template <bool halved, typename E>
void addPlainly(const E *a, const E *b, E *to, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    narrowInto(to[i], widened(a[i]) + widened(b[i]));
    if constexpr (halved)
      narrowInto(to[i], widened(to[i]) / 2);
  }
}

#if defined(__x86_64__)
#define CCGRAPH_WIDE __attribute__((target("avx2,f16c")))

// The library must run on machines without these instructions, so they are detected, and used in these functions alone.
// Clang 14 does not accept "f16c" in __builtin_cpu_supports; a system that saves the registers of AVX2 saves those of
// F16C.
bool hasWide() {
  static const bool has = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __builtin_cpu_supports("avx2") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0;
  }();
  return has;
}

template <typename E>
__m128i load(const E *from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from));
}
template <typename E>
void store(E *to, __m128i eight) {
  _mm_storeu_si128(reinterpret_cast<__m128i *>(to), eight);
}

CCGRAPH_WIDE __m256 floatsOf(Half, __m128i eight) { return _mm256_cvtph_ps(eight); }
CCGRAPH_WIDE __m128i halvesOf(Half, __m256 floats) { return _mm256_cvtps_ph(floats, _MM_FROUND_TO_NEAREST_INT); }

/// A bf16 is the upper half of a float.
CCGRAPH_WIDE __m256 floatsOf(BFloat16, __m128i eight) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(eight), 16));
}
/// bfloat16FromFloat() of eight numbers.
CCGRAPH_WIDE __m128i halvesOf(BFloat16, __m256 floats) {
  __m256i bits = _mm256_castps_si256(floats);
  __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff))), 16);
  __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(floats, floats, _CMP_UNORD_Q));
  __m256i wide = _mm256_blendv_epi8(rounded, _mm256_set1_epi32(0x7fc0), nan);
  return _mm_packus_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
}

template <typename E>
CCGRAPH_WIDE void widenByEight(const E *from, float *to, size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(to + i, floatsOf(E(), load(from + i)));
  widenPlainly(from + i, to + i, count - i);
}

template <typename E>
CCGRAPH_WIDE void narrowByEight(const float *from, E *to, size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    store(to + i, halvesOf(E(), _mm256_loadu_ps(from + i)));
  narrowPlainly(from + i, to + i, count - i);
}

template <bool halved, typename E>
CCGRAPH_WIDE void addByEight(const E *a, const E *b, E *to, size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    __m128i sum = halvesOf(E(), _mm256_add_ps(floatsOf(E(), load(a + i)), floatsOf(E(), load(b + i))));
    if constexpr (halved)
      sum = halvesOf(E(), _mm256_mul_ps(floatsOf(E(), sum), _mm256_set1_ps(0.5F)));
    store(to + i, sum);
  }
  addPlainly<halved>(a + i, b + i, to + i, count - i);
}

#endif

template <typename E>
void widen(const E *from, float *to, size_t count) {
#if defined(__x86_64__)
  if (hasWide())
    return widenByEight(from, to, count);
#endif
  widenPlainly(from, to, count);
}

template <typename E>
void narrow(const float *from, E *to, size_t count) {
#if defined(__x86_64__)
  if (hasWide())
    return narrowByEight(from, to, count);
#endif
  narrowPlainly(from, to, count);
}

template <bool halved, typename E>
void add(const E *a, const E *b, E *to, size_t count) {
#if defined(__x86_64__)
  if (hasWide())
    return addByEight<halved>(a, b, to, count);
#endif
  addPlainly<halved>(a, b, to, count);
}

} // namespace

void floatsFromHalves(const Half *from, float *to, size_t count) { widen(from, to, count); }
void halvesFromFloats(const float *from, Half *to, size_t count) { narrow(from, to, count); }
void floatsFromHalves(const BFloat16 *from, float *to, size_t count) { widen(from, to, count); }
void halvesFromFloats(const float *from, BFloat16 *to, size_t count) { narrow(from, to, count); }

void addHalves(const Half *a, const Half *b, Half *to, size_t count) { add<false>(a, b, to, count); }
void addHalves(const BFloat16 *a, const BFloat16 *b, BFloat16 *to, size_t count) { add<false>(a, b, to, count); }
void averageHalves(const Half *a, const Half *b, Half *to, size_t count) { add<true>(a, b, to, count); }
void averageHalves(const BFloat16 *a, const BFloat16 *b, BFloat16 *to, size_t count) { add<true>(a, b, to, count); }

} // namespace ccgraph::runtime

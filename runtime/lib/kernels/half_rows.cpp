#include "kernels/half_rows.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ccgraph::runtime {
namespace {

void widenPlainly(const Half *from, float *to, size_t count) {
  for (size_t i = 0; i < count; ++i)
    to[i] = floatFromHalf(from[i].bits);
}

void narrowPlainly(const float *from, Half *to, size_t count) {
  for (size_t i = 0; i < count; ++i)
    to[i].bits = halfFromFloat(from[i]);
}

#if defined(__x86_64__)

// Because the library must run where these instructions are not, they are asked for, and used in these functions alone.
bool hasF16C() {
  static const bool has = __builtin_cpu_supports("avx") && __builtin_cpu_supports("f16c");
  return has;
}

__attribute__((target("avx,f16c"))) void widenByEight(const Half *from, float *to, size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(from + i))));
  widenPlainly(from + i, to + i, count - i);
}

__attribute__((target("avx,f16c"))) void narrowByEight(const float *from, Half *to, size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  narrowPlainly(from + i, to + i, count - i);
}

#endif

} // namespace

void floatsFromHalves(const Half *from, float *to, size_t count) {
#if defined(__x86_64__)
  if (hasF16C())
    return widenByEight(from, to, count);
#endif
  widenPlainly(from, to, count);
}

void halvesFromFloats(const float *from, Half *to, size_t count) {
#if defined(__x86_64__)
  if (hasF16C())
    return narrowByEight(from, to, count);
#endif
  narrowPlainly(from, to, count);
}

} // namespace ccgraph::runtime

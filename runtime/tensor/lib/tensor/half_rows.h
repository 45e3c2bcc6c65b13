// Half rows: rows of f16 and bf16 as f32 and back, in the processor's wide instructions where it has such.
//
// Values are those of element_types.h, one at a time, but for the bits of a NaN.
//
// Plain functions; `from` and `to` do not overlap. Nothing here fails. Cost: with AVX2 and F16C (2013 on) a few
// instructions for eight numbers, else some twenty for four.
#pragma once

#include "tensor/element_types.h"

#include <cstddef>

namespace ccgraph::runtime {

void floatsFromHalves(const Half *from, float *to, size_t count);
/// Rounds to the nearest, ties to even.
void halvesFromFloats(const float *from, Half *to, size_t count);

void floatsFromHalves(const BFloat16 *from, float *to, size_t count);
void halvesFromFloats(const float *from, BFloat16 *to, size_t count);

/// a + b, added in f32 and rounded.
void addHalves(const Half *a, const Half *b, Half *to, size_t count);
void addHalves(const BFloat16 *a, const BFloat16 *b, BFloat16 *to, size_t count);
/// The same sum, halved, and rounded once more.
void averageHalves(const Half *a, const Half *b, Half *to, size_t count);
void averageHalves(const BFloat16 *a, const BFloat16 *b, BFloat16 *to, size_t count);

} // namespace ccgraph::runtime

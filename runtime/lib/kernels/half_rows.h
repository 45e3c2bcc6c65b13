// Half rows: rows of f16 as f32 and back, in the processor's own instructions where it has such.
//
// Values are those of element_types.h, one at a time, but for the bits of a NaN.
//
// Plain functions; `from` and `to` do not overlap. Nothing here fails. Cost: with F16C (2012 on) an instruction for eight
// numbers, else some twenty for four.
#pragma once

#include "kernels/element_types.h"

#include <cstddef>

namespace ccgraph::runtime {

void floatsFromHalves(const Half *from, float *to, size_t count);
/// To the nearest, ties to even.
void halvesFromFloats(const float *from, Half *to, size_t count);

} // namespace ccgraph::runtime

#include "models/float8.h"

#include "ccgraph/tracer/ops.h"

namespace ccgraph::models {

using namespace tracer; // NOLINT(google-build-using-namespace): models are written in its words

namespace {

double largestNumber(DType dtype) { return dtype == DType::F8E5M2 ? 57344 : 448; }

/// For a tensor of zeros the scale is finite too.
constexpr double leastMagnitude = 1e-12;

} // namespace

Tensor largestMagnitude(const Tensor &tensor) { return amax(abs(tensor)); }

Float8 toFloat8(const Tensor &tensor, const Tensor &largest, DType dtype) {
  const double limit = largestNumber(dtype);
  Tensor scale = to(limit / clamp(to(largest, DType::F64), leastMagnitude), DType::F32);
  Tensor scaled = to(tensor, DType::F32) * scale;
  return {to(clamp(scaled, -limit, limit), dtype), reciprocal(scale)};
}

Float8 transposed(const Float8 &matrix) { return {contiguous(t(matrix.numbers)), matrix.inverse}; }

Tensor productWithTransposed(const Float8 &a, const Float8 &b, ProductForm form) {
  return call("aten._scaled_mm.default", {a.numbers, t(b.numbers), a.inverse, b.inverse, Tensor(), Tensor(), form.dtype,
                                          Number(form.fastAccumulation)});
}

} // namespace ccgraph::models

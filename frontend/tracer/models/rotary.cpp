#include "models/blocks.h"

#include "ccgraph/tracer/ops.h"

#include <cmath>

namespace ccgraph::models {

using namespace tracer; // NOLINT(google-build-using-namespace): models are written in its words

// Pair i is rotated by position / theta^(2 i / features).
RotaryTable rotaryTable(const Layout &layout, int64_t sequence, int64_t features, double theta) {
  ModuleScope module("rotary");
  const std::string &device = layout.device();
  Tensor rates = exp(arange(features / 2, DType::F32, device) * (-2 * std::log(theta) / static_cast<double>(features)));
  Tensor positions = layout.rowsOfOwnPieces(arange(sequence * layout.contextRanks(), DType::F32, device));
  Tensor angles = unsqueeze(positions, 1) * rates;
  Tensor ofAllHeads = unsqueeze(angles, 1);
  return {cos(ofAllHeads), sin(ofAllHeads)};
}

Tensor rotated(const Tensor &input, const RotaryTable &table) {
  TensorList halves = chunk(to(input, DType::F32), 2, -1);
  // Each call has a line of its own, because the compiler may choose any order of calls within one expression.
  Tensor firstCos = halves[0] * table.cos;
  Tensor secondSin = halves[1] * table.sin;
  Tensor secondCos = halves[1] * table.cos;
  Tensor firstSin = halves[0] * table.sin;
  Tensor first = firstCos - secondSin;
  Tensor second = secondCos + firstSin;
  return to(cat({first, second}, -1), input.dtype());
}

} // namespace ccgraph::models

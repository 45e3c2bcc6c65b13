// Reduction: a reduction that is being differentiated, and how a tensor like its result is brought back to the operand's sizes.
//
// Ownership: plain values. Failure: GradientCall's, where sizes are no numbers. Cost: linear in the rank.
#pragma once

#include "tracer/gradient/gradient_call.h"

namespace ccgraph::tracer::gradient {

/// A reduction as its arguments say: over which dimensions of the operand, and whether they stay as ones.
struct Reduction {
  Dims sizes;
  Dims dims;
  bool keeps = false;

  /// Elements that become one.
  [[nodiscard]] int64_t count() const {
    int64_t count = 1;
    for (int64_t dim : dims)
      count *= sizes[dim];
    return count;
  }
  [[nodiscard]] Dims sizesWithOnes() const {
    Dims kept = sizes;
    for (int64_t dim : dims)
      kept[dim] = 1;
    return kept;
  }
};

/// Where a call's arguments say it.
struct ReductionPlaces {
  int dims = 1;
  int keeps = 2;
};
/// Over all dimensions where the argument names none.
[[nodiscard]] Reduction reductionOf(GradientCall &c, ReductionPlaces places = {});
/// A tensor like the result, seen with the dimensions that it lost.
[[nodiscard]] Node *withOnes(GradientCall &c, Node *tensor, const Reduction &reduction);
/// The operand's dtype again, where the result has another.
[[nodiscard]] Node *castBack(GradientCall &c, Node *gradient);
/// As many times as elements became one.
[[nodiscard]] Node *repeated(GradientCall &c, Node *gradient, const Reduction &reduction);

} // namespace ccgraph::tracer::gradient

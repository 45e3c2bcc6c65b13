// ReducedDims: a reduction that is being differentiated, and the expansion of a tensor with the result's sizes to the
// operand's sizes.
//
// Ownership: plain values. Failure: GradientCall's, where sizes are not numbers. Cost: linear in the rank.
#pragma once

#include "tracer/gradient/gradient_call.h"

namespace ccgraph::tracer::gradient {

/// A reduction with its arguments: the reduced dimensions of the operand, and whether they remain with size 1.
struct ReducedDims {
  IntList sizes;
  IntList dims;
  bool keeps = false;

  /// Returns the number of elements that become one.
  [[nodiscard]] int64_t count() const {
    int64_t count = 1;
    for (int64_t dim : dims)
      count *= sizes[dim];
    return count;
  }
  [[nodiscard]] IntList sizesWithOnes() const {
    IntList kept = sizes;
    for (int64_t dim : dims)
      kept[dim] = 1;
    return kept;
  }
};

/// The positions of these arguments in the call.
struct ReductionPlaces {
  int dims = 1;
  int keeps = 2;
};
/// Reads the reduction; over all dimensions where the argument names none.
[[nodiscard]] ReducedDims reductionOf(GradientCall &c, ReductionPlaces places = {});
/// Returns a tensor like the result, viewed with the reduced dimensions as ones.
[[nodiscard]] Node *withOnes(GradientCall &c, Node *tensor, const ReducedDims &reduction);
/// Casts to the operand's dtype, where the result has another.
[[nodiscard]] Node *castBack(GradientCall &c, Node *gradient);
/// Repeats the gradient for each of the elements that became one.
[[nodiscard]] Node *repeated(GradientCall &c, Node *gradient, const ReducedDims &reduction);

} // namespace ccgraph::tracer::gradient

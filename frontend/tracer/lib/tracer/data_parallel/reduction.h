// The operators that several gradient hooks share.
//
// Ownership: plain values. Failure: see tensor.h. Cost: a few nodes.
#pragma once

#include "ccgraph/tracer/collectives.h"
#include "ccgraph/tracer/elementwise.h"
#include "ccgraph/tracer/gradient_hooks.h"

namespace ccgraph::tracer::detail {

[[nodiscard]] inline Tensor sumOverRanks(const Tensor &tensor, const GradBucket &bucket) {
  return collectives::all_reduce(tensor, "sum", bucket.group);
}

/// Divides by the bucket's divisor; records nothing if it is 1.
[[nodiscard]] inline Tensor divided(const Tensor &tensor, const GradBucket &bucket) {
  return bucket.divisor == 1 ? tensor : tensor / bucket.divisor;
}

/// Returns a flat tensor, with zeros behind it up to this number of elements.
[[nodiscard]] inline Tensor padded(const Tensor &flat, int64_t elements) {
  int64_t more = elements - flat.numel();
  return more == 0 ? flat : call("aten.constant_pad_nd.default", {flat, std::vector<int64_t>{0, more}, 0.0});
}

} // namespace ccgraph::tracer::detail

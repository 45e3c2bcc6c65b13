#include "tracer/gradient/reduction.h"

namespace ccgraph::tracer::gradient {

// A single number has no dimension, though PyTorch lets a call name its dimension 0 or -1.
ReducedDims reductionOf(GradientCall &c, ReductionPlaces places) {
  auto [dimsPlace, keeps] = places;
  ReducedDims reduction{c.sizes(c.operand(0)), {}, c.boolean(keeps, false)};
  if (reduction.sizes.empty())
    return reduction;
  if (const Argument *dims = argumentAt(*c.node(), dimsPlace))
    for (const Argument &dim : dims->elements())
      reduction.dims.push_back(GradientCall::dimension(dim.integer(), reduction.sizes.size()));
  if (reduction.dims.empty())
    reduction.dims = allDims(static_cast<int64_t>(reduction.sizes.size()));
  return reduction;
}

Node *withOnes(GradientCall &c, Node *tensor, const ReducedDims &reduction) {
  return reduction.keeps ? tensor : c.make("aten.view.default", {tensor, Actual::integers(reduction.sizesWithOnes())});
}

Node *castBack(GradientCall &c, Node *gradient) {
  DType from = c.dtype(c.node()), to = c.dtype(c.operand(0));
  return from == to ? gradient : c.make("prims.convert_element_type.default", {gradient, to});
}

Node *repeated(GradientCall &c, Node *gradient, const ReducedDims &reduction) {
  return c.make("aten.expand.default", {withOnes(c, gradient, reduction), Actual::integers(reduction.sizes)});
}

} // namespace ccgraph::tracer::gradient

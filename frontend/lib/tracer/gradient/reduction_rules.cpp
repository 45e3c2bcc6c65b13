#include "tracer/gradient/rules.h"

namespace ccgraph::tracer::gradient {
namespace {

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

/// Over all dimensions where argument 1 names none.
Reduction reductionOf(GradientCall &c) {
  Reduction reduction{c.sizes(c.operand(0)), {}, c.boolean(2, false)};
  if (const Argument *dims = argumentAt(*c.node(), 1))
    for (const Argument &dim : dims->elements())
      reduction.dims.push_back(GradientCall::dimension(dim.integer(), reduction.sizes.size()));
  if (reduction.dims.empty())
    reduction.dims = allDims(static_cast<int64_t>(reduction.sizes.size()));
  return reduction;
}

/// A tensor like the result, seen with the dimensions that it lost.
Node *withOnes(GradientCall &c, Node *tensor, const Reduction &reduction) {
  return reduction.keeps ? tensor : c.make("aten.view.default", {tensor, Actual::integers(reduction.sizesWithOnes())});
}

/// The gradient of each element, which is that of the sum; cast where the sum was.
Node *spread(GradientCall &c, const Reduction &reduction) {
  Node *spread =
      c.make("aten.expand.default", {withOnes(c, c.gradient(), reduction), Actual::integers(reduction.sizes)});
  DType from = c.dtype(c.node()), to = c.dtype(c.operand(0));
  return from == to ? spread : c.make("prims.convert_element_type.default", {spread, to});
}

void sum(GradientCall &c) {
  c.give(0, [&] { return spread(c, reductionOf(c)); });
}

void mean(GradientCall &c) {
  c.give(0, [&] {
    Reduction reduction = reductionOf(c);
    return c.make("aten.div.Scalar", {spread(c, reduction), reduction.count()});
  });
}

// Where several elements are the largest, each has an equal share.
void amax(GradientCall &c) {
  c.give(0, [&] {
    Reduction reduction = reductionOf(c);
    Node *largest = c.make("aten.eq.Tensor", {c.operand(0), withOnes(c, c.node(), reduction)});
    Node *mask = c.make("prims.convert_element_type.default", {largest, c.dtype(c.operand(0))});
    Node *number = c.make("aten.sum.dim_IntList", {mask, Actual::integers(reduction.dims), true});
    Node *share = c.make("aten.div.Tensor", {withOnes(c, c.gradient(), reduction), number});
    return c.make("aten.mul.Tensor", {mask, share});
  });
}

void mseLoss(GradientCall &c) {
  if (c.sizes(c.operand(0)) != c.sizes(c.operand(1)))
    return c.fail("compares tensors of different sizes");
  auto gradient = [&] {
    return c.make("aten.mse_loss_backward.default", {c.gradient(), c.operand(0), c.operand(1), c.integer(2, 1)});
  };
  c.give(0, gradient);
  c.give(1, [&] { return c.make("aten.neg.default", {gradient()}); });
}

constexpr RuleEntry entries[] = {
    {"aten.sum.default", sum},          {"aten.sum.dim_IntList", sum},
    {"aten.mean.default", mean},        {"aten.mean.dim", mean},
    {"aten.amax.default", amax},        {"aten.amin.default", amax},
    {"aten.mse_loss.default", mseLoss},
};

} // namespace

llvm::ArrayRef<RuleEntry> reductionRules() { return entries; }

} // namespace ccgraph::tracer::gradient

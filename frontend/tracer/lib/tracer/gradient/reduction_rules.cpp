#include "tracer/gradient/gradient_rules.h"
#include "tracer/gradient/reduction.h"

namespace ccgraph::tracer::gradient {
namespace {

/// Returns the gradient of each element, which is that of the sum.
Node *spread(GradientCall &c, const ReducedDims &reduction) {
  return castBack(c, repeated(c, c.gradient(), reduction));
}

void sum(GradientCall &c) {
  c.give(0, [&] { return spread(c, reductionOf(c)); });
}

void mean(GradientCall &c) {
  c.give(0, [&] {
    ReducedDims reduction = reductionOf(c);
    return c.make("aten.div.Scalar", {spread(c, reduction), reduction.count()});
  });
}

// Where several elements are the largest, each has an equal share.
void amax(GradientCall &c) {
  c.give(0, [&] {
    ReducedDims reduction = reductionOf(c);
    Node *largest = c.make("aten.eq.Tensor", {c.operand(0), withOnes(c, c.node(), reduction)});
    Node *mask = c.make("prims.convert_element_type.default", {largest, c.dtype(c.operand(0))});
    Node *number = c.make("aten.sum.dim_IntList", {mask, Actual::integers(reduction.dims), true});
    Node *share = c.make("aten.div.Tensor", {withOnes(c, c.gradient(), reduction), number});
    return c.make("aten.mul.Tensor", {mask, share});
  });
}

// The derivative of the variance over n elements is 2 (x - mean) / (n - correction), that of the mean 1 / n.
void varMean(GradientCall &c) {
  c.give(0, [&] {
    ReducedDims reduction = reductionOf(c, {.keeps = 3});
    auto count = static_cast<double>(reduction.count());
    Node *ofVariance = nullptr, *ofMean = nullptr;
    if (Node *gradient = c.gradient(0)) {
      Node *distance = c.make("aten.sub.Tensor", {c.operand(0), withOnes(c, c.resultElement(1), reduction)});
      Node *product = c.make("aten.mul.Tensor", {distance, withOnes(c, gradient, reduction)});
      ofVariance = c.scaled(product, 2.0 / (count - c.number(2, 1.0)));
    }
    if (Node *gradient = c.gradient(1))
      ofMean = c.make("aten.div.Scalar", {repeated(c, gradient, reduction), reduction.count()});
    return ofVariance && ofMean ? c.make("aten.add.Tensor", {ofVariance, ofMean}) : ofVariance ? ofVariance : ofMean;
  });
}

// Each element contributes to all sums from its own position on, so its gradient is the sum of the gradients from there
// to the end.
void cumsum(GradientCall &c) {
  c.give(0, [&] {
    int64_t dim = GradientCall::dimension(c.integer(1, 0), c.sizes(c.operand(0)).size());
    auto flipped = [&](Node *tensor) { return c.make("aten.flip.default", {tensor, Actual::integers({dim})}); };
    return castBack(c, flipped(c.make("aten.cumsum.default", {flipped(c.gradient()), dim})));
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
    {"aten.mse_loss.default", mseLoss}, {"aten.var_mean.correction", varMean},
    {"aten.cumsum.default", cumsum},
};

} // namespace

llvm::ArrayRef<RuleEntry> reductionRules() { return entries; }

} // namespace ccgraph::tracer::gradient

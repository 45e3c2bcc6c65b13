// Norms of vectors, of order p: (sum |x|^p)^(1/p), with their limits for p = 0 and p = infinity.
#include "tracer/gradient/gradient_rules.h"
#include "tracer/gradient/reduction.h"

#include <cmath>

namespace ccgraph::tracer::gradient {
namespace {

/// One norm: its order, and norm and gradient viewed with the operand's dimensions.
struct Norm {
  GradientCall &c;
  double order;
  ReducedDims reduction;
  Node *self, *norm, *gradient;

  [[nodiscard]] Node *product(Node *a, Node *b) const { return c.make("aten.mul.Tensor", {a, b}); }
  [[nodiscard]] Node *sign() const { return c.make("aten.sign.default", {self}); }
  [[nodiscard]] Node *magnitude() const { return c.make("aten.abs.default", {self}); }
  /// Returns the tensor, but 0 where `zeros` is 0.
  [[nodiscard]] Node *zeroWhereZero(Node *tensor, Node *zeros) const {
    return c.make("aten.masked_fill.Scalar", {tensor, c.make("aten.eq.Scalar", {zeros, 0}), 0});
  }
  [[nodiscard]] Node *power(Node *base, double exponent) const {
    return exponent == 1 ? base : c.make("aten.pow.Tensor_Scalar", {base, exponent});
  }
};

/// Returns an equal share for each of the elements whose magnitude is the norm.
Node *ofExtreme(const Norm &n) {
  GradientCall &c = n.c;
  Node *isExtreme = c.make("aten.eq.Tensor", {n.magnitude(), n.norm});
  Node *mask = c.make("prims.convert_element_type.default", {isExtreme, c.dtype(n.self)});
  Node *count = c.make("aten.sum.dim_IntList", {mask, Actual::integers(n.reduction.dims), true});
  return n.product(n.product(n.sign(), mask), c.make("aten.div.Tensor", {n.gradient, count}));
}

/// x |x|^(p - 2) / norm^(p - 1). Where the norm is 0, the gradient of each element is 0; below p = 1, that of each
/// element that is 0.
Node *ofOrder(const Norm &n) {
  GradientCall &c = n.c;
  Node *scale = n.zeroWhereZero(c.make("aten.div.Tensor", {n.gradient, n.power(n.norm, n.order - 1)}), n.norm);
  if (n.order >= 2)
    return n.product(n.product(n.self, n.power(n.magnitude(), n.order - 2)), scale);
  Node *power = n.power(n.magnitude(), n.order - 1);
  return n.product(n.product(n.sign(), n.order < 1 ? n.zeroWhereZero(power, n.self) : power), scale);
}

Node *gradientOf(const Norm &n) {
  GradientCall &c = n.c;
  if (n.order == 0)
    return c.make("aten.zeros_like.default", {n.self});
  if (n.order == 1)
    return n.product(n.sign(), n.gradient);
  if (n.order == 2)
    return n.product(n.self, n.zeroWhereZero(c.make("aten.div.Tensor", {n.gradient, n.norm}), n.norm));
  return std::isinf(n.order) ? ofExtreme(n) : ofOrder(n);
}

void norm(GradientCall &c, ReductionPlaces places) {
  Node *self = c.operand(0);
  if (c.dtype(c.node()) != c.dtype(self))
    return c.fail("computes in another dtype than its operand's");
  c.give(self, [&] {
    ReducedDims reduction = reductionOf(c, places);
    Node *norm = withOnes(c, c.node(), reduction), *gradient = withOnes(c, c.gradient(), reduction);
    return gradientOf({c, c.number(1, 2), reduction, self, norm, gradient});
  });
}

void vectorNorm(GradientCall &c) { norm(c, {.dims = 2, .keeps = 3}); }
/// norm(self, p) is the norm of all elements.
void normOfAll(GradientCall &c) { norm(c, {.dims = 4, .keeps = 4}); }

constexpr RuleEntry entries[] = {
    {"aten.linalg_vector_norm.default", vectorNorm},
    {"aten.norm.Scalar", normOfAll},
    {"aten.norm.ScalarOpt_dim", vectorNorm},
};

} // namespace

llvm::ArrayRef<RuleEntry> vectorNormRules() { return entries; }

} // namespace ccgraph::tracer::gradient

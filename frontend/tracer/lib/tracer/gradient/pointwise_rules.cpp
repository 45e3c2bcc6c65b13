#include "tracer/gradient/gradient_rules.h"

#include <numbers>

namespace ccgraph::tracer::gradient {
namespace {

Node *product(GradientCall &c, Node *a, const Actual &b) { return c.make("aten.mul.Tensor", {a, b}); }
Node *negative(GradientCall &c, Node *a) { return c.make("aten.neg.default", {a}); }

/// Returns the factor of the second operand of an addition.
double alpha(const GradientCall &c) { return c.number(2, 1.0); }

void same(GradientCall &c) {
  c.giveFitted(0, [&] { return c.gradient(); });
}

void add(GradientCall &c) {
  same(c);
  c.giveFitted(1, [&] { return c.scaled(c.gradient(), alpha(c)); });
}

void sub(GradientCall &c) {
  same(c);
  c.giveFitted(1, [&] { return c.scaled(c.gradient(), -alpha(c)); });
}

// y = other - alpha a.
void rsub(GradientCall &c) {
  c.giveFitted(0, [&] { return c.scaled(c.gradient(), -alpha(c)); });
}

void mul(GradientCall &c) {
  c.giveFitted(0, [&] { return product(c, c.gradient(), c.argument(1)); });
  c.giveFitted(1, [&] { return product(c, c.gradient(), c.argument(0)); });
}

// d(a / b) = da / b - (a / b) / b db.
void div(GradientCall &c) {
  auto over = [&](Node *a) { return c.make("aten.div.Tensor", {a, c.argument(1)}); };
  c.giveFitted(0, [&] { return over(c.gradient()); });
  c.giveFitted(1, [&] { return product(c, negative(c, c.gradient()), over(c.node())); });
}

void neg(GradientCall &c) {
  c.give(0, [&] { return negative(c, c.gradient()); });
}
void exp(GradientCall &c) {
  c.give(0, [&] { return product(c, c.gradient(), c.node()); });
}
void log(GradientCall &c) {
  c.give(0, [&] { return c.make("aten.div.Tensor", {c.gradient(), c.operand(0)}); });
}
void sin(GradientCall &c) {
  c.give(0, [&] { return product(c, c.gradient(), c.make("aten.cos.default", {c.operand(0)})); });
}
void cos(GradientCall &c) {
  c.give(0, [&] { return product(c, negative(c, c.gradient()), c.make("aten.sin.default", {c.operand(0)})); });
}
void abs(GradientCall &c) {
  c.give(0, [&] { return product(c, c.gradient(), c.make("aten.sign.default", {c.operand(0)})); });
}

// d sqrt(a) = da / (2 sqrt(a)).
void sqrt(GradientCall &c) {
  c.give(0, [&] { return c.make("aten.div.Tensor", {c.gradient(), c.scaled(c.node(), 2)}); });
}

// d a^(-1/2) = -1/2 (a^(-1/2))^3 da.
void rsqrt(GradientCall &c) {
  c.give(0, [&] { return product(c, c.scaled(c.gradient(), -0.5), c.make("aten.pow.Tensor_Scalar", {c.node(), 3})); });
}

// d (1 / a) = -(1 / a)^2 da.
void reciprocal(GradientCall &c) {
  c.give(0, [&] { return product(c, negative(c, c.gradient()), c.make("aten.mul.Tensor", {c.node(), c.node()})); });
}

// d erf(a) = 2 / sqrt(pi) exp(-a^2) da.
void erf(GradientCall &c) {
  c.give(0, [&] {
    Node *square = c.make("aten.mul.Tensor", {c.operand(0), c.operand(0)});
    Node *bell = c.make("aten.exp.default", {negative(c, square)});
    return product(c, c.gradient(), c.scaled(bell, 2 * std::numbers::inv_sqrtpi));
  });
}

// d a^n = n a^(n - 1) da.
void powScalar(GradientCall &c) {
  double exponent = c.number(1, 0);
  c.give(0, [&] {
    if (exponent == 0) // 0 * a^-1 would be NaN where a is 0
      return c.make("aten.zeros_like.default", {c.operand(0)});
    Node *power = c.make("aten.pow.Tensor_Scalar", {c.operand(0), exponent - 1});
    return product(c, c.gradient(), c.scaled(power, exponent));
  });
}

// d a^2 = 2 a da.
void square(GradientCall &c) {
  c.give(0, [&] { return product(c, c.gradient(), c.scaled(c.operand(0), 2)); });
}

void relu(GradientCall &c) {
  c.give(0, [&] { return c.make("aten.threshold_backward.default", {c.gradient(), c.node(), 0}); });
}
void gelu(GradientCall &c) {
  c.give(0, [&] {
    return c.make("aten.gelu_backward.default", {c.gradient(), c.operand(0)},
                  {{"approximate", c.has(1) ? c.argument(1) : Actual("none")}});
  });
}
void silu(GradientCall &c) {
  c.give(0, [&] { return c.make("aten.silu_backward.default", {c.gradient(), c.operand(0)}); });
}
void sigmoid(GradientCall &c) {
  c.give(0, [&] { return c.make("aten.sigmoid_backward.default", {c.gradient(), c.node()}); });
}
void tanh(GradientCall &c) {
  c.give(0, [&] { return c.make("aten.tanh_backward.default", {c.gradient(), c.node()}); });
}

void where(GradientCall &c) {
  Node *condition = c.operand(0);
  c.giveFitted(1, [&] { return c.make("aten.where.ScalarOther", {condition, c.gradient(), 0.0}); });
  c.giveFitted(2, [&] { return c.make("aten.where.ScalarSelf", {condition, 0.0, c.gradient()}); });
}

void maskedFill(GradientCall &c) {
  c.giveFitted(0, [&] { return c.make("aten.where.ScalarSelf", {c.operand(1), 0.0, c.gradient()}); });
}

/// Gives the gradient to the selected operand; where both are equal, each receives half.
void extreme(GradientCall &c, llvm::StringRef firstTaken, llvm::StringRef secondTaken) {
  Actual a = c.argument(0), b = c.argument(1);
  auto shared = [&](llvm::StringRef comparison) {
    Node *half = c.scaled(c.gradient(), 0.5);
    Node *share = c.make("aten.where.self", {c.make("aten.eq.Tensor", {a, b}), half, c.gradient()});
    return c.make("aten.where.ScalarOther", {c.make(comparison, {a, b}), share, 0.0});
  };
  c.giveFitted(0, [&] { return shared(firstTaken); });
  c.giveFitted(1, [&] { return shared(secondTaken); });
}
void maximum(GradientCall &c) { extreme(c, "aten.ge.Tensor", "aten.le.Tensor"); }
void minimum(GradientCall &c) { extreme(c, "aten.le.Tensor", "aten.ge.Tensor"); }

/// Passes the gradient where the operand was within the bounds, the bounds included.
Node *masked(GradientCall &c, llvm::StringRef comparison, const Actual &bound, Node *gradient) {
  return c.make("aten.where.ScalarOther", {c.make(comparison, {c.operand(0), bound}), gradient, 0.0});
}
void clamp(GradientCall &c) {
  c.give(0, [&] {
    Node *gradient = c.gradient();
    if (c.has(1))
      gradient = masked(c, "aten.ge.Scalar", c.argument(1), gradient);
    return c.has(2) ? masked(c, "aten.le.Scalar", c.argument(2), gradient) : gradient;
  });
}
void clampMin(GradientCall &c) {
  c.give(0, [&] { return masked(c, "aten.ge.Scalar", c.argument(1), c.gradient()); });
}
void clampMax(GradientCall &c) {
  c.give(0, [&] { return masked(c, "aten.le.Scalar", c.argument(1), c.gradient()); });
}

/// The rule of operators that are constant, or treated as constant.
void nothing(GradientCall &) {}

constexpr RuleEntry entries[] = {
    {"aten.add.Tensor", add},
    {"aten.add.Scalar", add},
    {"aten.sub.Tensor", sub},
    {"aten.sub.Scalar", sub},
    {"aten.rsub.Scalar", rsub},
    {"aten.mul.Tensor", mul},
    {"aten.mul.Scalar", mul},
    {"aten.div.Tensor", div},
    {"aten.div.Scalar", div},
    {"aten.neg.default", neg},
    {"aten.exp.default", exp},
    {"aten.log.default", log},
    {"aten.sin.default", sin},
    {"aten.cos.default", cos},
    {"aten.abs.default", abs},
    {"aten.sqrt.default", sqrt},
    {"aten.rsqrt.default", rsqrt},
    {"aten.reciprocal.default", reciprocal},
    {"aten.erf.default", erf},
    {"aten.pow.Tensor_Scalar", powScalar},
    {"aten.square.default", square},
    {"aten.relu.default", relu},
    {"aten.gelu.default", gelu},
    {"aten.silu.default", silu},
    {"aten.sigmoid.default", sigmoid},
    {"aten.tanh.default", tanh},
    {"aten.where.self", where},
    {"aten.masked_fill.Scalar", maskedFill},
    {"aten.maximum.default", maximum},
    {"aten.minimum.default", minimum},
    {"aten.clamp.default", clamp},
    {"aten.clamp_min.default", clampMin},
    {"aten.clamp_max.default", clampMax},
    {"aten.clone.default", same},
    {"aten.alias.default", same},
    {"aten._to_copy.default", same},
    {"prims.convert_element_type.default", same},
    {"aten.detach.default", nothing},
    {"aten.sign.default", nothing},
    {"aten.zeros_like.default", nothing},
    {"aten.ones_like.default", nothing},
    {"aten.full_like.default", nothing},
    {"aten.new_zeros.default", nothing},
};

} // namespace

llvm::ArrayRef<RuleEntry> pointwiseRules() { return entries; }

} // namespace ccgraph::tracer::gradient

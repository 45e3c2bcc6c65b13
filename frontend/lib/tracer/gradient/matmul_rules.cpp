#include "tracer/gradient/rules.h"

namespace ccgraph::tracer::gradient {
namespace {

Node *transposed(GradientCall &c, Node *matrix) { return c.make("aten.t.default", {matrix}); }
Node *transposedBatch(GradientCall &c, Node *matrices) { return c.make("aten.transpose.int", {matrices, 1, 2}); }

// Of y = a b the gradients are g b' and a' g.
void product(GradientCall &c, int left, int right, double scale) {
  Node *a = c.operand(left), *b = c.operand(right);
  c.give(a, [&] { return c.scaled(c.make("aten.mm.default", {c.gradient(), transposed(c, b)}), scale); });
  c.give(b, [&] { return c.scaled(c.make("aten.mm.default", {transposed(c, a), c.gradient()}), scale); });
}

void mm(GradientCall &c) { product(c, 0, 1, 1.0); }

void bmm(GradientCall &c) {
  Node *a = c.operand(0), *b = c.operand(1);
  c.give(a, [&] { return c.make("aten.bmm.default", {c.gradient(), transposedBatch(c, b)}); });
  c.give(b, [&] { return c.make("aten.bmm.default", {transposedBatch(c, a), c.gradient()}); });
}

// addmm(bias, a, b) = beta bias + alpha a b.
void addmm(GradientCall &c) {
  double beta = c.number(3, 1.0), alpha = c.number(4, 1.0);
  c.giveFitted(0, [&] { return c.scaled(c.gradient(), beta); });
  product(c, 1, 2, alpha);
}

constexpr RuleEntry entries[] = {
    {"aten.mm.default", mm},
    {"aten.bmm.default", bmm},
    {"aten.addmm.default", addmm},
};

} // namespace

llvm::ArrayRef<RuleEntry> matmulRules() { return entries; }

} // namespace ccgraph::tracer::gradient

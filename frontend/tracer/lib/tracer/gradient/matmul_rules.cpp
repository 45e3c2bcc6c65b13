#include "tracer/gradient/gradient_rules.h"

namespace ccgraph::tracer::gradient {
namespace {

Node *transposed(GradientCall &c, Node *matrix) { return c.make("aten.t.default", {matrix}); }
Node *transposedBatch(GradientCall &c, Node *matrices) { return c.make("aten.transpose.int", {matrices, 1, 2}); }

/// Returns whether the columns of a matrix are contiguous, as in the transpose of a row-major matrix.
bool isColumnMajor(const Node *matrix) {
  auto sizes = staticDims(matrix->type()->sizes()), strides = staticDims(matrix->type()->strides());
  return sizes && strides && strides->size() == 2 && (*strides)[0] == 1 && (*strides)[1] == (*sizes)[0];
}

Node *mm(GradientCall &c, Node *a, Node *b) { return c.make("aten.mm.default", {a, b}); }

// For y = a b the gradients are g b' and a' g. The gradient of a column-major operand is the transpose of a product, so
// it has the operand's layout; PyTorch's rule does the same.
void product(GradientCall &c, int left, int right, double scale) {
  Node *a = c.operand(left), *b = c.operand(right);
  c.give(b, [&] {
    Node *gradient =
        isColumnMajor(b) ? transposed(c, mm(c, transposed(c, c.gradient()), a)) : mm(c, transposed(c, a), c.gradient());
    return c.scaled(gradient, scale);
  });
  c.give(a, [&] {
    Node *gradient =
        isColumnMajor(a) ? transposed(c, mm(c, b, transposed(c, c.gradient()))) : mm(c, c.gradient(), transposed(c, b));
    return c.scaled(gradient, scale);
  });
}

void mmRule(GradientCall &c) { product(c, 0, 1, 1.0); }

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
    {"aten.mm.default", mmRule},
    {"aten.bmm.default", bmm},
    {"aten.addmm.default", addmm},
};

} // namespace

llvm::ArrayRef<RuleEntry> matmulRules() { return entries; }

} // namespace ccgraph::tracer::gradient

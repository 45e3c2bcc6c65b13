// Products along a dimension.
#include "tracer/gradient/gradient_rules.h"

namespace ccgraph::tracer::gradient {
namespace {

/// Returns the products of all elements before each one: for [a, b, c], [1, a, ab].
Node *productsBefore(GradientCall &c, Node *self, const IntList &sizes, int64_t dim) {
  IntList one = sizes;
  one[static_cast<size_t>(dim)] = 1;
  Node *ones = c.make("aten.new_full.default", {self, Actual::integers(one), 1}, {{"pin_memory", false}});
  Node *allButLast = c.make("aten.slice.Tensor", {self, dim, 0, sizes[static_cast<size_t>(dim)] - 1});
  Node *shifted = c.make("aten.cat.default", {Actual(std::vector<Node *>{ones, allButLast}), dim});
  return c.make("aten.cumprod.default", {shifted, dim});
}

/// Returns the products of all other elements. Quotients are not possible, since an element may be 0.
Node *productsOfOthers(GradientCall &c, Node *self, const IntList &sizes, int64_t dim) {
  auto flipped = [&](Node *tensor) { return c.make("aten.flip.default", {tensor, Actual::integers({dim})}); };
  Node *before = productsBefore(c, self, sizes, dim);
  Node *after = flipped(productsBefore(c, flipped(self), sizes, dim));
  return c.make("aten.mul.Tensor", {before, after});
}

Node *times(GradientCall &c, Node *gradient, Node *self, const IntList &sizes, int64_t dim) {
  Node *wide = c.make("aten.expand.default", {gradient, Actual::integers(sizes)});
  return sizes[static_cast<size_t>(dim)] == 1
             ? wide
             : c.make("aten.mul.Tensor", {wide, productsOfOthers(c, self, sizes, dim)});
}

/// Returns whether the result has the operand's dtype; other cases are not differentiated.
bool hasOneDType(GradientCall &c) {
  if (c.dtype(c.node()) == c.dtype(c.operand(0)))
    return true;
  c.fail("multiplies in another dtype than its operand's");
  return false;
}

// Treats all elements as one line.
void prod(GradientCall &c) {
  Node *self = c.operand(0);
  IntList sizes = c.sizes(self);
  if (!hasOneDType(c))
    return;
  c.give(0, [&]() -> Node * {
    if (sizes.empty())
      return c.gradient();
    IntList line = {productOf(sizes)};
    Node *flat = c.make("aten.reshape.default", {self, Actual::integers(line)});
    return c.make("aten.view.default", {times(c, c.gradient(), flat, line, 0), Actual::integers(sizes)});
  });
}

void prodOfDim(GradientCall &c) {
  Node *self = c.operand(0);
  IntList sizes = c.sizes(self);
  if (!hasOneDType(c))
    return;
  c.give(0, [&]() -> Node * {
    if (sizes.empty())
      return c.gradient();
    int64_t dim = GradientCall::dimension(c.integer(1, 0), sizes.size());
    Node *gradient = c.boolean(2, false) ? c.gradient() : c.make("aten.unsqueeze.default", {c.gradient(), dim});
    return times(c, gradient, self, sizes, dim);
  });
}

constexpr RuleEntry entries[] = {{"aten.prod.default", prod}, {"aten.prod.dim_int", prodOfDim}};

} // namespace

llvm::ArrayRef<RuleEntry> productRules() { return entries; }

} // namespace ccgraph::tracer::gradient

#include "tracer/gradient/gradient_rules.h"

namespace ccgraph::tracer::gradient {
namespace {

// A row of the table receives the gradients of all places that read it.
void embedding(GradientCall &c) {
  Node *weight = c.operand(0);
  c.give(weight, [&] {
    return c.make("aten.embedding_dense_backward.default",
                  {c.gradient(), c.operand(1), c.sizes(weight).front(), c.integer(2, -1), c.boolean(3, false)});
  });
}

void gather(GradientCall &c) {
  Node *self = c.operand(0);
  c.give(self, [&] {
    return c.make("aten.scatter_add.default", {c.zeros(*self->type()), c.argument(1), c.operand(2), c.gradient()});
  });
}

// The gradient passes to self unchanged; the source reads the gradient at the places where it was added.
void scatterAdd(GradientCall &c) {
  Node *index = c.operand(2), *source = c.operand(3);
  if (c.wants(source) && c.sizes(index) != c.sizes(source))
    return c.fail("adds a part of its source, whose sizes are not those of the index");
  c.give(0, [&] { return c.gradient(); });
  c.give(source, [&] { return c.make("aten.gather.default", {c.gradient(), c.argument(1), index}); });
}

void indexSelect(GradientCall &c) {
  Node *self = c.operand(0);
  c.give(self, [&] {
    return c.make("aten.index_add.default", {c.zeros(*self->type()), c.argument(1), c.operand(2), c.gradient()});
  });
}

void index(GradientCall &c) {
  Node *self = c.operand(0);
  c.give(self, [&] {
    return c.make("aten.index_put.default", {c.zeros(*self->type()), c.argument(1), c.gradient(), true});
  });
}

void nllLoss(GradientCall &c) {
  if (c.gradient(1))
    c.fail("differentiates its total weight, which has no rule");
  if (!c.gradient(0))
    return;
  c.give(0, [&] {
    return c.make("aten.nll_loss_backward.default", {c.gradient(0), c.operand(0), c.operand(1), c.argument(2),
                                                     c.argument(3), c.argument(4), c.resultElement(1)});
  });
}

constexpr RuleEntry entries[] = {
    {"aten.embedding.default", embedding},
    {"aten.gather.default", gather},
    {"aten.index.Tensor", index},
    {"aten.index_select.default", indexSelect},
    {"aten.nll_loss_forward.default", nllLoss},
    {"aten.scatter_add.default", scatterAdd},
};

} // namespace

llvm::ArrayRef<RuleEntry> indexingRules() { return entries; }

} // namespace ccgraph::tracer::gradient

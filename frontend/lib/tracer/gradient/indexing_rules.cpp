#include "tracer/gradient/rules.h"

namespace ccgraph::tracer::gradient {
namespace {

// A row of the table gets the gradients of all places that read it.
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
};

} // namespace

llvm::ArrayRef<RuleEntry> indexingRules() { return entries; }

} // namespace ccgraph::tracer::gradient

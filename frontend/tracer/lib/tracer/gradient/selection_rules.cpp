// Rules of operators that select elements along a dimension: each gradient returns to the place of its element.
#include "tracer/gradient/gradient_rules.h"

namespace ccgraph::tracer::gradient {
namespace {

/// Handles a result (values, indices): `dim` is the position of the dimension among the arguments, `fallback` its
/// default.
void scattered(GradientCall &c, int dim, int64_t fallback, bool keepsDim) {
  if (!c.readsFirstAlone())
    return;
  c.give(0, [&]() -> Node * {
    Node *self = c.operand(0);
    if (self->type()->sizes().empty())
      return c.gradient(0);
    int64_t along = GradientCall::dimension(c.integer(dim, fallback), self->type()->sizes().size());
    auto withDim = [&](Node *tensor) { return keepsDim ? tensor : c.make("aten.unsqueeze.default", {tensor, along}); };
    return c.make("aten.scatter.src",
                  {c.zeros(*self->type()), along, withDim(c.resultElement(1)), withDim(c.gradient(0))});
  });
}

void extremeOfDim(GradientCall &c) { scattered(c, 1, 0, c.boolean(2, false)); }
void sort(GradientCall &c) { scattered(c, 1, -1, true); }
void sortStable(GradientCall &c) { scattered(c, 2, -1, true); }
void topk(GradientCall &c) { scattered(c, 2, -1, true); }

constexpr RuleEntry entries[] = {
    {"aten.max.dim", extremeOfDim},   {"aten.min.dim", extremeOfDim}, {"aten.sort.default", sort},
    {"aten.sort.stable", sortStable}, {"aten.topk.default", topk},
};

} // namespace

llvm::ArrayRef<RuleEntry> selectionRules() { return entries; }

} // namespace ccgraph::tracer::gradient

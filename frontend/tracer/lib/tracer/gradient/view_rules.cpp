#include "tracer/gradient/gradient_rules.h"

#include <limits>

namespace ccgraph::tracer::gradient {
namespace {

/// Views that keep the order of elements.
void reshape(GradientCall &c) {
  c.give(0, [&] { return c.make("aten.reshape.default", {c.gradient(), Actual::integers(c.sizes(c.operand(0)))}); });
}

void expand(GradientCall &c) {
  c.giveFitted(0, [&] { return c.gradient(); });
}

void transpose(GradientCall &c) {
  c.give(0, [&] { return c.make("aten.transpose.int", {c.gradient(), c.argument(1), c.argument(2)}); });
}
void t(GradientCall &c) {
  c.give(0, [&] { return c.make("aten.t.default", {c.gradient()}); });
}

void permute(GradientCall &c) {
  const Argument *dims = argumentAt(*c.node(), 1);
  auto rank = static_cast<int64_t>(dims->elements().size());
  IntList inverse(rank, 0);
  for (int64_t to = 0; to < rank; ++to)
    inverse[GradientCall::dimension(dims->elements()[to].integer(), rank)] = to;
  c.give(0, [&] { return c.make("aten.permute.default", {c.gradient(), Actual::integers(inverse)}); });
}

void slice(GradientCall &c) {
  constexpr int64_t toTheEnd = std::numeric_limits<int64_t>::max();
  c.give(0, [&] {
    return c.make("aten.slice_backward.default",
                  {c.gradient(), Actual::integers(c.sizes(c.operand(0))), c.integer(1, 0), c.integer(2, 0),
                   c.integer(3, toTheEnd), c.integer(4, 1)});
  });
}

void select(GradientCall &c) {
  c.give(0, [&] {
    return c.make("aten.select_backward.default",
                  {c.gradient(), Actual::integers(c.sizes(c.operand(0))), c.argument(1), c.argument(2)});
  });
}

void split(GradientCall &c) {
  c.give(0, [&] { return c.make("aten.cat.default", {c.elementGradients(), c.integer(2, 0)}); });
}
void unbind(GradientCall &c) {
  c.give(0, [&] { return c.make("aten.stack.default", {c.elementGradients(), c.integer(1, 0)}); });
}

void cat(GradientCall &c) {
  int64_t begin = 0;
  for (Node *part : c.operands(0)) {
    IntList sizes = c.sizes(part);
    int64_t dim = GradientCall::dimension(c.integer(1, 0), sizes.size());
    int64_t end = begin + (sizes.empty() ? 0 : sizes[dim]);
    c.give(part, [&, from = begin] { return c.make("aten.slice.Tensor", {c.gradient(), dim, from, end}); });
    begin = end;
  }
}

void stack(GradientCall &c) {
  int64_t dim = GradientCall::dimension(c.integer(1, 0), c.sizes(c.node()).size());
  int64_t index = 0;
  for (Node *part : c.operands(0))
    c.give(part, [&, at = index++] { return c.make("aten.select.int", {c.gradient(), dim, at}); });
}

void tril(GradientCall &c) {
  c.give(0, [&] { return c.make("aten.tril.default", {c.gradient(), c.integer(1, 0)}); });
}
void triu(GradientCall &c) {
  c.give(0, [&] { return c.make("aten.triu.default", {c.gradient(), c.integer(1, 0)}); });
}

constexpr RuleEntry entries[] = {
    {"aten.view.default", reshape},
    {"aten.reshape.default", reshape},
    {"aten._unsafe_view.default", reshape},
    {"aten.tril.default", tril},
    {"aten.triu.default", triu},
    {"aten.unsqueeze.default", reshape},
    {"aten.squeeze.default", reshape},
    {"aten.squeeze.dim", reshape},
    {"aten.squeeze.dims", reshape},
    {"aten.expand.default", expand},
    {"aten.transpose.int", transpose},
    {"aten.t.default", t},
    {"aten.permute.default", permute},
    {"aten.slice.Tensor", slice},
    {"aten.select.int", select},
    {"aten.split.Tensor", split},
    {"aten.split_with_sizes.default", split},
    {"aten.unbind.int", unbind},
    {"aten.cat.default", cat},
    {"aten.stack.default", stack},
};

} // namespace

llvm::ArrayRef<RuleEntry> viewRules() { return entries; }

} // namespace ccgraph::tracer::gradient

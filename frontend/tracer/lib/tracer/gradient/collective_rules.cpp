#include "tracer/gradient/gradient_rules.h"

#include "ccgraph/ir/collective.h"

namespace ccgraph::tracer::gradient {
namespace {

Node *waited(GradientCall &c, Node *launch) { return c.make("_c10d_functional.wait_tensor.default", {launch}); }

void wait(GradientCall &c) {
  c.give(0, [&] { return c.gradient(); });
}

/// Returns the reduction if it is linear, since only such gradients pass through a reduction: sum, and avg, which is a
/// sum and a division.
std::optional<ReduceOp> linearReduction(GradientCall &c) {
  std::string word = collectiveCall(*c.node())->reduceOp;
  std::optional<ReduceOp> op = parseReduceOp(word);
  if (op == ReduceOp::Sum || op == ReduceOp::Avg)
    return op;
  c.fail("reduces by " + word + ", which is not linear: expected sum or avg");
  return std::nullopt;
}

void allReduce(GradientCall &c) {
  if (linearReduction(c))
    c.give(0, [&] {
      return waited(c, c.make("_c10d_functional.all_reduce.default", {c.gradient(), c.argument(1), c.argument(2)}));
    });
}

/// Returns the number of ranks of the group that an argument names; 0, with a failure, where it is unknown.
int64_t ranksOf(GradientCall &c, int group) {
  const Argument *name = argumentAt(*c.node(), group);
  const Group *known =
      name && name->is(Argument::Kind::String) ? c.node()->graph()->groups().find(name->text().str()) : nullptr;
  int64_t ranks = known ? known->size().value_or(0) : 0;
  if (ranks == 0)
    c.fail("needs the number of ranks of its group");
  return ranks;
}

/// Returns one on the rank with that index in the group, zero on the others. The graph is the same for all ranks, so a
/// collective must tell the ranks apart: each rank receives its own element of a row that has a one at that index.
Node *oneOnRank(GradientCall &c, int64_t place, int64_t ranks) {
  Node *row =
      c.make("aten.arange.default", {ranks},
             {{"device", Actual::literal(Argument::device(c.node()->type()->device()))}, {"pin_memory", false}});
  Node *isPlace = c.make("aten.eq.Scalar", {row, place});
  Node *ones = c.make("prims.convert_element_type.default", {isPlace, DType::F32});
  Node *mine = waited(c, c.make("_c10d_functional.reduce_scatter_tensor.default", {ones, "avg", ranks, c.argument(2)}));
  return c.make("prims.convert_element_type.default", {mine, c.dtype(c.node())});
}

// The sender's tensor is the result on all ranks; the tensors of the other ranks affect no result.
void broadcast(GradientCall &c) {
  int64_t ranks = ranksOf(c, 2);
  if (ranks == 0)
    return;
  c.give(0, [&] {
    Node *all = waited(c, c.make("_c10d_functional.all_reduce.default", {c.gradient(), "sum", c.argument(2)}));
    Node *isSender = oneOnRank(c, c.integer(1, 0), ranks);
    return c.make("aten.mul.Tensor", {all, c.make("aten.view.default", {isSender, Actual::integers(IntList{})})});
  });
}

// Each rank gave its tensor to all, so its gradient is the sum of its part of all ranks' gradients.
void allGather(GradientCall &c) {
  c.give(0, [&] {
    return waited(c, c.make("_c10d_functional.reduce_scatter_tensor.default",
                            {c.gradient(), "sum", c.argument(1), c.argument(2)}));
  });
}

Node *averaged(GradientCall &c, Node *gradient, ReduceOp op, int64_t ranks) {
  return op == ReduceOp::Sum ? gradient : c.make("aten.div.Scalar", {gradient, ranks});
}

void reduceScatter(GradientCall &c) {
  std::optional<ReduceOp> op = linearReduction(c);
  if (!op)
    return;
  c.give(0, [&] {
    Node *gathered = waited(
        c, c.make("_c10d_functional.all_gather_into_tensor.default", {c.gradient(), c.argument(2), c.argument(3)}));
    return averaged(c, gathered, *op, c.integer(2, 1));
  });
}

void allToAll(GradientCall &c) {
  c.give(0, [&] {
    return waited(c, c.make("_c10d_functional.all_to_all_single.default",
                            {c.gradient(), c.argument(2), c.argument(1), c.argument(3)}));
  });
}

/// Handles a collective on a list: one collective for all gradients.
void onList(GradientCall &c, llvm::function_ref<Node *(Actual gradients)> launch,
            llvm::function_ref<Node *(Node *)> finish) {
  std::vector<Node *> gradients = c.elementGradients();
  Node *all = nullptr;
  int64_t index = 0;
  for (Node *operand : c.operands(0))
    c.give(operand, [&, at = index++] {
      all = all ? all : launch(Actual(gradients));
      return finish(waited(c, c.element(all, at)));
    });
}
Node *asItIs(Node *gradient) { return gradient; }

void allReduceList(GradientCall &c) {
  if (!linearReduction(c))
    return;
  onList(
      c,
      [&](Actual gradients) {
        return c.make("_c10d_functional.all_reduce_coalesced.default",
                      {std::move(gradients), c.argument(1), c.argument(2)});
      },
      asItIs);
}

void allGatherList(GradientCall &c) {
  onList(
      c,
      [&](Actual gradients) {
        return c.make("_c10d_functional.reduce_scatter_tensor_coalesced.default",
                      {std::move(gradients), "sum", c.argument(1), c.argument(2)});
      },
      asItIs);
}

void reduceScatterList(GradientCall &c) {
  std::optional<ReduceOp> op = linearReduction(c);
  if (!op)
    return;
  onList(
      c,
      [&](Actual gradients) {
        return c.make("_c10d_functional.all_gather_into_tensor_coalesced.default",
                      {std::move(gradients), c.argument(2), c.argument(3)});
      },
      [&](Node *gradient) { return averaged(c, gradient, *op, c.integer(2, 1)); });
}

constexpr RuleEntry entries[] = {
    {"_c10d_functional.wait_tensor.default", wait},
    {"_c10d_functional.all_reduce.default", allReduce},
    {"_c10d_functional.broadcast.default", broadcast},
    {"_c10d_functional.all_gather_into_tensor.default", allGather},
    {"_c10d_functional.reduce_scatter_tensor.default", reduceScatter},
    {"_c10d_functional.all_to_all_single.default", allToAll},
    {"_c10d_functional_autograd.all_gather_into_tensor.default", allGather},
    {"_c10d_functional_autograd.reduce_scatter_tensor.default", reduceScatter},
    {"_c10d_functional_autograd.all_to_all_single.default", allToAll},
    {"_c10d_functional.all_reduce_coalesced.default", allReduceList},
    {"_c10d_functional.all_gather_into_tensor_coalesced.default", allGatherList},
    {"_c10d_functional.reduce_scatter_tensor_coalesced.default", reduceScatterList},
};

} // namespace

llvm::ArrayRef<RuleEntry> collectiveRules() { return entries; }

} // namespace ccgraph::tracer::gradient

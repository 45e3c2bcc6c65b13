// Reverse mode: appends the program that computes the gradients of a loss.
//
//   Node *x = b.input("x", ...), *w = b.input("w", ...);
//   Node *loss = b.call("aten.sum.default", {b.call("aten.mm.default", {x, w})});
//   auto gradients = appendGradients(b, {.of = loss, .with = {w}});      // one node for each of `with`
//
// Of each operator on the way from `with` to `of` a rule says how the gradient of its result becomes those of its operands.
// The formulas are the published derivatives of these functions, in the operators of which PyTorch's own backward graphs
// consist (tools/autograd/derivatives.yaml in PyTorch's source names them): `_softmax_backward_data` for a softmax,
// `mm(g, t(b))` and `mm(t(a), g)` for a product. Of collectives they are those of torch.distributed:
//   all_reduce sum, avg       all_reduce of the same kind
//   all_gather                reduce_scatter sum
//   reduce_scatter sum, avg   all_gather (divided by the ranks)
//   all_to_all                all_to_all with the splits exchanged
//   broadcast                 all_reduce sum, times one on the sender and zero on the others
// each followed at once by its wait; where that belongs is the passes' work. So what is differentiated is the sum of all
// ranks' losses, as PyTorch's data parallel steps have it.
//
// What a value is read for more than once, its gradients are added in reverse program order. What was repeated to fit
// (broadcasting, expand) is summed; what was cast is cast back. Nodes stand for those that they differentiate: frame and
// provenance are theirs. They have no types yet: ask inferTypes (infer_types.h).
//
// Ownership: nodes belong to the builder's graph. Failure: a DiagnosticError, and then nodes that were appended are left
// without readers. Rules
//   gradient.no-rule      an operator on the way has none, or none for these arguments
//   gradient.loss         the loss is no tensor of one floating-point element, and no seed was given
//   gradient.written      a value on the way is written in place: the graph must be functional
//   gradient.sizes        a size on the way is not a number
//   gradient.no-type      a node on the way has no type
//   gradient.function     a gradient that was given (GivenGradient) is not of its input's dtype and sizes
// Cost: linear in the nodes.
#pragma once

#include "ccgraph/ir/builder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <string>
#include <vector>

namespace ccgraph::tracer {

/// What the program makes of `input` has a gradient that no rule is asked for.
struct GivenGradient {
  Node *input = nullptr;
  /// Of the gradient of the result: that of the input, typed, appended to the graph.
  std::function<llvm::Expected<Node *>(Node *gradient)> backward;
};
/// By the node that is the result.
using GivenGradients = llvm::DenseMap<const Node *, GivenGradient>;

struct GradientRequest {
  /// what is differentiated
  Node *of = nullptr;
  /// its tensors: what it is differentiated by
  std::vector<Node *> with;
  /// The gradient of `of` itself, of its sizes and dtype; null: one, where `of` has one element.
  Node *seed = nullptr;
  /// null: all gradients come of the rules
  const GivenGradients *given = nullptr;
};

/// By element of `with`: its gradient; null where `of` does not depend on it. New nodes come to stand where the builder
/// does, which must be behind `of`.
[[nodiscard]] llvm::Expected<std::vector<Node *>> appendGradients(GraphBuilder &builder,
                                                                  const GradientRequest &request);

/// The targets that have a rule, sorted.
[[nodiscard]] std::vector<std::string> differentiableTargets();

} // namespace ccgraph::tracer

// Reverse mode: appends the nodes that compute the gradients of a loss.
//
//   Node *x = b.input("x", ...), *w = b.input("w", ...);
//   Node *loss = b.call("aten.sum.default", {b.call("aten.mm.default", {x, w})});
//   auto gradients = appendGradients(b, {.of = loss, .with = {w}});      // one node for each of `with`
//
// A rule for each operator on the path from `with` to `of` turns the gradient of its result into those of its operands.
// The formulas are the published derivatives of these functions, written in the operators of PyTorch's own backward
// graphs (see tools/autograd/derivatives.yaml in PyTorch's source): `_softmax_backward_data` for a softmax, `mm(g,
// t(b))` and `mm(t(a), g)` for a product. The rules of collectives are those of torch.distributed:
//   all_reduce sum, avg       all_reduce of the same kind
//   all_gather                reduce_scatter sum
//   reduce_scatter sum, avg   all_gather (divided by the ranks)
//   all_to_all                all_to_all with the splits exchanged
//   broadcast                 all_reduce sum, times one on the sender and zero on the others
// Each is followed directly by its wait, which the passes move to its final place. So the sum of all ranks' losses is
// differentiated, as in PyTorch's data parallel steps.
//
// The gradients of a value with several readers are added in reverse program order. The gradient of a repeated value
// (broadcasting, expand) is summed, and that of a cast value is cast back. New nodes have the frame and the provenance
// of the nodes that they differentiate. They have no types yet: call inferTypes (infer_types.h).
//
// Ownership: nodes belong to the builder's graph. Failure: a DiagnosticError; nodes that were appended are then left
// without readers. Rules:
//   gradient.no-rule      an operator on the path has none, or none for these arguments
//   gradient.loss         the loss is no tensor of one floating-point element, and no seed was given
//   gradient.written      a value on the path is written in place: the graph must be functional
//   gradient.sizes        a size on the path is not a number
//   gradient.no-type      a node on the path has no type
//   gradient.function     a gradient that was given (GivenGradient) is not of its input's dtype and sizes, or there is
//                         not one for each input
// Cost: linear in the nodes.
#pragma once

#include "ccgraph/ir/builder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <string>
#include <vector>

namespace ccgraph::tracer {

/// A user-defined gradient: it replaces the rules for the part of the graph from `inputs` to its result.
struct GivenGradient {
  std::vector<Node *> inputs;
  /// Returns the gradient of each input, typed and appended to the graph, given the gradient of the result.
  std::function<llvm::Expected<std::vector<Node *>>(Node *gradient)> backward;
};
/// Given gradients, by the node that is the result.
using GivenGradients = llvm::DenseMap<const Node *, GivenGradient>;

struct GradientRequest {
  /// the value that is differentiated
  Node *of = nullptr;
  /// its tensors: what it is differentiated by
  std::vector<Node *> with;
  /// The gradient of `of` itself, with its sizes and dtype; null: one, where `of` has one element.
  Node *seed = nullptr;
  /// null: the rules supply all gradients
  const GivenGradients *given = nullptr;
};

/// Returns the gradient of each element of `with`; null where `of` does not depend on it. New nodes are inserted at the
/// builder's position, which must be after `of`.
[[nodiscard]] llvm::Expected<std::vector<Node *>> appendGradients(GraphBuilder &builder,
                                                                  const GradientRequest &request);

/// Returns the targets that have a rule, sorted.
[[nodiscard]] std::vector<std::string> differentiableTargets();

} // namespace ccgraph::tracer

#include "placed_call.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::placements {
namespace {

/// Reports a function along dimensions of which the ranks hold parts.
Hold partOfDimension(PlacedCall &call, size_t axis, HeldOperand input) {
  return call.report({FindingKind::PartOfDimension, axis, input.node,
                      call.base().str() + " reads a whole dimension of " + input.node->name().str().str() +
                          ", which is cut over " + call.axisName(axis),
                      "gather it over " + call.axisName(axis) + " before, or reduce its maximum and sums"});
}

void settleAxes(PlacedCall &call, Held &result) {
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    if (result.axes[axis].kind != HoldKind::Sharded)
      result.settle(axis, result.axes[axis]);
}

/// Decides each axis of a function of `input` along dimensions: elementwise along the others.
Held placeAlongDims(PlacedCall &call, HeldOperand input, llvm::ArrayRef<size_t> dims) {
  Held result = *input.held;
  for (size_t axis = 0; axis != call.numAxes(); ++axis) {
    std::optional<size_t> cut = result.dimOf(axis);
    if (cut && llvm::is_contained(dims, *cut))
      result.settle(axis, partOfDimension(call, axis, input));
    else if (result.has(axis, HoldKind::Partial))
      result.settle(axis, nonlinearHold(call, axis, input));
  }
  result.isUniform = result.isZero = false;
  return result;
}

Held placeSoftmax(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  if (!input.held || input.held->dims.empty())
    return call.undecided();
  const size_t dims[] = {call.dimension(1, input.held->dims.size(), -1)};
  return placeAlongDims(call, input, dims);
}

/// _softmax_backward_data(grad, output, dim, dtype) is linear in grad.
Held placeSoftmaxBackward(PlacedCall &call) {
  HeldOperand grad = call.operand(0), output = call.operand(1);
  if (!grad.held || !output.held || output.held->dims.empty())
    return call.undecided();
  Elementwise function;
  function.operands = {{grad, 'm'}, {output, 'n'}};
  for (size_t dim = 0; dim != output.held->dims.size(); ++dim)
    function.sizes.push_back(output.held->localSize(dim));
  Held result = placeElementwise(call, function);
  const size_t dim = call.dimension(2, output.held->dims.size(), -1);
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    if (result.dimOf(axis) == std::optional(dim))
      result.settle(axis, partOfDimension(call, axis, output));
  return result;
}

/// The last dimensions, as many as the normalized shape has.
std::vector<size_t> normalizedDims(const PlacedCall &call, size_t position, size_t rank) {
  std::optional<IntList> shape = call.integers(position);
  std::vector<size_t> dims;
  for (size_t dim = rank - std::min(rank, shape ? shape->size() : 1); dim != rank; ++dim)
    dims.push_back(dim);
  return dims;
}

Held scaledBy(PlacedCall &call, const Held &normalized, llvm::ArrayRef<HeldOperand> weights) {
  Elementwise function;
  function.operands.push_back({{&normalized, &call.node()}, 'n'});
  for (const HeldOperand &weight : weights)
    if (weight.held)
      function.operands.push_back({weight, 'n'});
  for (size_t dim = 0; dim != normalized.dims.size(); ++dim)
    function.sizes.push_back(normalized.localSize(dim));
  return placeElementwise(call, function);
}

Held listOf(PlacedCall &call, std::vector<Held> elements) {
  Held result;
  result.axes.resize(call.numAxes());
  for (Held &element : elements)
    settleAxes(call, element);
  result.elements = std::move(elements);
  return result;
}

/// native_layer_norm(x, shape, weight, bias, eps) -> y, mean, rstd; _fused_rms_norm(x, shape, weight, eps) -> y, rstd.
Held placeNorm(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  if (!input.held)
    return call.undecided();
  const bool isLayerNorm = call.base() == "aten.native_layer_norm" || call.base() == "aten.layer_norm";
  std::vector<size_t> dims = normalizedDims(call, 1, input.held->dims.size());
  Held normalized = placeAlongDims(call, input, dims);
  std::vector<HeldOperand> weights = {call.operand(2)};
  if (isLayerNorm)
    weights.push_back(call.operand(3));
  Held statistics = normalized;
  for (size_t dim : dims)
    statistics.dims[dim] = {call.maker().local(1)};
  Held output = scaledBy(call, normalized, weights);
  if (call.base() == "aten.rms_norm" || call.base() == "aten.layer_norm")
    return output;
  return isLayerNorm ? listOf(call, {output, statistics, statistics}) : listOf(call, {output, statistics});
}

/// native_layer_norm_backward(grad, x, shape, mean, rstd, weight, bias, mask) -> dx, dweight, dbias, and
/// _fused_rms_norm_backward(grad, x, shape, rstd, weight, mask) -> dx, dweight.
Held placeNormBackward(PlacedCall &call) {
  HeldOperand grad = call.operand(0), input = call.operand(1);
  if (!grad.held || !input.held)
    return call.undecided();
  const bool isLayerNorm = call.base() == "aten.native_layer_norm_backward";
  std::vector<size_t> dims = normalizedDims(call, 2, input.held->dims.size());
  Elementwise function;
  function.operands = {{grad, 'm'}, {input, 'n'}};
  if (HeldOperand weight = call.operand(isLayerNorm ? 5 : 4); weight.held)
    function.operands.push_back({weight, 'n'});
  for (size_t dim = 0; dim != input.held->dims.size(); ++dim)
    function.sizes.push_back(input.held->localSize(dim));
  Held gradient = placeElementwise(call, function);
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    if (std::optional<size_t> cut = gradient.dimOf(axis); cut && llvm::is_contained(dims, *cut))
      gradient.settle(axis, partOfDimension(call, axis, input));
  Held weight = placeSumTo(call, gradient, dims);
  return isLayerNorm ? listOf(call, {gradient, weight, weight}) : listOf(call, {gradient, weight});
}

/// Decides each axis of a norm of groups of channels: the examples of a batch are apart. Undecided where an axis cuts
/// channels, since the ranks may hold parts of a group.
Held perExample(PlacedCall &call, HeldOperand input) {
  Held result = *input.held;
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    if (std::optional<size_t> cut = result.dimOf(axis); cut && *cut != 0)
      result.settle(axis, {HoldKind::Undecided});
    else if (result.has(axis, HoldKind::Partial))
      result.settle(axis, nonlinearHold(call, axis, input));
  result.isUniform = result.isZero = false;
  return result;
}

/// Joins what the weights of the channels make undecided.
void joinWeights(PlacedCall &call, Held &output, llvm::ArrayRef<HeldOperand> weights) {
  for (const HeldOperand &weight : weights)
    for (size_t axis = 0; weight.held && axis != call.numAxes(); ++axis)
      if (!weight.held->has(axis, HoldKind::Replicated) && !output.has(axis, HoldKind::Undecided))
        output.settle(axis, {HoldKind::Undecided});
}

/// native_group_norm(x, weight, bias, N, C, HxW, groups, eps) -> y, mean, rstd.
Held placeGroupNorm(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  if (!input.held || input.held->dims.size() < 2)
    return call.undecided();
  Held output = perExample(call, input), statistics = output;
  statistics.dims.truncate(1);
  statistics.dims.push_back({call.maker().local(call.integer(6).value_or(1))});
  joinWeights(call, output, {call.operand(1), call.operand(2)});
  return listOf(call, {output, statistics, statistics});
}

/// group_norm(x, groups, weight, bias, eps).
Held placeComposedGroupNorm(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  if (!input.held || input.held->dims.size() < 2)
    return call.undecided();
  Held output = perExample(call, input);
  joinWeights(call, output, {call.operand(2), call.operand(3)});
  return output;
}

/// native_group_norm_backward(grad, x, mean, rstd, weight, N, C, HxW, groups, mask) -> dx, dweight, dbias.
Held placeGroupNormBackward(PlacedCall &call) {
  HeldOperand grad = call.operand(0), input = call.operand(1);
  if (!grad.held || !input.held || input.held->dims.size() < 2)
    return call.undecided();
  const Held examples = perExample(call, input);
  Elementwise function;
  function.operands = {{grad, 'm'}, {{&examples, input.node}, 'n'}};
  for (size_t dim = 0; dim != examples.dims.size(); ++dim)
    function.sizes.push_back(examples.localSize(dim));
  Held gradient = placeElementwise(call, function);
  Held weight = placeSumTo(call, gradient, {1});
  joinWeights(call, gradient, {call.operand(4)});
  return listOf(call, {gradient, weight, weight});
}

/// Returns a tensor of scores or probabilities without its dimension of classes; a tensor of labels has none.
Held withoutClasses(PlacedCall &call, HeldOperand scores, size_t rank) {
  if (scores.held->dims.size() != rank)
    return *scores.held;
  const size_t dims[] = {rank > 1 ? size_t{1} : size_t{0}};
  Held rows = placeAlongDims(call, scores, dims);
  rows.dims.erase(rows.dims.begin() + static_cast<std::ptrdiff_t>(dims[0]));
  return rows;
}
/// Returns the loss of each example.
std::optional<Held> lossOfExamples(PlacedCall &call) {
  HeldOperand input = call.operand(0), target = call.operand(1);
  if (!input.held || !target.held || input.held->dims.empty())
    return std::nullopt;
  const size_t rank = input.held->dims.size();
  const Held rows = withoutClasses(call, input, rank), targets = withoutClasses(call, target, rank);
  Elementwise function;
  function.operands = {{{&rows, input.node}, 'n'}, {{&targets, target.node}, 'n'}};
  for (size_t dim = 0; dim != rows.dims.size(); ++dim)
    function.sizes.push_back(rows.localSize(dim));
  return placeElementwise(call, function);
}
/// Returns whether argument 3, the reduction, is a sum or a mean.
bool isReduced(const PlacedCall &call) { return call.integer(3).value_or(1) != 0; }

/// nll_loss_forward(x, target, weight, reduction, ignore_index) -> loss, weight of all targets.
Held placeLoss(PlacedCall &call) {
  std::optional<Held> each = lossOfExamples(call);
  if (!each)
    return call.undecided();
  Held sum = placeSumTo(call, *each, {});
  return listOf(call, {isReduced(call) ? sum : *each, sum});
}
/// cross_entropy_loss(x, target, weight, reduction, ignore_index, label_smoothing) and nll_loss(x, target, weight,
/// reduction, ignore_index).
Held placeComposedLoss(PlacedCall &call) {
  std::optional<Held> each = lossOfExamples(call);
  if (!each)
    return call.undecided();
  return isReduced(call) ? placeSumTo(call, *each, {}) : *each;
}

/// nll_loss_backward(grad, x, target, weight, reduction, ignore_index, weight of all targets).
Held placeLossBackward(PlacedCall &call) {
  HeldOperand grad = call.operand(0), input = call.operand(1), target = call.operand(2);
  if (!grad.held || !input.held || !target.held || input.held->dims.empty())
    return call.undecided();
  Held wide = *target.held, gradient = *grad.held;
  const size_t classes = input.held->dims.size() > 1 ? 1 : 0;
  wide.dims.insert(wide.dims.begin() + static_cast<std::ptrdiff_t>(classes), DimFactors{call.maker().local(1)});
  if (!gradient.dims.empty())
    gradient.dims.insert(gradient.dims.begin() + static_cast<std::ptrdiff_t>(classes),
                         DimFactors{call.maker().local(1)});
  Elementwise function;
  function.operands = {{{&gradient, grad.node}, 'm'}, {input, 'n'}, {{&wide, target.node}, 'n'}};
  for (size_t dim = 0; dim != input.held->dims.size(); ++dim)
    function.sizes.push_back(input.held->localSize(dim));
  return placeElementwise(call, function);
}

/// Attention of q, k, v [.., sequence, size]: batch and heads are elementwise, the sequence of q may be cut.
Held placeAttention(PlacedCall &call) {
  HeldOperand q = call.operand(0), k = call.operand(1), v = call.operand(2);
  const size_t rank = q.held ? q.held->dims.size() : 0;
  if (rank < 3 || !k.held || !v.held || k.held->dims.size() != rank || v.held->dims.size() != rank)
    return call.undecided();
  Elementwise function;
  std::vector<Held> flat;
  flat.reserve(3);
  for (const HeldOperand &operand : {q, k, v}) {
    flat.push_back(*operand.held);
    const bool isQuery = operand.node == q.node && flat.size() == 1;
    for (size_t axis = 0; axis != call.numAxes(); ++axis)
      if (std::optional<size_t> cut = flat.back().dimOf(axis); cut && *cut + (isQuery ? 1 : 2) >= rank)
        // Keys that are cut are ring attention, or a mistake: the ranks then hold parts of a softmax.
        flat.back().settle(axis, *cut + 1 == rank ? partOfDimension(call, axis, operand) : varyingSince(call.node()));
    if (!isQuery)
      flat.back().dims[rank - 2] = {call.maker().local(1)};
    flat.back().dims[rank - 1] = {call.maker().local(1)};
    function.operands.push_back({{&flat.back(), operand.node}, 'n'});
  }
  // Grouped queries have more heads than keys.
  for (size_t dim = 0; dim + 1 < rank; ++dim)
    function.sizes.push_back(q.held->localSize(dim));
  function.sizes.push_back(1);
  Held rows = placeElementwise(call, function), output = rows;
  output.dims[rank - 1] = {call.maker().local(v.held->localSize(rank - 1))};
  rows.dims.pop_back();
  if (call.base() == "aten.scaled_dot_product_attention")
    return output;
  std::vector<Held> elements = {output, rows};
  const Type *type = call.node().type();
  for (size_t i = 2; type && type->isList() && i < type->elements().size(); ++i) {
    elements.push_back(call.fresh(call.resultSizes(i).value_or(IntList())));
    for (Hold &hold : elements.back().axes)
      hold.assumed = true;
  }
  return listOf(call, std::move(elements));
}

/// Gradients of attention(grad, q, k, v, out, ..) -> dq, dk, dv.
Held placeAttentionBackward(PlacedCall &call) {
  HeldOperand grad = call.operand(0);
  std::vector<Held> elements;
  if (!grad.held || !call.operand(3).held)
    return call.undecided();
  const size_t rank = grad.held->dims.size();
  for (size_t position : {1, 2, 3}) {
    HeldOperand of = call.operand(position);
    Held result = *of.held;
    for (size_t axis = 0; axis != call.numAxes(); ++axis) {
      const Hold &g = grad.held->axes[axis];
      std::optional<size_t> cut = grad.held->dimOf(axis);
      if (g.kind == HoldKind::Undecided || result.has(axis, HoldKind::Undecided))
        result.settle(axis, g.kind == HoldKind::Undecided ? g : result.axes[axis]);
      else if (cut == std::optional(rank - 2) && position != 1 && !result.dimOf(axis))
        result.settle(axis, partialSince(call.node(), ReduceOp::Sum));
      else if (g.kind == HoldKind::Partial && result.has(axis, HoldKind::Replicated))
        result.settle(axis, g);
      else if (g.kind == HoldKind::Varying)
        result.settle(axis, g);
      else if (g.kind == HoldKind::Sharded && result.has(axis, HoldKind::Replicated))
        result.settle(axis, varyingSince(call.node())); // the ranks have gradients of other rows
    }
    result.isUniform = result.isZero = false;
    elements.push_back(std::move(result));
  }
  const Type *type = call.node().type();
  for (size_t i = 3; type && type->isList() && i < type->elements().size(); ++i)
    elements.push_back(call.fresh(call.resultSizes(i).value_or(IntList())));
  return listOf(call, std::move(elements));
}

/// native_dropout(x, p, train) -> y, mask: the mask is random.
Held placeDropout(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  if (!input.held)
    return call.undecided();
  Held output = *input.held, mask = *input.held;
  for (size_t axis = 0; axis != call.numAxes(); ++axis) {
    output.axes[axis].assumed |= output.has(axis, HoldKind::Replicated);
    if (mask.has(axis, HoldKind::Replicated) || mask.has(axis, HoldKind::Partial))
      mask.axes[axis] = {.assumed = true};
  }
  output.isUniform = mask.isUniform = mask.isZero = false;
  return listOf(call, {output, mask});
}

/// dropout(x, p, train).
Held placeComposedDropout(PlacedCall &call) {
  if (!call.flag(2) && call.operand(0).held)
    return *call.operand(0).held;
  Held both = placeDropout(call);
  return both.elements.empty() ? both : both.elements.front();
}

/// log_sigmoid_forward(x) -> y, buffer. The buffer has an element for each of x, or none.
Held placeLogSigmoid(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  if (!input.held)
    return call.undecided();
  Held output = *input.held;
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    if (output.has(axis, HoldKind::Partial))
      output.settle(axis, nonlinearHold(call, axis, input));
  output.isZero = false;
  std::optional<IntList> sizes = call.resultSizes(1);
  const bool isEmpty = sizes && llvm::is_contained(*sizes, 0);
  return listOf(call, {output, isEmpty ? call.fresh(*sizes) : output});
}

constexpr PlacementRuleEntry layerRows[] = {
    {"aten._fused_rms_norm", placeNorm},
    {"aten._fused_rms_norm_backward", placeNormBackward},
    {"aten._log_softmax", placeSoftmax},
    {"aten._log_softmax_backward_data", placeSoftmaxBackward},
    {"aten._scaled_dot_product_cudnn_attention", placeAttention},
    {"aten._scaled_dot_product_efficient_attention", placeAttention},
    {"aten._scaled_dot_product_efficient_attention_backward", placeAttentionBackward},
    {"aten._scaled_dot_product_flash_attention", placeAttention},
    {"aten._scaled_dot_product_flash_attention_backward", placeAttentionBackward},
    {"aten._scaled_dot_product_flash_attention_for_cpu", placeAttention},
    {"aten._scaled_dot_product_flash_attention_for_cpu_backward", placeAttentionBackward},
    {"aten._softmax", placeSoftmax},
    {"aten._softmax_backward_data", placeSoftmaxBackward},
    {"aten.cross_entropy_loss", placeComposedLoss},
    {"aten.dropout", placeComposedDropout},
    {"aten.group_norm", placeComposedGroupNorm},
    {"aten.layer_norm", placeNorm},
    {"aten.log_sigmoid_forward", placeLogSigmoid},
    {"aten.log_softmax", placeSoftmax},
    {"aten.native_dropout", placeDropout},
    {"aten.native_group_norm", placeGroupNorm},
    {"aten.native_group_norm_backward", placeGroupNormBackward},
    {"aten.native_layer_norm", placeNorm},
    {"aten.native_layer_norm_backward", placeNormBackward},
    {"aten.nll_loss", placeComposedLoss},
    {"aten.nll_loss_backward", placeLossBackward},
    {"aten.nll_loss_forward", placeLoss},
    {"aten.nll_loss_nd", placeComposedLoss},
    {"aten.rms_norm", placeNorm},
    {"aten.scaled_dot_product_attention", placeAttention},
    {"aten.softmax", placeSoftmax},
};

} // namespace

llvm::ArrayRef<PlacementRuleEntry> layerPlacements() { return layerRows; }

} // namespace ccgraph::placements

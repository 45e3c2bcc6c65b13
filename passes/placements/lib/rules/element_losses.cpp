#include "placed_call.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::placements {
namespace {

/// loss(x, y): a function of each pair of elements, then their sum or mean. `tensors` are the positions of the
/// operands, `reduction` is 0 for none.
Held placeElementLoss(PlacedCall &call, llvm::ArrayRef<size_t> tensors, size_t reduction) {
  HeldOperand input = call.operand(0);
  if (!input.held)
    return call.undecided();
  Elementwise function;
  for (size_t dim = 0; dim != input.held->dims.size(); ++dim)
    function.sizes.push_back(input.held->localSize(dim));
  for (size_t position : tensors)
    if (HeldOperand operand = call.operand(position); operand.held)
      function.operands.push_back({operand, 'n'});
  Held each = placeElementwise(call, function);
  return call.integer(reduction).value_or(1) == 0 ? each : placeSumTo(call, each, {});
}

/// mse_loss(x, y, reduction), huber_loss(x, y, reduction, delta), smooth_l1_loss(x, y, reduction, beta).
Held placePairLoss(PlacedCall &call) { return placeElementLoss(call, {0, 1}, 2); }
/// binary_cross_entropy(x, y, weight, reduction).
Held placeWeightedLoss(PlacedCall &call) { return placeElementLoss(call, {0, 1, 2}, 3); }
/// binary_cross_entropy_with_logits(x, y, weight, weight of positives, reduction).
Held placeLogitLoss(PlacedCall &call) { return placeElementLoss(call, {0, 1, 2, 3}, 4); }

constexpr PlacementRuleEntry lossRows[] = {
    {"aten.binary_cross_entropy", placeWeightedLoss},
    {"aten.binary_cross_entropy_with_logits", placeLogitLoss},
    {"aten.huber_loss", placePairLoss},
    {"aten.l1_loss", placePairLoss},
    {"aten.mse_loss", placePairLoss},
    {"aten.smooth_l1_loss", placePairLoss},
    {"aten.soft_margin_loss", placePairLoss},
};

} // namespace

llvm::ArrayRef<PlacementRuleEntry> elementLossPlacements() { return lossRows; }

} // namespace ccgraph::placements

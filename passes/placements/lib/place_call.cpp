#include "placed_call.h"

#include "ccgraph/ir/work.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace ccgraph::placements {
namespace {

PlacementRule findPlacementRule(llvm::StringRef base) {
  static const llvm::StringMap<PlacementRule> rules = [] {
    llvm::StringMap<PlacementRule> map;
    for (llvm::ArrayRef<PlacementRuleEntry> table :
         {viewPlacements(), joinPlacements(), creationPlacements(), productPlacements(), reductionPlacements(),
          indexPlacements(), layerPlacements(), convolutionPlacements(), elementLossPlacements()})
      for (const PlacementRuleEntry &entry : table)
        map[entry.base] = entry.rule;
    return map;
  }();
  return rules.lookup(base);
}

/// A function without a rule is equal on all ranks of an axis if its operands are: it has no random state. Of operands
/// that vary it makes what varies.
Held placeUnknown(PlacedCall &call) {
  Held result = call.undecided();
  const OpDef &op = *call.node().op();
  const Type *type = call.node().type();
  const bool isDetermined = !op.opaque && op.domain == Domain::None;
  for (size_t axis = 0; axis != call.numAxes(); ++axis) {
    bool isEqual = isDetermined && !call.literalVaries(axis);
    Hold cause{HoldKind::Undecided};
    for (const Node *operand : call.node().dataOperands()) {
      const Hold &hold = call.state().held[operand->id()].axes[axis];
      isEqual &= hold.kind == HoldKind::Replicated;
      if (hold.kind == HoldKind::Undecided) {
        cause = hold;
        break;
      }
      if (hold.kind == HoldKind::Varying && isDetermined)
        cause = varyingSince(call.node());
    }
    result.axes[axis] = isEqual ? Hold() : cause;
  }
  if (type && type->isList())
    for (size_t i = 0; i != type->elements().size(); ++i) {
      Held element = call.fresh(call.resultSizes(i).value_or(IntList()));
      element.axes = result.axes;
      result.elements.push_back(std::move(element));
    }
  return result;
}

/// _foreach_add([a, b], [c, d]): the operator for each element.
Held placeForEach(PlacedCall &call, llvm::StringRef base) {
  Held list;
  list.axes.resize(call.numAxes());
  const llvm::StringRef roles = elementwiseRoles(base);
  const size_t count = call.operands(0).size();
  for (size_t i = 0; i != count; ++i) {
    Elementwise function;
    for (size_t position = 0; position != call.node().op()->params.size(); ++position) {
      std::vector<HeldOperand> operands = call.operands(position);
      const char role = position < roles.size() ? roles[position] : 'n';
      if (operands.size() == count || operands.size() == 1)
        function.operands.push_back({operands[operands.size() == count ? i : 0], role});
      else if (role == 'a' && call.number(position).value_or(0) != 0)
        function.addsNumber = true;
    }
    const Held &first = *function.operands.front().operand.held;
    for (size_t dim = 0; dim != first.dims.size(); ++dim)
      function.sizes.push_back(first.localSize(dim));
    list.elements.push_back(placeElementwise(call, function));
  }
  return list;
}

/// A norm of each element.
Held placeForEachNorm(PlacedCall &call) {
  Held list;
  list.axes.resize(call.numAxes());
  for (const HeldOperand &operand : call.operands(0)) {
    Held norm = call.fresh({});
    for (size_t axis = 0; axis != call.numAxes(); ++axis)
      norm.axes[axis] = operand.held->has(axis, HoldKind::Sharded) ? provenVaryingSince(call.node())
                                                                   : nonlinearHold(call, axis, operand);
    list.elements.push_back(std::move(norm));
  }
  return list;
}

Held placeByBase(PlacedCall &call, llvm::StringRef base) {
  if (base.consume_front("aten._foreach_"))
    return base.startswith("norm") ? placeForEachNorm(call) : placeForEach(call, ("aten." + base).str());
  if (PlacementRule rule = findPlacementRule(base))
    return rule(call);
  // An assertion has no result, and each rank may check its own part.
  if (base.startswith("aten._assert_"))
    return placeUnknown(call);
  llvm::StringRef roles = elementwiseRoles(base);
  if (!roles.empty() || workFamily(*call.node().op()) == WorkFamily::Pointwise)
    return placePointwise(call, roles);
  return placeUnknown(call);
}

} // namespace

Held placeCall(PlacedCall &call) {
  llvm::StringRef base = call.base();
  if (call.node().op()->role == OpRole::Wait) {
    HeldOperand input = call.operand(0);
    if (input.held)
      return *input.held;
    Held list;
    list.axes.resize(call.numAxes());
    for (const HeldOperand &operand : call.operands(0))
      list.elements.push_back(*operand.held);
    return list;
  }
  if (call.node().op()->role == OpRole::GetItem)
    base = "operator.getitem";
  else if (base.endswith("_") && !base.endswith("__"))
    base = base.drop_back();
  Held result = placeByBase(call, base);
  if (!call.problem().empty())
    result = placeUnknown(call);
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    if (call.operandsVary(axis) && !result.has(axis, HoldKind::Undecided) &&
        !(base == "aten.cat" && result.has(axis, HoldKind::Partial)))
      result.settle(axis, provenVaryingSince(call.node()));
  auto isMade = [&](const Node *operand) { return call.state().held[operand->id()].isMade; };
  result.isMade |= call.node().numOperands() != 0 && llvm::all_of(call.node().dataOperands(), isMade);
  return result;
}

} // namespace ccgraph::placements

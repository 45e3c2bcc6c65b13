#include "placed_call.h"

#include "ccgraph/ir/work.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace ccgraph::placements {
namespace {

struct RolesEntry {
  llvm::StringLiteral base;
  /// by position of the schema, the role of a tensor there; 'o': the target that is overwritten
  llvm::StringLiteral roles;
};

/// Functions that are linear in some of their arguments. Functions that are not listed are linear in none.
constexpr RolesEntry linearFunctions[] = {
    {"ao.offload", "m"},
    {"ao.reload", "m"},
    {"aten._conj", "m"},
    {"aten._to_copy", "m"},
    {"aten._conj_physical", "m"},
    {"aten.add", "aa"},
    {"aten.addcdiv", "amn"},
    {"aten.addcmul", "amm"},
    {"aten.alias", "m"},
    {"aten.binary_cross_entropy_backward", "mnnn"},
    {"aten.clone", "m"},
    {"aten.contiguous", "m"},
    {"aten.copy", "oa"},
    {"aten.detach", "m"},
    {"aten.div", "mn"},
    {"aten.elu_backward", "mnnnnn"},
    {"aten.floor_divide", "nn"}, // PyTorch does not mark it as pointwise
    {"aten.gelu_backward", "mn"},
    {"aten.hardsigmoid_backward", "mn"},
    {"aten.hardswish_backward", "mn"},
    {"aten.hardtanh_backward", "mn"},
    {"aten.huber_loss_backward", "mnn"},
    {"aten.leaky_relu_backward", "mn"},
    {"aten.lerp", "aan"},
    {"aten.lift_fresh_copy", "m"},
    {"aten.log_sigmoid_backward", "mnn"},
    {"aten.masked_fill", "ana"},
    {"aten.mish_backward", "mn"},
    {"aten.mse_loss_backward", "mnn"},
    {"aten.mul", "mm"},
    {"aten.native_dropout_backward", "mn"},
    {"aten.neg", "m"},
    {"aten.positive", "m"},
    {"aten.rsub", "aa"},
    {"aten.sigmoid_backward", "mn"},
    {"aten.silu_backward", "mn"},
    {"aten.smooth_l1_loss_backward", "mnn"},
    {"aten.soft_margin_loss_backward", "mnn"},
    {"aten.softplus_backward", "mn"},
    {"aten.sub", "aa"},
    {"aten.tanh_backward", "mn"},
    {"aten.threshold_backward", "mn"},
    {"aten.to", "m"},
    {"aten.where", "naa"},
    {"prims.convert_element_type", "m"},
};

bool isCast(llvm::StringRef base) {
  return base == "prims.convert_element_type" || base == "aten._to_copy" || base == "aten.to";
}

/// Returns the value that casts have turned into this one.
const Node &beforeCasts(const Node &value) {
  const Node *node = &value;
  while (node->opcode() == Opcode::CallFunction && node->numOperands() == 1 &&
         isCast(baseOfTarget(node->target().str())))
    node = node->operand(0);
  return *node;
}

bool isComparison(llvm::StringRef base) {
  static constexpr llvm::StringLiteral comparisons[] = {"aten.eq", "aten.ge", "aten.gt",
                                                        "aten.le", "aten.lt", "aten.ne"};
  return llvm::is_contained(comparisons, base);
}

bool isPartial(const RoledOperand &operand, size_t axis) { return operand.operand.held->has(axis, HoldKind::Partial); }

std::string reductionText(ReduceOp op) { return op == ReduceOp::Sum ? "sum" : reduceOpName(op).str(); }

/// Chooses the factors of each dimension of the result.
class DimMerger {
public:
  DimMerger(PlacedCall &call, const Elementwise &function)
      : call_(call), function_(function), result_(call.fresh(function.sizes)) {}

  Held merge() {
    for (size_t dim = 0; dim != function_.sizes.size(); ++dim)
      mergeDim(dim);
    settleConflicts();
    result_.noteFactors();
    return std::move(result_);
  }

private:
  struct Candidate {
    const DimFactors *factors;
    const RoledOperand *operand;
  };

  [[nodiscard]] std::vector<Candidate> candidatesOf(size_t dim) const {
    std::vector<Candidate> candidates;
    for (const RoledOperand &operand : function_.operands) {
      const Held &held = *operand.operand.held;
      size_t missing = function_.sizes.size() - std::min(function_.sizes.size(), held.dims.size());
      if (dim < missing || held.isUniform)
        continue;
      const DimFactors &factors = held.dims[dim - missing];
      if (localSizeOf(factors) == function_.sizes[dim])
        candidates.push_back({&factors, &operand});
    }
    return candidates;
  }

  void mergeDim(size_t dim) {
    std::vector<Candidate> candidates = candidatesOf(dim);
    const Candidate *best = nullptr;
    auto axesOf = [](const DimFactors &factors) {
      return llvm::count_if(factors, [](const Factor &factor) { return !factor.isLocal(); });
    };
    for (const Candidate &candidate : candidates)
      if (!best || axesOf(*candidate.factors) > axesOf(*best->factors))
        best = &candidate;
    if (!best)
      return;
    for (const Candidate &other : candidates) {
      compare(*best, other);
      noteWhole(*best, other, dim);
    }
    result_.dims[dim] = *best->factors;
  }

  /// Notes the axes that cut both operands along this dimension in another order or in other blocks, and those that
  /// cut the other operand alone.
  void compare(const Candidate &best, const Candidate &other) {
    const bool isSame = sameCuts(*best.factors, *other.factors);
    for (const Factor &factor : *other.factors) {
      if (factor.isLocal())
        continue;
      const auto axis = static_cast<size_t>(factor.axis);
      const Held &held = *best.operand->operand.held;
      const bool inBest = llvm::any_of(*best.factors, [&](const Factor &of) { return of.axis == factor.axis; });
      if (inBest && isSame)
        continue;
      const bool isGuess = inBest && (hasGuess(*best.factors) || hasGuess(*other.factors));
      if (isGuess || (!inBest && (held.isMade || !held.has(axis, HoldKind::Replicated))))
        result_.axes[axis] = varyingSince(call_.node());
      else
        conflicts_.push_back({axis, best.operand->operand.node, other.operand->operand.node,
                              inBest ? "are cut in parts of another order or another size"
                                     : "are cut along one dimension over different axes"});
    }
  }

  /// Notes the axes that cut the first operand while the other one is whole, and used in each part alike.
  void noteWhole(const Candidate &best, const Candidate &other, size_t dim) {
    if (function_.sizes[dim] == 1)
      return;
    for (const Factor &factor : *best.factors) {
      if (factor.isLocal() || llvm::any_of(*other.factors, [&](const Factor &of) { return of.axis == factor.axis; }))
        continue;
      const auto axis = static_cast<size_t>(factor.axis);
      if (!other.operand->operand.held->has(axis, HoldKind::Replicated))
        continue;
      result_.axes[axis].isOwn = true;
      call_.assume(call_.node().name().str() + " uses the same " + other.operand->operand.node->name().str() +
                   " for each part over " + call_.axisName(axis));
    }
  }

  void settleConflicts() {
    for (size_t axis = 0; axis != call_.numAxes(); ++axis) {
      size_t found = 0;
      for (const DimFactors &factors : result_.dims)
        found += static_cast<size_t>(
            llvm::count_if(factors, [&](const Factor &factor) { return factor.axis == static_cast<int>(axis); }));
      if (found > 1)
        conflicts_.push_back({axis, function_.operands.front().operand.node, function_.operands.back().operand.node,
                              "are cut along different dimensions"});
    }
    for (const Conflict &conflict : conflicts_) {
      if (result_.axes[conflict.axis].kind == HoldKind::Undecided)
        continue;
      Hold hold = call_.report({FindingKind::MismatchedOperands, conflict.axis, conflict.first,
                                conflict.first->name().str().str() + " and " + conflict.second->name().str().str() +
                                    " " + conflict.how + " over " + call_.axisName(conflict.axis),
                                "gather one of them, or cut both alike"});
      result_.settle(conflict.axis, hold);
    }
  }

  struct Conflict {
    size_t axis;
    const Node *first;
    const Node *second;
    std::string how;
  };
  PlacedCall &call_;
  const Elementwise &function_;
  Held result_;
  std::vector<Conflict> conflicts_;
};

/// Decides one axis of the result from those of the operands.
class AxisCombiner {
public:
  AxisCombiner(PlacedCall &call, const Elementwise &function, size_t axis)
      : call_(call), function_(function), axis_(axis) {}

  /// `now`: what the dimensions say.
  Hold combine(const Hold &now) {
    if (now.kind == HoldKind::Undecided || now.kind == HoldKind::Varying)
      return now;
    for (const RoledOperand &operand : function_.operands)
      if (operand.operand.held->has(axis_, HoldKind::Undecided))
        return operand.operand.held->axes[axis_];
    if (llvm::any_of(function_.operands, [&](const RoledOperand &operand) { return isPartial(operand, axis_); }))
      return combinePartial(now);
    Hold result = now;
    result.isOwn &= now.kind == HoldKind::Sharded;
    if (now.kind == HoldKind::Replicated)
      combineReplicated(result);
    for (const RoledOperand &operand : function_.operands)
      result.isOwn |= result.kind == HoldKind::Sharded &&
                      (operand.operand.held->has(axis_, HoldKind::Varying) || operand.operand.held->axes[axis_].isOwn);
    for (const RoledOperand &operand : function_.operands)
      result.assumed |= result.kind == HoldKind::Replicated && operand.operand.held->axes[axis_].assumed;
    return result;
  }

private:
  void combineReplicated(Hold &result) {
    for (const RoledOperand &operand : function_.operands)
      if (operand.operand.held->has(axis_, HoldKind::Varying))
        result = operand.operand.held->axes[axis_];
    if (result.kind == HoldKind::Replicated && call_.literalVaries(axis_)) {
      result = provenVaryingSince(call_.node());
    }
    // A share stays one if all its terms are shares.
    auto isShare = [&](const RoledOperand &operand) {
      return operand.role == 'n' || operand.operand.held->isZero || operand.operand.held->axes[axis_].isShare;
    };
    result.isShare = llvm::any_of(function_.operands, [&](const RoledOperand &operand) {
      return operand.role != 'n' && operand.operand.held->axes[axis_].isShare;
    });
    if (result.isShare && llvm::any_of(function_.operands, [](const auto &o) { return o.role == 'a'; }))
      result.isShare = llvm::all_of(function_.operands, isShare) && !function_.addsNumber;
  }

  /// The divisor of a mean over what each rank counts itself, such as the labels that it does not ignore.
  [[nodiscard]] bool isCountBelow(const RoledOperand &operand) const {
    const Type *type = beforeCasts(*operand.operand.node).type();
    return call_.base() == "aten.div" && operand.role == 'n' && type && type->isTensor() &&
           classOf(type->dtype()) == DTypeClass::Integer;
  }

  /// A rank compares its own maximum with a value of all ranks to learn whether it holds the maximum of all.
  [[nodiscard]] bool isComparedWithWhole(const RoledOperand &operand) const {
    auto isWhole = [&](const RoledOperand &other) { return other.operand.held->has(axis_, HoldKind::Replicated); };
    return operand.operand.held->axes[axis_].reduction != ReduceOp::Sum && isComparison(call_.base()) &&
           llvm::any_of(function_.operands, isWhole);
  }

  Hold combinePartial(const Hold &now) {
    const RoledOperand *first = nullptr, *factor = nullptr, *addend = nullptr;
    const Node *count = nullptr;
    bool hasTerm = false;
    for (const RoledOperand &operand : function_.operands) {
      if (isPartial(operand, axis_) && isCountBelow(operand)) {
        count = operand.operand.node;
        continue;
      }
      if (!isPartial(operand, axis_)) {
        addend = operand.role == 'a' && !operand.operand.held->isZero ? &operand : addend;
        continue;
      }
      if (isComparedWithWhole(operand))
        return provenVaryingSince(call_.node());
      if (call_.base() == "aten.logical_not" && operand.operand.held->axes[axis_].reduction != ReduceOp::Sum)
        return negated(operand);
      if (operand.role == 'n' || (operand.role == 'm' && factor))
        return unreduced(operand);
      if (first && first->operand.held->axes[axis_].reduction != operand.operand.held->axes[axis_].reduction)
        return unreduced(operand);
      factor = operand.role == 'm' ? &operand : factor;
      hasTerm |= operand.role == 'a';
      first = first ? first : &operand;
    }
    if (count)
      call_.assume("each rank of " + call_.axisName(axis_) + " counts as many elements in " +
                   count->name().str().str());
    if (!first)
      return now;
    if (now.kind == HoldKind::Sharded)
      return unreduced(*first);
    // Factors of a rank's own, such as its share of the examples, give a weighted sum.
    if (call_.literalVaries(axis_))
      return varyingSince(call_.node());
    Hold result = first->operand.held->axes[axis_];
    if (result.reduction != ReduceOp::Sum)
      return function_.isJoin ? joinedExtrema(*first) : extremum(*first);
    for (const RoledOperand &operand : function_.operands) {
      const Hold &hold = operand.operand.held->axes[axis_];
      if (hold.kind != HoldKind::Partial)
        continue;
      result.addition = hold.addition ? hold.addition : result.addition;
      // The sum of two partial sums needs one reduction, after it.
      if (hold.origin != result.origin)
        result.origin = &call_.node();
    }
    // addcmul: the product is a term as well.
    const bool mixes = hasTerm || llvm::any_of(function_.operands, [](const auto &o) { return o.role == 'a'; });
    const bool productIsWhole =
        mixes && !factor && llvm::any_of(function_.operands, [](const auto &o) { return o.role == 'm'; });
    if (addend && addend->operand.held->has(axis_, HoldKind::Varying))
      addend = nullptr;
    const bool isShare = addend && addend->operand.held->axes[axis_].isShare;
    if ((addend && !isShare) || productIsWhole || (mixes && function_.addsNumber))
      result.addition = &call_.node();
    return result;
  }

  [[nodiscard]] Hold negated(const RoledOperand &extremum) const {
    Hold result = extremum.operand.held->axes[axis_];
    result.reduction = result.reduction == ReduceOp::Max ? ReduceOp::Min : ReduceOp::Max;
    return result;
  }

  /// Views and copies keep a partial maximum; a negation makes a partial minimum of it.
  Hold extremum(const RoledOperand &operand) {
    if (call_.base() == "aten.neg")
      return negated(operand);
    bool isCopy = function_.operands.size() == 1 && operand.role == 'm' && call_.node().numOperands() == 1 &&
                  call_.base() != "aten.mul" && call_.base() != "aten.div";
    return isCopy ? operand.operand.held->axes[axis_] : unreduced(operand);
  }

  /// The maximum of equal values over the ranks is the value, so whole values may stand beside partial maxima.
  Hold joinedExtrema(const RoledOperand &partial) {
    for (const RoledOperand &operand : function_.operands)
      if (operand.operand.held->has(axis_, HoldKind::Varying))
        return operand.operand.held->axes[axis_];
    return partial.operand.held->axes[axis_];
  }

  Hold unreduced(const RoledOperand &operand) {
    const HeldOperand operands[] = {operand.operand};
    return nonlinearHold(call_, axis_, operands);
  }

  PlacedCall &call_;
  const Elementwise &function_;
  size_t axis_;
};

} // namespace

Hold nonlinearHold(PlacedCall &call, size_t axis, llvm::ArrayRef<HeldOperand> operands) {
  Hold result;
  for (const HeldOperand &operand : operands) {
    const Hold &hold = operand.held->axes[axis];
    if (hold.kind == HoldKind::Undecided)
      return hold;
    if (hold.kind != HoldKind::Partial) {
      if (hold.kind == HoldKind::Varying)
        result = hold;
      result.assumed |= hold.assumed;
      continue;
    }
    const std::string name = reductionText(hold.reduction), value = operand.node->name().str().str();
    std::string from;
    if (hold.origin && hold.origin != operand.node)
      from = " (it arises at " + hold.origin->name().str().str() + ")";
    return call.report({FindingKind::UnreducedOperand, axis, operand.node,
                        "the partial " + name + " " + value + " over " + call.axisName(axis) + from +
                            " must be reduced before " + call.base().str() + ", which is not linear in it",
                        "add an all_reduce (" + name + ") over " + call.axisName(axis) + " after " + value});
  }
  return result;
}

llvm::StringRef elementwiseRoles(llvm::StringRef base) {
  const auto *entry = llvm::find_if(linearFunctions, [&](const RolesEntry &known) { return known.base == base; });
  return entry == std::end(linearFunctions) ? llvm::StringRef() : llvm::StringRef(entry->roles);
}

Held placeElementwise(PlacedCall &call, const Elementwise &function) {
  Held result = DimMerger(call, function).merge();
  for (size_t axis = 0; axis != call.numAxes(); ++axis) {
    Hold hold = AxisCombiner(call, function, axis).combine(result.axes[axis]);
    if (hold.kind == HoldKind::Sharded)
      result.axes[axis] = hold;
    else
      result.settle(axis, hold);
  }
  return result;
}

namespace {

/// Marks a replicated value that is divided by the ranks of an axis.
void noteShares(PlacedCall &call, Held &result) {
  const bool divides = call.base() == "aten.div", multiplies = call.base() == "aten.mul";
  std::optional<double> number = call.number(1);
  if (!number || (!divides && !multiplies) || *number == 0)
    return;
  const double by = divides ? *number : 1 / *number;
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    if (result.has(axis, HoldKind::Replicated) && std::abs(by - static_cast<double>(call.state().sizeOf(axis))) < 1e-6)
      result.axes[axis].isShare = true;
}

} // namespace

Held placePointwise(PlacedCall &call, llvm::StringRef roles) {
  Elementwise function;
  std::optional<IntList> sizes = call.resultSizes();
  if (!sizes)
    return call.reject("symbolic or unknown sizes"), call.undecided();
  function.sizes = *sizes;
  bool allUniform = true;
  for (size_t position = 0; position != call.node().op()->params.size(); ++position) {
    const char role = position < roles.size() ? roles[position] : 'n';
    for (const HeldOperand &operand : call.operands(position)) {
      allUniform &= operand.held->isUniform;
      if (role != 'o')
        function.operands.push_back({operand, role});
    }
    if (role == 'a' && call.number(position).value_or(0) != 0)
      function.addsNumber = true;
  }
  Held result = placeElementwise(call, function);
  noteShares(call, result);
  bool varies = false;
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    varies |= call.literalVaries(axis);
  result.isMade = llvm::all_of(function.operands, [](const RoledOperand &o) { return o.operand.held->isMade; });
  result.isUniform = allUniform && !varies;
  // A product with zeros is zero; casts and negations keep zeros.
  if (result.isUniform && !roles.empty())
    result.isZero = llvm::any_of(function.operands, [](const RoledOperand &operand) {
      return operand.role == 'm' && operand.operand.held->isZero;
    });
  return result;
}

} // namespace ccgraph::placements

#include "outputs.h"

#include "ccgraph/ir/signature.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::placements {
namespace {

using Stated = AxisPlacement::Kind;

class OutputChecker {
public:
  OutputChecker(InferenceState &state, std::vector<const Node *> leaves) : state_(state), leaves_(std::move(leaves)) {}

  void run() {
    for (const TensorPlacement &placement : state_.question->known.outputs)
      if (placement.position < leaves_.size() && leaves_[placement.position])
        check(placement, *leaves_[placement.position]);
  }

private:
  void check(const TensorPlacement &placement, const Node &value) {
    const Held &held = state_.held[value.id()];
    for (size_t axis = 0; axis != state_.mesh().size(); ++axis) {
      const Hold &hold = held.axes[axis];
      if (hold.kind == HoldKind::Undecided) {
        if (!hold.afterFinding)
          undecided(placement, axis);
        continue;
      }
      checkAxis(placement, value, axis);
    }
  }

  void checkAxis(const TensorPlacement &placement, const Node &value, size_t axis) {
    const Held &held = state_.held[value.id()];
    const Hold &hold = held.axes[axis];
    const AxisPlacement stated = axis < placement.axes.size() ? placement.axes[axis] : AxisPlacement();
    const bool isPartial = stated.kind == Stated::PartialSum || stated.kind == Stated::PartialAvg;
    if (held.isUniform || held.isGuessed(axis))
      return;
    if (hold.kind == HoldKind::Partial && stated.kind == Stated::Shard && isStacked(value, stated.dim))
      return assumePart(placement, axis);
    if (hold.kind == HoldKind::Partial && !isPartial)
      return unreduced(placement, value, axis);
    if (stated.kind == Stated::Replicate && hold.kind == HoldKind::Varying && !hold.isProven)
      return undecided(placement, axis);
    if (stated.kind == Stated::Replicate && hold.kind != HoldKind::Replicated)
      return wrong(placement, value, axis, "add an all_gather, or a reduction, over " + state_.mesh()[axis].name);
    if (stated.kind == Stated::Replicate && hold.assumed)
      state_.answer->assumed.push_back("output " + placement.of + " is equal on all ranks of " +
                                       state_.mesh()[axis].name + " if their random operators draw equal numbers");
    if (stated.kind == Stated::Shard)
      return checkShard(placement, value, axis);
    if (isPartial && hold.kind == HoldKind::Sharded)
      return wrong(placement, value, axis, "");
  }

  void assumePart(const TensorPlacement &placement, size_t axis) {
    state_.answer->assumed.push_back("output " + placement.of + " is the part of each rank of " +
                                     state_.mesh()[axis].name + "; no rule proves it");
  }

  /// Returns whether a value gets the dimension from `unsqueeze`. The ranks then hold the slices of a stack, each its
  /// own value, such as what the compression of its gradient left over: no reduction is missing.
  static bool isStacked(const Node &value, int64_t dim) {
    const Node *node = &value;
    while (node->opcode() == Opcode::CallFunction && node->operand(0)) {
      const llvm::StringRef base = baseOfTarget(node->target().str());
      if (base == "aten.unsqueeze") {
        const Argument *at = argumentAt(*node, 1);
        return at && at->is(Argument::Kind::Int) && at->integer() == dim;
      }
      if (base != "aten.alias" && base != "aten.clone" && base != "aten.detach")
        return false;
      node = node->operand(0);
    }
    return false;
  }

  void checkShard(const TensorPlacement &placement, const Node &value, size_t axis) {
    const Held &held = state_.held[value.id()];
    const Hold &hold = held.axes[axis];
    if (hold.kind == HoldKind::Varying)
      return assumePart(placement, axis);
    const bool isFused = !placement.as.empty() || !placement.parts.empty();
    const auto dim = static_cast<size_t>(placement.axes[axis].dim);
    if (hold.kind != HoldKind::Sharded || (!isFused && held.dimOf(axis) != std::optional(dim)))
      wrong(placement, value, axis, "");
  }

  void unreduced(const TensorPlacement &placement, const Node &value, size_t axis) {
    const Hold &hold = state_.held[value.id()].axes[axis];
    const Node *origin = hold.origin ? hold.origin : &value;
    const std::string name = state_.mesh()[axis].name;
    const bool isShard = axis < placement.axes.size() && placement.axes[axis].kind == Stated::Shard;
    state_.answer->findings.push_back({FindingKind::UnreducedOutput, axis, &value, origin,
                                       "output " + placement.of + " is a partial " +
                                           reduceOpName(hold.reduction).str() + " over " + name + ", expected " +
                                           placementText(isShard ? placement.axes[axis] : AxisPlacement()),
                                       std::string("add ") + (isShard ? "a reduce_scatter" : "an all_reduce") +
                                           " over " + name + " after " + origin->name().str().str()});
  }

  void wrong(const TensorPlacement &placement, const Node &value, size_t axis, std::string repair) {
    const Held &held = state_.held[value.id()];
    const AxisPlacement stated = axis < placement.axes.size() ? placement.axes[axis] : AxisPlacement();
    const Hold &hold = held.axes[axis];
    state_.answer->findings.push_back({FindingKind::WrongOutput, axis, &value, hold.origin,
                                       "output " + placement.of + " is " + holdText(axisHoldOf(held, axis)) + " over " +
                                           state_.mesh()[axis].name + ", expected " + placementText(stated),
                                       std::move(repair)});
  }

  void undecided(const TensorPlacement &placement, size_t axis) {
    state_.answer->undecided.push_back("output " + placement.of + " over " + state_.mesh()[axis].name);
  }

  InferenceState &state_;
  std::vector<const Node *> leaves_;
};

} // namespace

void checkOutputs(InferenceState &state) {
  OutputChecker(state, outputLeavesOf(*state.question->ranks.front().graph)).run();
}

} // namespace ccgraph::placements

#include "ccgraph/placements/infer_placements.h"

#include "mesh.h"
#include "outputs.h"
#include "placed_call.h"

#include "ccgraph/ir/diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace ccgraph::placements {
namespace {

llvm::Error questionError(const llvm::Twine &message, const llvm::Twine &repair) {
  return makeError(diagnose("placements.input", message.str(), repair.str()));
}

class Inference {
public:
  explicit Inference(const PlacementQuestion &question) {
    state_.question = &question;
    state_.answer = &answer_;
    answer_.mesh = question.known.mesh;
  }

  llvm::Expected<PlacementAnswer> run() {
    if (llvm::Error error = checkMesh())
      return error;
    if (!alignRanks())
      return std::move(answer_);
    if (llvm::Error error = placeInputs())
      return error;
    for (const std::vector<const Node *> &byRank : aligned_)
      place(byRank);
    checkOutputs(state_);
    return std::move(answer_);
  }

private:
  [[nodiscard]] llvm::ArrayRef<RankProgram> ranks() const { return state_.question->ranks; }

  llvm::Error checkMesh() {
    int64_t count = 1;
    for (const NamedAxis &axis : state_.mesh())
      count = saturatingMultiply(count, axis.size);
    if (!state_.mesh().empty() && count == static_cast<int64_t>(ranks().size()))
      return llvm::Error::success();
    return questionError("the mesh has " + llvm::Twine(count) + " ranks, the job has " + llvm::Twine(ranks().size()),
                         "state the mesh in the placements: \"mesh\": {\"axes\": [\"dp\", \"tp\"], \"sizes\": [2, 4]}");
  }

  /// Lists the nodes of all ranks by their place in the program; false if the ranks run different operators, as they
  /// may where their parts have different sizes.
  bool alignRanks() {
    std::vector<const Node *> at;
    for (const RankProgram &rank : ranks())
      at.push_back(rank.graph->front());
    while (at.front()) {
      for (size_t rank = 0; rank != at.size(); ++rank)
        if (!at[rank] || at[rank]->opcode() != at.front()->opcode() || at[rank]->target() != at.front()->target()) {
          std::string other = at[rank] ? at[rank]->name().str().str() : "the end";
          if (at[rank] && at[rank]->opcode() == Opcode::Placeholder && at.front()->opcode() == Opcode::Placeholder)
            continue;
          noteOtherOperators(rank, *at.front(), other);
          return false;
        }
      aligned_.push_back(at);
      for (const Node *&node : at)
        node = node->next();
    }
    state_.held.resize(ranks().front().graph->idLimit());
    notePlaces();
    return true;
  }

  void noteOtherOperators(size_t rank, const Node &first, const llvm::Twine &other) {
    answer_.undecided.push_back(("rank 0 and rank " + llvm::Twine(rank) +
                                 " run different operators: " + first.name().str() + " and " + other +
                                 "; placements are inferred for ranks that run the same operators in the same order")
                                    .str());
  }

  void notePlaces() {
    for (const std::vector<const Node *> &byRank : aligned_)
      state_.program.push_back(byRank.front());
    if (llvm::all_of(ranks(), [&](const RankProgram &rank) { return rank.graph == ranks().front().graph; }))
      return;
    for (size_t rank = 0; rank != ranks().size(); ++rank) {
      state_.places.emplace_back(ranks()[rank].graph->idLimit());
      for (size_t place = 0; place != aligned_.size(); ++place)
        state_.places[rank][aligned_[place][rank]->id()] = static_cast<uint32_t>(place);
    }
  }

  llvm::Error placeInputs() {
    size_t position = 0;
    for (const std::vector<const Node *> &byRank : aligned_) {
      if (byRank.front()->opcode() != Opcode::Placeholder)
        continue;
      PlacedCall call(state_, byRank);
      auto known = llvm::find_if(state_.question->known.inputs,
                                 [&](const TensorPlacement &placement) { return placement.position == position; });
      ++position;
      Held held = call.undecided();
      if (known != state_.question->known.inputs.end() && !known->parts.empty()) {
        answer_.undecided.push_back("input " + byRank.front()->name().str().str() +
                                    ": no rule for parts of different sizes");
      } else if (known != state_.question->known.inputs.end()) {
        llvm::Expected<Held> placed = heldOf(call, *known);
        if (!placed)
          return placed.takeError();
        held = std::move(*placed);
      } else {
        answer_.undecided.push_back("input " + byRank.front()->name().str().str() + ": no placement is stated");
      }
      record(*byRank.front(), held);
    }
    return llvm::Error::success();
  }

  /// Returns how the ranks hold an input of a stated placement: axes cut in their order.
  llvm::Expected<Held> heldOf(PlacedCall &call, const TensorPlacement &placement) {
    Held held = call.fresh(call.resultSizes().value_or(IntList()));
    std::vector<size_t> order = placement.asAxes;
    auto add = [&](size_t axis) {
      if (!llvm::is_contained(order, axis))
        order.push_back(axis);
    };
    for (size_t axis = 0; axis != placement.axes.size(); ++axis)
      if (!llvm::is_contained(placement.splitOrder, axis))
        add(axis);
    llvm::for_each(placement.splitOrder, add);
    for (size_t axis : order) {
      const AxisPlacement &how = placement.axes[axis];
      if (how.kind == AxisPlacement::Kind::PartialSum || how.kind == AxisPlacement::Kind::PartialAvg)
        held.axes[axis] = partialSince(call.node(), ReduceOp::Sum);
      if (how.kind != AxisPlacement::Kind::Shard)
        continue;
      if (!cutInput(call, held, placement, axis))
        return questionError("input '" + placement.of + "' has the type " +
                                 (call.node().type() ? call.node().type()->str() : "?") + ", its placement is " +
                                 placementText(how) + " over " + call.axisName(axis),
                             "correct its placement, or its position");
    }
    return held;
  }

  static bool cutInput(PlacedCall &call, Held &held, const TensorPlacement &placement, size_t axis) {
    auto dim = static_cast<size_t>(placement.axes[axis].dim);
    const bool isFused =
        !placement.as.empty() && (placement.asAxes.empty() || llvm::is_contained(placement.asAxes, axis));
    int64_t blocks = 1;
    if (isFused && dim == 1) {
      // Axes that cut later share the blocks.
      blocks = placement.as.front();
      for (size_t later = 0; later != placement.axes.size(); ++later)
        if (!placement.asAxes.empty() && !llvm::is_contained(placement.asAxes, later) && placement.axes[later].cuts(0))
          blocks /= std::max<int64_t>(1, call.state().sizeOf(later));
      dim = 0;
    } else if (isFused && dim > 1) {
      --dim;
    }
    if (dim >= held.dims.size())
      return false;
    DimFactors &factors = held.dims[dim];
    size_t at = static_cast<size_t>(llvm::find_if(factors, [](auto &f) { return f.isLocal(); }) - factors.begin());
    if (blocks != 1) {
      if (at == factors.size() || !call.maker().split(factors, at, blocks))
        return false;
      ++at;
      // Further axes cut within the blocks as well.
      while (at != factors.size() && !factors[at].isLocal())
        ++at;
    }
    factors.insert(factors.begin() + static_cast<std::ptrdiff_t>(at),
                   call.maker().cut(static_cast<int>(axis), call.state().sizeOf(axis)));
    held.axes[axis] = {HoldKind::Sharded};
    return true;
  }

  void place(const std::vector<const Node *> &byRank) {
    const Node &node = *byRank.front();
    if (node.opcode() == Opcode::GetAttr) {
      PlacedCall call(state_, byRank);
      // Ranks may hold different constants under one name.
      record(node, call.undecided());
      noteUndecided(node, "the text does not contain the value of this constant");
    }
    if (node.opcode() != Opcode::CallFunction)
      return;
    PlacedCall call(state_, byRank);
    Held held = node.op()->role == OpRole::Collective ? placeCollective(call) : placeCall(call);
    if (!call.problem().empty() && isNewlyUndecided(node, held))
      noteUndecided(node, call.problem());
    else if (isNewlyUndecided(node, held))
      noteUndecided(node, "no rule for " + call.base());
    write(node, held);
    record(node, held);
  }

  /// An axis is undecided although those of all operands are known.
  bool isNewlyUndecided(const Node &node, const Held &held) {
    for (size_t axis = 0; axis != state_.mesh().size(); ++axis) {
      const Hold &hold = held.axes[axis];
      bool fromOperand = llvm::any_of(node.dataOperands(), [&](const Node *operand) {
        return state_.held[operand->id()].axes[axis].kind == HoldKind::Undecided;
      });
      if (hold.kind == HoldKind::Undecided && !hold.afterFinding && !fromOperand)
        return true;
    }
    return false;
  }

  void noteUndecided(const Node &node, const llvm::Twine &why) {
    std::string text = why.str();
    if (undecided_.insert(text).second)
      answer_.undecided.push_back(node.name().str().str() + ": " + text);
  }

  /// A step in place writes its target: the target holds the result, also for later readers.
  void write(const Node &node, Held &held) {
    const OpDef &op = *node.op();
    for (size_t position = 0; position != op.params.size(); ++position) {
      if (!op.params[position].writes)
        continue;
      const Argument *target = argumentAt(node, static_cast<int>(position));
      if (!target || !target->is(Argument::Kind::Operand))
        continue;
      Held &written = state_.held[node.operand(*target)->id()];
      if (!held.elements.empty() || written.dims.size() != held.dims.size())
        continue;
      written = held;
    }
  }

  void record(const Node &node, const Held &held) {
    state_.held[node.id()] = held;
    if (held.elements.empty())
      addValue(node, 0, held);
    for (size_t i = 0; i != held.elements.size(); ++i)
      addValue(node, i, held.elements[i]);
  }

  void addValue(const Node &node, size_t element, const Held &held) {
    PlacedValue value{&node, element, {}, false};
    for (size_t axis = 0; axis != state_.mesh().size(); ++axis)
      value.axes.push_back(axisHoldOf(held, axis));
    answer_.values.push_back(std::move(value));
  }

  InferenceState state_;
  PlacementAnswer answer_;
  std::vector<std::vector<const Node *>> aligned_;
  llvm::StringSet<> undecided_;
};

} // namespace

std::string holdText(const AxisHold &hold) {
  switch (hold.kind) {
  case HoldKind::Replicated:
    return hold.assumed ? "replicated (assumed)" : "replicated";
  case HoldKind::Sharded:
    return "shard(" + std::to_string(hold.dim) + ")" +
           (hold.blocks == 1 ? "" : " of each of " + std::to_string(hold.blocks) + " blocks") +
           (hold.isOwn ? ", each rank's own" : "");
  case HoldKind::Partial:
    return "partial(" + reduceOpName(hold.reduction).str() + ")";
  case HoldKind::Varying:
    return "varying";
  case HoldKind::Undecided:
    return "undecided";
  }
  return "";
}

llvm::StringRef findingName(FindingKind kind) {
  switch (kind) {
  case FindingKind::UnreducedOperand:
    return "unreduced-operand";
  case FindingKind::UnreducedOutput:
    return "unreduced-output";
  case FindingKind::AddedOnEveryRank:
    return "added-on-every-rank";
  case FindingKind::MismatchedOperands:
    return "mismatched-operands";
  case FindingKind::PartOfDimension:
    return "part-of-dimension";
  case FindingKind::IndexOfWhole:
    return "index-of-whole";
  case FindingKind::PartOfOtherRank:
    return "part-of-other-rank";
  case FindingKind::SuperfluousCollective:
    return "superfluous-collective";
  case FindingKind::WrongReduction:
    return "wrong-reduction";
  case FindingKind::ReducedParts:
    return "reduced-parts";
  case FindingKind::WrongOutput:
    return "wrong-output";
  }
  return "";
}

llvm::Expected<PlacementAnswer> inferPlacements(const PlacementQuestion &question) {
  if (needsJoining(question.known))
    return questionError("the placements are of stages or of microbatches", "join them first (joinSteps)");
  if (!question.known.mesh.empty())
    return Inference(question).run();
  PlacementQuestion withMesh = question;
  withMesh.known.mesh = meshOfGroups(question.ranks);
  if (withMesh.known.mesh.empty())
    return questionError("the groups of the ranks do not form a mesh",
                         "state it in the placements: \"mesh\": {\"axes\": [\"dp\", \"tp\"], \"sizes\": [2, 4]}");
  return Inference(withMesh).run();
}

} // namespace ccgraph::placements

// PlacedCall: one call of an operator on all ranks, with how its operands are held, and the rules that place results.
//
// A rule returns how the ranks hold the result. It reads arguments by their position in the schema. A call whose rule
// finds two placements that do not fit reports a finding; the axis is then undecided, so that one mistake is one
// finding. The first problem of a call is kept.
//
// Ownership: borrows the inference. Failure: PlacedCall::reject, a text; the result is then undecided. Cost: that of
// the rule.
#pragma once

#include "held.h"

#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/Twine.h"

#include <functional>

namespace ccgraph::placements {

/// What all calls of one inference share.
struct InferenceState {
  const PlacementQuestion *question = nullptr;
  PlacementAnswer *answer = nullptr;
  FactorMaker maker;
  /// by node id of rank 0's graph
  std::vector<Held> held;
  /// by rank and node id: the place in the program; empty if all ranks share a graph
  std::vector<std::vector<uint32_t>> places;
  /// by place, the nodes of rank 0's graph
  std::vector<const Node *> program;
  [[nodiscard]] llvm::ArrayRef<NamedAxis> mesh() const { return question->known.mesh; }
  [[nodiscard]] int64_t sizeOf(size_t axis) const { return mesh()[axis].size; }
  [[nodiscard]] std::vector<int64_t> coordinatesOf(size_t rank) const;
  /// Returns the rank that is the first one of its axis and differs from `rank` in no other coordinate.
  [[nodiscard]] size_t firstOnAxis(size_t rank, size_t axis) const;
  /// Returns how the value of a rank's node is held.
  [[nodiscard]] const Held &heldOf(size_t rank, const Node &node) const {
    return held[places.empty() ? node.id() : program[places[rank][node.id()]]->id()];
  }
};

/// An operand of a rule.
struct HeldOperand {
  const Held *held = nullptr;
  const Node *node = nullptr;
};

class PlacedCall {
public:
  /// `byRank`: the same call on each rank.
  PlacedCall(InferenceState &state, llvm::ArrayRef<const Node *> byRank)
      : state_(state), byRank_(byRank), node_(*byRank.front()) {}

  [[nodiscard]] const Node &node() const { return node_; }
  [[nodiscard]] InferenceState &state() const { return state_; }
  [[nodiscard]] FactorMaker &maker() const { return state_.maker; }
  [[nodiscard]] size_t numAxes() const { return state_.mesh().size(); }
  [[nodiscard]] llvm::ArrayRef<const Node *> byRank() const { return byRank_; }

  [[nodiscard]] const Argument *argument(size_t position) const {
    return argumentAt(node_, static_cast<int>(position));
  }
  /// Returns the tensor operand; without one, `held` is null.
  [[nodiscard]] HeldOperand operand(size_t position) const;
  /// Returns the tensors of a list, or the one tensor.
  [[nodiscard]] std::vector<HeldOperand> operands(size_t position) const;
  [[nodiscard]] std::optional<int64_t> integer(size_t position) const;
  /// Returns a list of integers; one integer is a list of one. Empty if there is none.
  [[nodiscard]] std::optional<IntList> integers(size_t position) const;
  [[nodiscard]] std::optional<double> number(size_t position) const;
  [[nodiscard]] bool flag(size_t position) const;
  /// Returns a dimension from 0 of a tensor of `rank` dimensions.
  [[nodiscard]] size_t dimension(size_t position, size_t rank, int64_t missing) const;
  /// Returns the dimensions; all where none is given.
  [[nodiscard]] std::vector<size_t> dimensions(size_t position, size_t rank) const;
  /// Returns the sizes of the result, or of an element of it, on rank 0.
  [[nodiscard]] std::optional<IntList> resultSizes(size_t element = 0) const;
  /// Returns whether two ranks that differ only on the axis hold different literals in an argument of the call.
  [[nodiscard]] bool literalVaries(size_t axis) const;
  /// Returns whether two ranks that differ only on the axis read different values.
  [[nodiscard]] bool operandsVary(size_t axis) const;
  /// Returns whether the ranks pass their parts to others, as round a ring. Each rank then computes with the parts of
  /// all ranks, one after the other.
  [[nodiscard]] bool passesParts() const;
  /// Returns the integer at a position on each rank; empty if one has none.
  [[nodiscard]] std::optional<std::vector<int64_t>> integerByRank(size_t position) const;

  [[nodiscard]] Held fresh(IntListRef sizes) const;
  [[nodiscard]] Held undecided() const;
  void reject(const llvm::Twine &text) {
    if (problem_.empty())
      problem_ = text.str();
  }
  [[nodiscard]] llvm::StringRef problem() const { return problem_; }
  /// States what the result rests on.
  void assume(const llvm::Twine &text) { state_.answer->assumed.push_back(text.str()); }

  struct Finding {
    FindingKind kind = FindingKind::UnreducedOperand;
    size_t axis = 0;
    const Node *operand = nullptr;
    std::string text;
    std::string repair;
  };
  /// Returns whether the place of the axis in an operand is a guess.
  [[nodiscard]] bool readsGuess(size_t axis) const;
  /// Reports a finding, and returns the hold that stops others from being made of it. A finding that rests on a guess
  /// is none.
  Hold report(Finding finding);
  [[nodiscard]] std::string axisName(size_t axis) const { return state_.mesh()[axis].name; }
  [[nodiscard]] llvm::StringRef base() const { return baseOfTarget(node_.target().str()); }

private:
  InferenceState &state_;
  llvm::ArrayRef<const Node *> byRank_;
  const Node &node_;
  std::string problem_;
};

using PlacementRule = Held (*)(PlacedCall &call);
struct PlacementRuleEntry {
  llvm::StringLiteral base;
  PlacementRule rule;
};

[[nodiscard]] llvm::ArrayRef<PlacementRuleEntry> viewPlacements();
[[nodiscard]] llvm::ArrayRef<PlacementRuleEntry> joinPlacements();
[[nodiscard]] llvm::ArrayRef<PlacementRuleEntry> creationPlacements();
[[nodiscard]] llvm::ArrayRef<PlacementRuleEntry> productPlacements();
[[nodiscard]] llvm::ArrayRef<PlacementRuleEntry> reductionPlacements();
[[nodiscard]] llvm::ArrayRef<PlacementRuleEntry> indexPlacements();
[[nodiscard]] llvm::ArrayRef<PlacementRuleEntry> layerPlacements();
[[nodiscard]] llvm::ArrayRef<PlacementRuleEntry> convolutionPlacements();
[[nodiscard]] llvm::ArrayRef<PlacementRuleEntry> elementLossPlacements();

/// Returns the result of a call that is no collective.
[[nodiscard]] Held placeCall(PlacedCall &call);
/// Returns the result of a collective.
[[nodiscard]] Held placeCollective(PlacedCall &call);

/// An operand of an elementwise function, with its role in it: 'a' is a term of a sum, 'm' a factor of one of its
/// terms, 'n' is an argument in which the function is not linear.
struct RoledOperand {
  HeldOperand operand;
  char role = 'n';
};
/// Returns the result of an elementwise function with PyTorch's broadcasting. `addsNumber`: a number other than 0 is a
/// further term of the sum.
struct Elementwise {
  std::vector<RoledOperand> operands;
  bool addsNumber = false;
  /// The operands stand beside one another, as in a concatenation: no element of the result depends on two of them.
  bool isJoin = false;
  IntList sizes;
};
[[nodiscard]] Held placeElementwise(PlacedCall &call, const Elementwise &function);
/// Returns the roles of the operands of an elementwise operator by position; empty for other operators.
[[nodiscard]] llvm::StringRef elementwiseRoles(llvm::StringRef base);
[[nodiscard]] Held placePointwise(PlacedCall &call, llvm::StringRef roles);

/// Returns the sum of the elements over all dimensions but the kept ones.
[[nodiscard]] Held placeSumTo(PlacedCall &call, const Held &elements, llvm::ArrayRef<size_t> kept);

/// Returns an axis of a function that is linear in none of its operands: an operand that is partial is a finding.
[[nodiscard]] Hold nonlinearHold(PlacedCall &call, size_t axis, llvm::ArrayRef<HeldOperand> operands);

} // namespace ccgraph::placements

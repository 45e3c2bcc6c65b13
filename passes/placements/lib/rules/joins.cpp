#include "rules/ranges.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::placements {
namespace {

/// A part of a tensor: an element of a split, or a slice.
struct PartOfTensor {
  const Node *whole = nullptr;
  size_t dim = 0;
  /// which of the equal parts; negative: none
  int64_t index = -1;
};

size_t statedDim(const Node &node, int position, size_t rank) {
  const Argument *dim = argumentAt(node, position);
  int64_t at = dim && dim->is(Argument::Kind::Int) ? dim->integer() : 0;
  return static_cast<size_t>(at < 0 ? at + static_cast<int64_t>(rank) : at);
}

PartOfTensor partOf(const InferenceState &state, const Node &node) {
  if (node.opcode() != Opcode::CallFunction || node.numOperands() != 1)
    return {};
  const Node &from = *node.operand(0);
  const Argument *index = argumentAt(node, 1);
  const Held &part = state.held[node.id()];
  if (node.op()->role == OpRole::GetItem && from.opcode() == Opcode::CallFunction && from.numOperands() == 1 &&
      (from.target().str().contains("aten.split.") || from.target().str().contains("aten.chunk.")))
    return {from.operand(0), statedDim(from, 2, part.dims.size()),
            index && index->is(Argument::Kind::Int) ? index->integer() : -1};
  if (!node.target().str().contains("aten.slice.") || part.dims.empty())
    return {};
  const size_t dim = statedDim(node, 1, part.dims.size());
  const Argument *start = argumentAt(node, 2), *step = argumentAt(node, 4);
  const int64_t at = start && start->is(Argument::Kind::Int) ? start->integer() : 0;
  const int64_t length = dim < part.dims.size() ? part.localSize(dim) : 0;
  const bool isPart =
      length > 0 && at % length == 0 && (!step || (step->is(Argument::Kind::Int) && step->integer() == 1));
  return {&from, dim, isPart ? at / length : -1};
}

/// If the operands are the equal parts of one tensor in order, returns the first part.
std::optional<PartOfTensor> firstOfParts(const PlacedCall &call) {
  PartOfTensor first;
  int64_t next = 0, length = 0;
  for (const Argument &element : call.argument(0)->elements()) {
    if (!element.is(Argument::Kind::Operand))
      return std::nullopt;
    const Node &node = *call.node().operand(element);
    PartOfTensor part = partOf(call.state(), node);
    const Held &held = call.state().held[node.id()];
    if (!part.whole || part.index != next || part.dim >= held.dims.size())
      return std::nullopt;
    if (next++ == 0) {
      first = part;
      length = held.localSize(part.dim);
    }
    if (part.whole != first.whole || part.dim != first.dim || held.localSize(part.dim) != length)
      return std::nullopt;
  }
  if (next < 2 || call.state().held[first.whole->id()].localSize(first.dim) != next * length)
    return std::nullopt;
  return first;
}

/// Joins the factors of parts along the dimension of a concatenation.
DimFactors joinedFactors(llvm::ArrayRef<HeldOperand> parts, size_t dim, FactorMaker &maker) {
  int64_t length = 0;
  for (const HeldOperand &part : parts)
    length += part.held->localSize(dim);
  const DimFactors &first = parts.front().held->dims[dim];
  const bool isEven = !first.empty() && llvm::all_of(parts, [&](const HeldOperand &part) {
    return sameFactors(part.held->dims[dim], first);
  });
  DimFactors joined;
  if (isEven) {
    // The parts may be those of another dimension, and axes may cut what they are parts of.
    joined.push_back(maker.local(static_cast<int64_t>(parts.size()), first.front().id));
    joined.append(first.begin(), first.end());
    joined.front().isGuess = true;
    guessAxes(joined);
    return joined;
  }
  for (const Factor &factor : first)
    if (!factor.isLocal())
      joined.push_back(factor);
  joined.push_back(maker.local(length));
  guessAxes(joined);
  return joined;
}

/// Returns what the number of the part precedes in the whole tensor: the first factor of a part in the dimension that
/// was cut. A number that was moved there before, as a gather does, keeps what it preceded before that.
void noteFollower(Factor &number, const DimFactors &cut, const DimFactors &part) {
  const bool wasMoved = !cut.empty() && cut.front().isLocal() && cut.front().size == number.size &&
                        cut.front().follower != 0 &&
                        llvm::none_of(cut, [&](const Factor &factor) { return factor.id == cut.front().follower; });
  number.follower = wasMoved ? cut.front().follower : part.front().id;
  number.former = wasMoved ? cut.front().former : 0;
  number.wasAxis = wasMoved && cut.front().wasAxis;
}

/// A concatenation of parts that were cut along another dimension moves the number of the part to this dimension, and
/// the factor remembers what it preceded.
void noteMovedFactor(PlacedCall &call, DimFactors &joined) {
  std::optional<PartOfTensor> first = firstOfParts(call);
  if (!first || joined.empty() || !joined.front().isLocal())
    return;
  const auto count = static_cast<int64_t>(call.argument(0)->elements().size());
  const Held &part = *call.operands(0).front().held;
  if (call.maker().split(joined, 0, count) && !part.dims[first->dim].empty()) {
    noteFollower(joined.front(), call.state().held[first->whole->id()].dims[first->dim], part.dims[first->dim]);
    bringHome(joined);
  }
}

/// An axis that cuts some parts along the dimension of the concatenation, and others not, leaves no parts of one
/// tensor.
void settleMixedCuts(PlacedCall &call, Held &result, llvm::ArrayRef<HeldOperand> parts, size_t dim) {
  for (size_t axis = 0; axis != call.numAxes(); ++axis) {
    const auto cut = llvm::count_if(parts, [&](const HeldOperand &part) { return part.held->dimOf(axis) == dim; });
    if (cut != 0 && static_cast<size_t>(cut) != parts.size() && !result.has(axis, HoldKind::Undecided))
      result.settle(axis, varyingSince(call.node()));
  }
}

Held placeJoin(PlacedCall &call, std::vector<HeldOperand> parts, size_t dim) {
  llvm::erase_if(parts,
                 [&](const HeldOperand &part) { return part.held->dims.size() == 1 && part.held->localSize(0) == 0; });
  std::optional<IntList> sizes = call.resultSizes();
  if (parts.empty() || !sizes || dim >= sizes->size())
    return undecidedBecause(call, "symbolic or unknown sizes");
  // All other dimensions are those of an elementwise function; along this one every part stands alone.
  std::vector<Held> flat;
  flat.reserve(parts.size());
  Elementwise function;
  function.isJoin = true;
  function.sizes = *sizes;
  function.sizes[dim] = 1;
  for (const HeldOperand &part : parts) {
    if (part.held->dims.size() != sizes->size())
      return undecidedBecause(call, "operands of different dimensions");
    flat.push_back(*part.held);
    flat.back().dims[dim] = {call.maker().local(1)};
    function.operands.push_back({{&flat.back(), part.node}, 'a'});
  }
  Held result = placeElementwise(call, function);
  result.isMade = llvm::all_of(parts, [](const HeldOperand &part) { return part.held->isMade; });
  result.dims[dim] = joinedFactors(parts, dim, call.maker());
  noteMovedFactor(call, result.dims[dim]);
  for (size_t axis = 0; axis != call.numAxes(); ++axis) {
    if (result.has(axis, HoldKind::Sharded) && !result.dimOf(axis))
      result.axes[axis] = {};
    // Partial sums beside whole values are no partial sum: adding them over the ranks multiplies the whole ones.
    if (result.has(axis, HoldKind::Partial) && result.axes[axis].addition == &call.node())
      result.axes[axis] = varyingSince(call.node());
  }
  result.noteFactors();
  settleMixedCuts(call, result, parts, dim);
  return result;
}

/// Returns whether each rank of the axis puts its part of a tensor in the place of its coordinate, among zeros.
bool padsOwnPart(const PlacedCall &call, size_t axis, size_t dim) {
  for (size_t rank = 0; rank != call.byRank().size(); ++rank) {
    const Node &node = *call.byRank()[rank];
    const auto place = static_cast<unsigned>(call.state().coordinatesOf(rank)[axis]);
    if (node.numOperands() <= place)
      return false;
    for (unsigned i = 0; i != node.numOperands(); ++i) {
      const Held &part = call.state().heldOf(rank, *node.operand(i));
      if (i == place ? part.dimOf(axis) != std::optional(dim) : !part.isZero)
        return false;
    }
  }
  return true;
}

Held placeCat(PlacedCall &call) {
  std::vector<HeldOperand> parts = call.operands(0);
  if (parts.empty())
    return call.undecided();
  const size_t dim = call.dimension(1, parts.back().held->dims.size(), 0);
  if (std::optional<PartOfTensor> first = firstOfParts(call); first && first->dim == dim)
    return call.state().held[first->whole->id()];
  Held result = placeJoin(call, parts, dim);
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    if (call.operandsVary(axis) && padsOwnPart(call, axis, dim))
      result.settle(axis, partialSince(call.node(), ReduceOp::Sum));
  return result;
}

Held placeStack(PlacedCall &call) {
  std::vector<HeldOperand> parts = call.operands(0);
  if (parts.empty())
    return call.undecided();
  size_t dim = call.dimension(1, parts.front().held->dims.size() + 1, 0);
  std::vector<Held> raised;
  raised.reserve(parts.size());
  for (HeldOperand &part : parts) {
    raised.push_back(*part.held);
    DimFactors one{call.maker().local(1)};
    raised.back().dims.insert(raised.back().dims.begin() + static_cast<std::ptrdiff_t>(dim), one);
    part.held = &raised.back();
  }
  return placeJoin(call, parts, dim);
}

/// select_scatter(x, part, dim, index) and slice_scatter(x, part, dim, start, end, step): x with a part replaced.
Held placePartWritten(PlacedCall &call) {
  HeldOperand input = call.operand(0), part = call.operand(1);
  std::optional<IntList> sizes = call.resultSizes();
  if (!input.held || !part.held || !sizes || sizes->empty())
    return undecidedBecause(call, "symbolic or unknown sizes");
  const size_t dim = call.dimension(2, sizes->size(), 0);
  Held written = *part.held;
  const DimFactors one{call.maker().local(1)};
  if (call.base() == "aten.select_scatter")
    written.dims.insert(written.dims.begin() + static_cast<std::ptrdiff_t>(dim), one);
  else if (!hasAxes(written.dims[dim]))
    written.dims[dim] = one;
  Elementwise function;
  function.operands = {{input, 'a'}, {{&written, part.node}, 'a'}};
  function.sizes = *sizes;
  Held result = placeElementwise(call, function);
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    if (input.held->dimOf(axis) == std::optional(dim) || written.dimOf(axis) == std::optional(dim))
      result.settle(axis, {HoldKind::Undecided});
    else if (result.has(axis, HoldKind::Partial) && result.axes[axis].addition == &call.node())
      result.settle(axis, varyingSince(call.node()));
  return result;
}

constexpr PlacementRuleEntry joinRows[] = {
    {"aten.cat", placeCat},
    {"aten.select_scatter", placePartWritten},
    {"aten.slice_scatter", placePartWritten},
    {"aten.stack", placeStack},
};

} // namespace

llvm::ArrayRef<PlacementRuleEntry> joinPlacements() { return joinRows; }

} // namespace ccgraph::placements

#include "placed_call.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::placements {

std::vector<int64_t> InferenceState::coordinatesOf(size_t rank) const {
  return ccgraph::coordinatesOf(static_cast<int64_t>(rank), mesh());
}

size_t InferenceState::firstOnAxis(size_t rank, size_t axis) const {
  int64_t stride = 1;
  for (size_t minor = axis + 1; minor != mesh().size(); ++minor)
    stride *= sizeOf(minor);
  return rank - static_cast<size_t>(coordinatesOf(rank)[axis] * stride);
}

HeldOperand PlacedCall::operand(size_t position) const {
  const Argument *given = argument(position);
  if (!given || !given->is(Argument::Kind::Operand))
    return {};
  const Node *node = node_.operand(*given);
  return {&state_.held[node->id()], node};
}

std::vector<HeldOperand> PlacedCall::operands(size_t position) const {
  std::vector<HeldOperand> list;
  const Argument *given = argument(position);
  if (!given)
    return list;
  if (HeldOperand one = operand(position); one.held) {
    if (one.held->elements.empty())
      return {one};
    for (const Held &element : one.held->elements)
      list.push_back({&element, one.node});
    return list;
  }
  for (const Argument &element : given->elements())
    if (element.is(Argument::Kind::Operand))
      list.push_back({&state_.held[node_.operand(element)->id()], node_.operand(element)});
  return list;
}

std::optional<int64_t> PlacedCall::integer(size_t position) const {
  const Argument *given = argument(position);
  return given && given->is(Argument::Kind::Int) ? std::optional(given->integer()) : std::nullopt;
}

std::optional<IntList> PlacedCall::integers(size_t position) const {
  if (std::optional<int64_t> one = integer(position))
    return IntList{*one};
  const Argument *given = argument(position);
  if (!given || !given->isSequence())
    return std::nullopt;
  IntList list;
  for (const Argument &element : given->elements()) {
    if (!element.is(Argument::Kind::Int))
      return std::nullopt;
    list.push_back(element.integer());
  }
  return list;
}

std::optional<double> PlacedCall::number(size_t position) const {
  const Argument *given = argument(position);
  if (given && given->is(Argument::Kind::Int))
    return static_cast<double>(given->integer());
  if (given && given->is(Argument::Kind::Float))
    return given->floating();
  return given && given->is(Argument::Kind::Bool) ? std::optional<double>(given->boolean()) : std::nullopt;
}

bool PlacedCall::flag(size_t position) const {
  const Argument *given = argument(position);
  return given && given->is(Argument::Kind::Bool) && given->boolean();
}

size_t PlacedCall::dimension(size_t position, size_t rank, int64_t missing) const {
  int64_t dim = integer(position).value_or(missing);
  dim += dim < 0 ? static_cast<int64_t>(rank) : 0;
  return static_cast<size_t>(std::clamp<int64_t>(dim, 0, std::max<int64_t>(0, static_cast<int64_t>(rank) - 1)));
}

std::vector<size_t> PlacedCall::dimensions(size_t position, size_t rank) const {
  std::optional<IntList> given = integers(position);
  std::vector<size_t> dims;
  if (!given || given->empty())
    for (size_t dim = 0; dim != rank; ++dim)
      dims.push_back(dim);
  else
    for (int64_t dim : *given)
      dims.push_back(static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(rank) : dim));
  llvm::erase_if(dims, [&](size_t dim) { return dim >= rank; });
  return dims;
}

namespace {

std::optional<IntList> sizesOf(const Type *type, size_t element) {
  if (type && type->isList())
    type = element < type->elements().size() ? type->elements()[element] : nullptr;
  return type && type->isTensor() ? staticDims(type->sizes()) : std::nullopt;
}

/// Compares the literals of two argument trees.
bool sameLiterals(const Argument &a, const Argument &b) {
  if (a.isSequence() != b.isSequence())
    return false;
  if (a.isSequence())
    return a.elements().size() == b.elements().size() &&
           std::equal(a.elements().begin(), a.elements().end(), b.elements().begin(), sameLiterals);
  return a.is(Argument::Kind::Operand) ? b.is(Argument::Kind::Operand) : sameArgument(a, b);
}

bool sameLiterals(const Node &a, const Node &b) {
  if (&a == &b)
    return true;
  if (a.args().size() != b.args().size() || a.kwargs().size() != b.kwargs().size())
    return false;
  auto equal = [](const Argument &x, const Argument &y) { return sameLiterals(x, y); };
  return std::equal(a.args().begin(), a.args().end(), b.args().begin(), equal) &&
         std::equal(a.kwargs().begin(), a.kwargs().end(), b.kwargs().begin(),
                    [&](const NamedArgument &x, const NamedArgument &y) { return equal(x.value, y.value); });
}

/// Printed texts give no type to a list: that of an element is the type of the node that reads it.
const Type *typeOfElement(const Node &list, size_t element) {
  for (const Use &use : list.uses()) {
    const Node &reader = *use.user();
    const Argument *index = reader.op() && reader.op()->role == OpRole::GetItem ? argumentAt(reader, 1) : nullptr;
    if (index && index->is(Argument::Kind::Int) && index->integer() == static_cast<int64_t>(element))
      return reader.type();
  }
  return nullptr;
}

} // namespace

std::optional<IntList> PlacedCall::resultSizes(size_t element) const {
  return sizesOf(node_.type() ? node_.type() : typeOfElement(node_, element), node_.type() ? element : 0);
}

bool PlacedCall::literalVaries(size_t axis) const {
  for (size_t rank = 0; rank != byRank_.size(); ++rank)
    if (!sameLiterals(*byRank_[state_.firstOnAxis(rank, axis)], *byRank_[rank]))
      return true;
  return false;
}

bool PlacedCall::operandsVary(size_t axis) const {
  if (state_.places.empty())
    return false;
  for (size_t rank = 0; rank != byRank_.size(); ++rank) {
    const size_t first = state_.firstOnAxis(rank, axis);
    const Node &mine = *byRank_[rank], &other = *byRank_[first];
    if (mine.numOperands() != other.numOperands())
      return true;
    for (unsigned i = 0; i != mine.numOperands(); ++i)
      if (state_.places[rank][mine.operand(i)->id()] != state_.places[first][other.operand(i)->id()])
        return true;
  }
  return false;
}

std::optional<std::vector<int64_t>> PlacedCall::integerByRank(size_t position) const {
  std::vector<int64_t> values;
  for (const Node *node : byRank_) {
    const Argument *given = argumentAt(*node, static_cast<int>(position));
    if (!given || !given->is(Argument::Kind::Int))
      return std::nullopt;
    values.push_back(given->integer());
  }
  return values;
}

Held PlacedCall::fresh(IntListRef sizes) const {
  Held held;
  held.dims = maker().localDims(sizes);
  held.axes.resize(numAxes());
  return held;
}

Held PlacedCall::undecided() const {
  Held held = fresh(resultSizes().value_or(IntList()));
  for (Hold &hold : held.axes)
    hold.kind = HoldKind::Undecided;
  return held;
}

bool PlacedCall::readsGuess(size_t axis) const {
  return llvm::any_of(node_.dataOperands(), [&](const Node *operand) {
    const Held &held = state_.held[operand->id()];
    return held.isGuessed(axis) || llvm::any_of(held.elements, [&](const Held &it) { return it.isGuessed(axis); });
  });
}

Hold PlacedCall::report(Finding finding) {
  if (readsGuess(finding.axis))
    return varyingSince(node_);
  state_.answer->findings.push_back(
      {finding.kind, finding.axis, &node_, finding.operand, std::move(finding.text), std::move(finding.repair)});
  Hold hold{HoldKind::Undecided};
  hold.afterFinding = true;
  return hold;
}

bool PlacedCall::passesParts() const {
  return llvm::any_of(state_.program, [](const Node *node) {
    std::optional<CollectiveCall> launch = collectiveCall(*node);
    return launch &&
           (isPointToPoint(launch->spec->kind) || (launch->inputSplits && llvm::is_contained(*launch->inputSplits, 0)));
  });
}

} // namespace ccgraph::placements

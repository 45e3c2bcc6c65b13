#include "schedule/chunks/row_movements.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/int_list.h"
#include "simplify/exchanges/region.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

constexpr llvm::StringLiteral views[] = {"aten.view.default", "aten._unsafe_view.default", "aten.reshape.default",
                                         "aten.unsqueeze.default", "aten.squeeze.dim"};

bool calls(const Node &node, llvm::StringRef target) {
  return node.op() && node.op()->target.str() == target && node.kwargs().empty();
}

bool isView(const Node &node) {
  return llvm::any_of(views, [&](llvm::StringRef target) { return calls(node, target); });
}

/// Returns the dimension that a call states after its first argument, counted from 0; 0 if it is left out.
std::optional<int64_t> dimensionOf(const Node &call, size_t argument, const Node &shaped) {
  if (call.args().size() <= argument)
    return 0;
  const Argument &dim = call.args()[argument];
  if (!dim.is(Argument::Kind::Int))
    return std::nullopt;
  auto rank = static_cast<int64_t>(shaped.type()->sizes().size());
  int64_t value = dim.integer() < 0 ? dim.integer() + rank : dim.integer();
  return value >= 0 && value < rank ? std::optional(value) : std::nullopt;
}

/// Returns true if all dimensions before this one have size 1, so that parts along it are consecutive elements.
bool isOutermost(const Node &value, int64_t dim) {
  return llvm::all_of(value.type()->sizes().take_front(static_cast<size_t>(dim)),
                      [](const Dim &size) { return size == Dim(1); });
}

size_t numReaders(const Node &value) {
  auto uses = value.uses();
  return static_cast<size_t>(std::distance(uses.begin(), uses.end()));
}

/// What a cat puts together: parts of one value, in order.
struct Parts {
  Node *whole = nullptr;
  /// along which the value is divided
  int64_t dim = 0;
  /// in program order
  llvm::SmallVector<Node *, 8> nodes;
};

/// Returns the split of which the cat has all parts in order; null if there is none.
Node *splitOf(const Node &cat) {
  Node *split = nullptr;
  for (size_t i = 0; i < cat.numOperands(); ++i) {
    Node *part = cat.operand(i);
    if (!part->op() || part->op()->role != OpRole::GetItem || getItemIndex(*part) != static_cast<int64_t>(i) ||
        (split && part->operand(0) != split))
      return nullptr;
    split = part->operand(0);
  }
  bool splits = split && (calls(*split, "aten.split.Tensor") || calls(*split, "aten.split_with_sizes.default"));
  return splits && numReaders(*split) == cat.numOperands() ? split : nullptr;
}

/// Returns the dimension of slice(x, dim, from, to) of a tensor without gaps, whose bounds are numbers; `to` may be
/// beyond the end. Empty for any other call.
std::optional<int64_t> slicedDimension(const Node &call) {
  if (!calls(call, "aten.slice.Tensor") || call.numOperands() != 1 || call.args().size() != 4 ||
      !isDense(*call.operand(0)) || !call.args()[2].is(Argument::Kind::Int) ||
      !call.args()[3].is(Argument::Kind::Int) || !call.type() || !staticDims(call.type()->sizes()))
    return std::nullopt;
  return dimensionOf(call, 1, *call.operand(0));
}

/// Returns the slices of which the cat has all in order.
std::optional<Parts> slicesOf(const Node &cat) {
  const std::optional<int64_t> dim = cat.numOperands() > 0 ? slicedDimension(*cat.operand(0)) : std::nullopt;
  if (!dim)
    return std::nullopt;
  Parts parts{cat.operand(0)->operand(0), *dim, {}};
  int64_t from = 0;
  for (Node *slice : cat.dataOperands()) {
    if (slicedDimension(*slice) != dim || slice->operand(0) != parts.whole || slice->args()[2].integer() != from)
      return std::nullopt;
    parts.nodes.push_back(slice);
    from += slice->type()->sizes()[static_cast<size_t>(*dim)].value();
  }
  return parts;
}

std::optional<Parts> partsOf(const Node &cat) {
  Node *split = splitOf(cat);
  if (!split)
    return slicesOf(cat);
  const std::optional<int64_t> dim = dimensionOf(*split, 2, *split->operand(0));
  if (!dim)
    return std::nullopt;
  Parts parts{split->operand(0), *dim, {split}};
  llvm::append_range(parts.nodes, cat.dataOperands());
  return parts;
}

/// Every part must be read by the cat alone.
bool areReadByCatAlone(const Node &cat) {
  return llvm::all_of(cat.dataOperands(), [&](const Node *part) { return onlyReader(*part) == &cat; });
}

/// Returns true if the parts, which begin with the first one, are the whole value.
bool areAllParts(const Node &cat, const Node &whole) {
  int64_t elements = 0;
  for (const Node *part : cat.dataOperands()) {
    if (!part->type() || !part->type()->isTensor() || !part->type()->numElements())
      return false;
    elements += *part->type()->numElements();
  }
  return elements == whole.type()->numElements();
}

} // namespace

bool isSymbolicView(const Node &node) {
  return isView(node) && node.numOperands() > 0 && isDenseOfSymbols(node) && isDenseOfSymbols(*node.operand(0)) &&
         llvm::all_of(llvm::drop_begin(node.dataOperands()), isSize);
}

bool isSize(const Node *operand) { return operand->type() && operand->type()->kind() == Type::Kind::Symbolic; }

/// Returns the product of the sizes of all dimensions before this one.
static int64_t sizeBefore(const Node &value, int64_t dim) {
  int64_t size = 1;
  for (const Dim &it : value.type()->sizes().take_front(static_cast<size_t>(dim)))
    size *= it.value();
  return size;
}

/// Returns the movement of these parts; empty if the elements are in another order than those that RowMovement has.
static std::optional<RowMovement> movementOf(const Parts &parts, Node *cat, int64_t to) {
  const Node &part = *cat->operand(0);
  RowMovement movement{parts.whole, {parts.nodes.begin(), parts.nodes.end()}};
  movement.nodes.push_back(cat);
  const bool fromOutermost = isOutermost(*parts.whole, parts.dim), toOutermost = isOutermost(part, to);
  if (fromOutermost && toOutermost)
    return movement;
  auto isAlike = [&](const Node *other) { return other->type()->sizes() == part.type()->sizes(); };
  if (fromOutermost == toOutermost || !llvm::all_of(cat->dataOperands(), isAlike))
    return std::nullopt;
  movement.order = fromOutermost ? RowMovement::Order::BySequence : RowMovement::Order::ByPart;
  movement.parts = cat->numOperands();
  movement.sequences = sizeBefore(part, fromOutermost ? to : parts.dim);
  movement.elements = *part.type()->numElements() / movement.sequences;
  return movement;
}

bool isDense(const Node &value) {
  const Type *type = value.type();
  return type && type->isTensor() && staticDims(type->sizes()) && type->numElements().value_or(0) > 0 &&
         type->isContiguous();
}

bool isDenseOfSymbols(const Node &value) {
  const Type *type = value.type();
  if (!type || !type->isTensor() || staticDims(type->sizes()) || !type->isContiguous())
    return false;
  return llvm::all_of(type->sizes(),
                      [](const Dim &size) { return size.isStatic() ? size.value() > 0 : !size.expr()->isUnbacked(); });
}

bool hasNoGaps(const Node &value) { return isDense(value) || isDenseOfSymbols(value); }

bool isMatrix(const Node &value) { return isDense(value) && value.type()->sizes().size() == 2; }

std::optional<RowMovement> movementTo(Node *result) {
  if (isSymbolicView(*result))
    return RowMovement{result->operand(0), {result}};
  if (!isDense(*result))
    return std::nullopt;
  if (isView(*result) && result->numOperands() == 1 && isDense(*result->operand(0)))
    return RowMovement{result->operand(0), {result}};
  if (!calls(*result, "aten.cat.default"))
    return std::nullopt;
  const std::optional<Parts> parts = partsOf(*result);
  const std::optional<int64_t> to = dimensionOf(*result, 1, *result);
  if (!parts || !to || !isDense(*parts->whole) || !areReadByCatAlone(*result) || !areAllParts(*result, *parts->whole))
    return std::nullopt;
  return movementOf(*parts, result, *to);
}

std::optional<RowMovement> movementFrom(const Node &value, Node *reader) {
  Node *result = reader;
  if (calls(*reader, "aten.slice.Tensor")) {
    result = onlyReader(*reader);
    if (!result || !calls(*result, "aten.cat.default"))
      return std::nullopt;
  } else if (calls(*reader, "aten.split.Tensor") || calls(*reader, "aten.split_with_sizes.default")) {
    auto parts = reader->uses();
    result = parts.begin() == parts.end() ? nullptr : onlyReader(*parts.begin()->user());
    if (!result || !calls(*result, "aten.cat.default"))
      return std::nullopt;
  }
  std::optional<RowMovement> movement = movementTo(result);
  return movement && movement->source == &value ? movement : std::nullopt;
}

} // namespace ccgraph

#include "analysis/value_placements.h"

#include "analysis/casts.h"
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/work.h"

namespace ccgraph {

namespace {

using Kind = ValuePlacement::Kind;

/// Returns true if the tree contains a number, a text or an object: anything that another rank may hold otherwise.
bool hasLiteral(const Argument &argument) {
  if (argument.isSequence())
    return llvm::any_of(argument.elements(), hasLiteral);
  switch (argument.kind()) {
  case Argument::Kind::Operand:
  case Argument::Kind::None:
  case Argument::Kind::DType:
  case Argument::Kind::MemoryFormat:
    return false;
  default:
    return true;
  }
}

bool hasLiteral(const Node &node) {
  return llvm::any_of(node.args(), [](const Argument &argument) { return hasLiteral(argument); }) ||
         llvm::any_of(node.kwargs(), [](const NamedArgument &argument) { return hasLiteral(argument.value); });
}

/// The views, and the copies, that return all elements of their operand.
bool keepsAllElements(const Node &node) {
  static const llvm::StringLiteral targets[] = {
      "aten.view.default",      "aten._unsafe_view.default", "aten.reshape.default", "aten.flatten.using_ints",
      "aten.unsqueeze.default", "aten.squeeze.dim",          "aten.permute.default", "aten.transpose.int",
      "aten.t.default",         "aten.alias.default",        "aten.clone.default",   "aten.contiguous.default"};
  return llvm::is_contained(targets, node.target().str());
}

bool isTransposition(const Node &node) {
  llvm::StringRef target = node.target().str();
  return target == "aten.t.default" && node.operand(0)->type() && node.operand(0)->type()->isTensor() &&
         node.operand(0)->type()->sizes().size() == 2;
}

/// Returns the dimension of a view that holds dimension `dim` of its operand, block by block; empty if none is known.
std::optional<int64_t> dimAfter(const Node &view, int64_t dim) {
  if (isTransposition(view))
    return 1 - dim;
  const Type *was = view.operand(0)->type(), *now = view.type();
  auto reshapes = [&] {
    llvm::StringRef target = view.target().str();
    return target.contains("view") || target.contains("reshape") || target.contains("flatten") ||
           target.contains("alias") || target.contains("clone") || target.contains("contiguous");
  };
  if (!reshapes() || !was || !now || !was->isTensor() || !now->isTensor())
    return std::nullopt;
  auto upTo = [&](const Type &type) { return type.sizes().take_front(static_cast<size_t>(dim) + 1); };
  bool same = now->sizes().size() > static_cast<size_t>(dim) && upTo(*was) == upTo(*now);
  return same ? std::optional(dim) : std::nullopt;
}

} // namespace

ValuePlacements::ValuePlacements(const Graph &graph, const ProgramFacts &facts, const CommGroups &groups)
    : facts_(facts), groups_(groups), written_(facts.writtenStorages()) {
  for (const Node *node : graph) {
    if (node->id() >= entries_.size())
      entries_.resize(node->id() + 1);
    if (node->opcode() != Opcode::CallFunction || !isKept(*node))
      continue;
    for (Entry &entry : infer(*node)) {
      entry.steps = stepsOf(*node, entry.group);
      if (entry.steps <= mostSteps)
        entries_[node->id()].push_back(entry);
    }
  }
}

ValuePlacement ValuePlacements::of(const Node &value, uint32_t group) const {
  if (value.id() >= entries_.size())
    return {};
  for (const Entry &entry : entries_[value.id()])
    if (entry.group == group)
      return entry.placement;
  return {};
}

/// Returns the number of steps that a proof visits: the node, and those of each operand.
uint32_t ValuePlacements::stepsOf(const Node &node, uint32_t group) const {
  uint32_t steps = 1;
  for (const Use &use : node.operandUses())
    if (!use.isOrdering() && !node.op()->collective)
      for (const Entry &entry : entries_[use.def()->id()])
        steps += entry.group == group ? entry.steps : 0;
  return steps;
}

bool ValuePlacements::isKept(const Node &node) const {
  auto isWritten = [&](StorageId storage) { return written_[storage]; };
  return !facts_.isReshaped(&node) && llvm::none_of(facts_.storages().storages(&node), isWritten);
}

ValuePlacements::Entries ValuePlacements::infer(const Node &node) const {
  if (!node.op())
    return {};
  if (node.op()->collective)
    return ofLaunch(node);
  if (facts_.domain(&node) != Domain::None || node.numOperands() == 0)
    return {};
  if (facts_.waits(&node))
    return node.numOperands() == 1 ? entries_[node.operand(0)->id()] : Entries();
  if (keepsAllElements(node))
    return ofView(node);
  if (castDType(node) || (workFamily(*node.op()) == WorkFamily::Pointwise && !hasLiteral(node)))
    return ofElementwise(node);
  return node.target().str() == "aten.mm.default" ? ofProduct(node) : Entries();
}

ValuePlacements::Entries ValuePlacements::ofLaunch(const Node &launch) const {
  CollectiveKind kind = launch.op()->collective->kind;
  if (launch.target().str() != formOf(kind, CollectiveForm::Single))
    return {};
  uint32_t group = groups_.groupOf(&launch);
  if (kind == CollectiveKind::AllReduce || kind == CollectiveKind::AllGather || kind == CollectiveKind::Broadcast)
    return {{group, {Kind::Replicated}, 1}};
  if (kind == CollectiveKind::ReduceScatter)
    return {{group, {Kind::Sharded, 0}, 1}};
  return {};
}

ValuePlacements::Entries ValuePlacements::ofView(const Node &view) const {
  Entries result;
  for (Entry entry : entries_[view.operand(0)->id()]) {
    if (entry.placement.kind == Kind::Sharded) {
      std::optional<int64_t> dim = dimAfter(view, entry.placement.dim);
      if (!dim)
        continue;
      entry.placement.dim = *dim;
    }
    result.push_back(entry);
  }
  return result;
}

/// An elementwise result is placed as its operands if all of them are placed alike. Shards must have one shape, else
/// broadcasting may move the dimension; a function of partial sums is no partial sum.
ValuePlacements::Entries ValuePlacements::ofElementwise(const Node &node) const {
  Entries result;
  for (const Entry &entry : entries_[node.operand(0)->id()]) {
    bool alike = entry.placement.kind != Kind::PartialSum;
    for (const Use &use : node.operandUses()) {
      if (use.isOrdering())
        continue;
      const Type *type = use.def()->type();
      alike &= of(*use.def(), entry.group) == entry.placement;
      alike &= entry.placement.kind != Kind::Sharded ||
               (type && node.type() && type->isTensor() && type->sizes() == node.type()->sizes());
    }
    if (alike)
      result.push_back(entry);
  }
  return result;
}

/// For a matrix a of shards on dimension 1 and a matrix b of shards on dimension 0, the product of the whole matrices
/// is the sum of a * b over the ranks.
ValuePlacements::Entries ValuePlacements::ofProduct(const Node &product) const {
  Entries result;
  for (const Entry &left : entries_[product.operand(0)->id()]) {
    ValuePlacement right = of(*product.operand(1), left.group);
    auto sharded = [](const ValuePlacement &placement, int64_t dim) {
      return placement.kind == Kind::Sharded && placement.dim == dim;
    };
    bool leftWhole = left.placement.kind == Kind::Replicated, rightWhole = right.kind == Kind::Replicated;
    if (sharded(left.placement, 1) && sharded(right, 0))
      result.push_back({left.group, {Kind::PartialSum}, 1});
    else if (sharded(left.placement, 0) && rightWhole)
      result.push_back(left);
    else if (leftWhole && sharded(right, 1))
      result.push_back({left.group, right, 1});
  }
  return result;
}

} // namespace ccgraph

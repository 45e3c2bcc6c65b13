#include "repair_changes.h"

#include "distribute.h"

#include "ccgraph/ir/collective.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace ccgraph::equality {

RepairChanges::RepairChanges(const StepComparison &comparison, Trial &trial, NodeMatches &matches)
    : comparison_(comparison), trial_(trial), matches_(matches), moves_(comparison, trial, matches) {
  const llvm::ArrayRef<NamedAxis> mesh = comparison.placements.mesh;
  addFactor(ofMesh_, numberOfInteger(numRanks(mesh)));
  addFactor(ofMesh_, numberOfInteger(2));
  for (const NamedAxis &axis : mesh)
    addFactor(ofMesh_, numberOfInteger(axis.size));
  constexpr size_t mostScales = 16;
  if (comparison.single)
    for (const Node *node : *comparison.single)
      if (const std::optional<Word> scale = scaleOf(*node); scale && ofScales_.size() < mostScales)
        addFactor(ofScales_, *scale);
  for (const Node *node : *comparison.ranks.front().graph)
    if (node->opcode() == Opcode::CallFunction && node->uses().empty() && haveAll(*node))
      unread_.push_back(node);
}

void RepairChanges::addFactor(std::vector<Word> &factors, Word factor) {
  if (isMark(factor) || primePower(factor) != 0 || factor == fromPlain(1) || llvm::is_contained(factors, factor))
    return;
  factors.push_back(factor);
  factors.push_back(trial_.evaluator.field().inverse(factor));
}

bool RepairChanges::haveAll(const Node &node) const {
  return llvm::all_of(llvm::seq<size_t>(0, comparison_.ranks.size()), [&](size_t rank) {
    const Node *mine = matches_.alignment().on(rank, node);
    if (!mine || !trial_.ranks[rank].values[mine->id()].is(Value::Type::Tensor))
      return false;
    return trial_.ranks[rank].values[mine->id()].tensor.kind() == Kind::Float;
  });
}

bool RepairChanges::mayChange(const Node &node) const {
  const Value &value = trial_.ranks.front().values[node.id()];
  if (!value.is(Value::Type::Tensor))
    return false;
  const bool isOffset = value.tensor.kind() == Kind::Integer && isOneOfWords(shortTarget(node), {"add", "sub"});
  return isOffset ? llvm::all_of(llvm::seq<size_t>(0, comparison_.ranks.size()),
                                 [&](size_t rank) { return matches_.alignment().on(rank, node); })
                  : haveAll(node);
}

std::vector<Array> RepairChanges::valuesOf(const Node &node) const {
  std::vector<Array> values;
  for (size_t rank = 0; rank != comparison_.ranks.size(); ++rank)
    values.push_back(read(trial_.ranks[rank].values[matches_.alignment().on(rank, node)->id()].tensor));
  return values;
}

bool RepairChanges::mayBeAnother(const Node &node) {
  return !matches_.correspondsExactly(node) || readsOnlySizes(node) || isCollectiveNode(node) ||
         isScaleByNumber(node) || shortTarget(node) == "clone";
}

std::vector<Change> RepairChanges::changesOf(const Node &node) {
  std::vector<Change> changes;
  for (std::vector<Array> &moved : moves_.movesOf(node))
    changes.push_back({std::nullopt, fromPlain(1), nullptr, 0, std::move(moved)});
  if ((isViewOrWait(node) && shortTarget(node) != "clone") || !haveAll(node))
    return changes; // a part has the scale and the terms of the whole value
  if (mayBeAnother(node)) {
    addSums(node, false, changes);
    for (Word factor : factorsOf(node))
      changes.push_back({std::nullopt, factor});
    addSums(node, true, changes);
    addOtherSign(node, changes);
  }
  addUnread(node, changes);
  addTerms(node, changes);
  return changes;
}

std::vector<Word> RepairChanges::factorsOf(const Node &node) {
  std::vector<Word> factors;
  if (matches_.hasFactor(node) && !matches_.kindOfMatch(node).isPartial())
    addFactor(factors, trial_.evaluator.field().inverse(matches_.kindOfMatch(node).factor));
  if (!factors.empty())
    factors.pop_back(); // the factor itself makes a multiple of a multiple
  for (Word factor : ofMesh_)
    if (!llvm::is_contained(factors, factor))
      factors.push_back(factor);
  if (shortTarget(node) == "clone")
    for (Word factor : ofScales_)
      if (!llvm::is_contained(factors, factor))
        factors.push_back(factor);
  const std::optional<Word> scale = scaleOf(node);
  if (!scale)
    return factors;
  addFactor(factors, *scale);
  for (Word factor : ofMesh_)
    for (Word by : {*scale, trial_.evaluator.field().inverse(*scale)})
      if (Word other = multiply(factor, by); other != fromPlain(1) && !llvm::is_contained(factors, other))
        factors.push_back(other);
  return factors;
}

bool RepairChanges::undoes(const Node &node, const Change &change) const {
  Field &field = trial_.evaluator.field();
  if (change.axis || change.term || !change.moved.empty())
    return false;
  if (const std::optional<Word> scale = scaleOf(node))
    return change.factor == (shortTarget(node) == "div" ? *scale : field.inverse(*scale));
  const std::optional<CollectiveCall> call = isCollectiveNode(node) ? collectiveCall(node) : std::nullopt;
  const Group *group = call ? comparison_.ranks.front().groups.find(call->group) : nullptr;
  if (!group)
    return false;
  const Word count = numberOfInteger(static_cast<int64_t>(group->members(0).size()));
  return (call->reduceOp == "avg" && change.factor == count) ||
         (call->reduceOp == "sum" && change.factor == field.inverse(count));
}

std::optional<Word> RepairChanges::scaleOf(const Node &node) {
  const Argument *by = isScaleByNumber(node) ? argumentAt(node, 1) : nullptr;
  if (!by || !(by->is(Argument::Kind::Int) || by->is(Argument::Kind::Float)))
    return std::nullopt;
  const Word scale = by->is(Argument::Kind::Int) ? numberOfInteger(by->integer()) : numberOfReal(by->floating());
  return isMark(scale) || primePower(scale) != 0 ? std::nullopt : std::optional<Word>(scale);
}

void RepairChanges::addSums(const Node &node, bool asMeans, std::vector<Change> &changes) const {
  const std::vector<Array> values = valuesOf(node);
  const llvm::ArrayRef<NamedAxis> mesh = comparison_.placements.mesh;
  for (size_t axis = 0; axis != mesh.size(); ++axis)
    if (canAdd(values, axis))
      changes.push_back(
          {axis, asMeans ? trial_.evaluator.field().inverse(numberOfInteger(mesh[axis].size)) : fromPlain(1)});
}

void RepairChanges::addOtherSign(const Node &node, std::vector<Change> &changes) const {
  const Node *first = node.numOperands() != 0 ? node.operand(0) : nullptr;
  if (!first || !isOneOfWords(shortTarget(node), {"add", "sub"}))
    return;
  if (haveAll(*first) && haveEqualSizes(*first, node))
    changes.push_back({std::nullopt, negate(fromPlain(1)), first, fromPlain(2)});
}

void RepairChanges::addUnread(const Node &node, std::vector<Change> &changes) const {
  constexpr size_t most = 4;
  for (const Node *term : llvm::ArrayRef(unread_).take_front(most))
    if (term->isBefore(&node) && haveEqualSizes(*term, node))
      changes.push_back({std::nullopt, fromPlain(1), term, fromPlain(1)});
}

void RepairChanges::addTerms(const Node &node, std::vector<Change> &changes) {
  const uint64_t direction = matches_.directionOf(node);
  if (direction == 0 || !comparison_.single)
    return;
  for (const Node *sum : matches_.singleCallsOf("add")) {
    for (unsigned side = 0; side != 2 && sum->numOperands() == 2; ++side)
      if (matches_.directionOfSingle(*sum->operand(side)) == direction)
        addTermsOf(node, *sum->operand(1 - side), changes);
  }
}

void RepairChanges::addTermsOf(const Node &node, const Node &added, std::vector<Change> &changes) {
  if (!hasDirections_)
    for (const Node *other : *comparison_.ranks.front().graph)
      if (const uint64_t direction = matches_.directionOf(*other); direction != 0 && haveAll(*other))
        byDirection_[direction].push_back(other);
  hasDirections_ = true;
  auto others = byDirection_.find(matches_.directionOfSingle(added));
  if (others == byDirection_.end())
    return;
  for (const Node *other : others->second)
    if (other->isBefore(&node) && haveEqualSizes(*other, node)) {
      changes.push_back(
          {std::nullopt, fromPlain(1), other,
           trial_.evaluator.field().divide(matches_.matchOf(node).factor, matches_.matchOf(*other).factor)});
      return;
    }
}

bool RepairChanges::canAdd(llvm::ArrayRef<Array> values, size_t axis) const {
  bool differ = false;
  for (size_t rank = 0; rank != values.size(); ++rank)
    for (size_t other : lineOf(rank, axis, comparison_.placements.mesh)) {
      if (values[other].sizes != values[rank].sizes)
        return false;
      differ |= !sameWords(values[other], values[rank]);
    }
  return differ;
}

bool RepairChanges::haveEqualSizes(const Node &a, const Node &b) const {
  return llvm::all_of(llvm::seq<size_t>(0, comparison_.ranks.size()), [&](size_t rank) {
    const std::vector<Value> &values = trial_.ranks[rank].values;
    const Node *ofA = matches_.alignment().on(rank, a), *ofB = matches_.alignment().on(rank, b);
    return values[ofA->id()].tensor.sizes == values[ofB->id()].tensor.sizes;
  });
}

std::vector<Array> RepairChanges::changed(const Node &node, const Change &change) const {
  if (!change.moved.empty())
    return change.moved;
  const std::vector<Array> values = valuesOf(node);
  std::vector<Array> terms, results;
  if (change.term)
    terms = valuesOf(*change.term);
  for (size_t rank = 0; rank != values.size(); ++rank) {
    std::vector<Array> line;
    if (change.axis)
      for (size_t other : lineOf(rank, *change.axis, comparison_.placements.mesh))
        line.push_back(values[other]);
    Array result = scaledArray(change.axis ? combinedArrays(line, add) : values[rank], change.factor);
    if (change.term)
      result = combinedArrays({result, scaledArray(terms[rank], change.termFactor)}, add);
    results.push_back(std::move(result));
  }
  return results;
}

} // namespace ccgraph::equality

#include "repair_moves.h"

#include "collectives.h"
#include "distribute.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace ccgraph::equality {

std::vector<size_t> lineOf(size_t rank, size_t axis, llvm::ArrayRef<NamedAxis> mesh) {
  std::vector<int64_t> coordinates = coordinatesOf(static_cast<int64_t>(rank), mesh);
  std::vector<size_t> line;
  for (coordinates[axis] = 0; coordinates[axis] != mesh[axis].size; ++coordinates[axis])
    line.push_back(static_cast<size_t>(rankAt(coordinates, mesh)));
  return line;
}

RepairMoves::RepairMoves(const StepComparison &comparison, Trial &trial, NodeMatches &matches)
    : comparison_(comparison), trial_(trial), matches_(matches) {
  std::set<int64_t> lengths;
  for (const Node *node : *comparison.ranks.front().graph) {
    exchanges_ |= isCollectiveNode(*node) && shortTarget(*node) == "all_to_all_single";
    const Value &value = trial.ranks.front().values[node->id()];
    if (node->opcode() == Opcode::Placeholder && value.is(Value::Type::Tensor))
      lengths.insert(value.tensor.sizes.begin(), value.tensor.sizes.end());
  }
  lengths_.assign(lengths.begin(), lengths.end());
}

std::vector<std::vector<Array>> RepairMoves::movesOf(const Node &node) {
  moves_.clear();
  const std::optional<Values> now = valuesOf(node);
  if (!now)
    return {};
  if (isCollectiveNode(node)) {
    addOtherAxes(node, *now);
    return std::move(moves_);
  }
  addRotations(node, *now);
  addOtherParts(node, *now);
  addOffsets(node, *now);
  if (exchanges_ && now->front().kind == Kind::Float && shortTarget(node) == "clone")
    addExchanges(*now);
  return std::move(moves_);
}

std::optional<RepairMoves::Values> RepairMoves::valuesOf(const Node &node) const {
  Values values;
  for (size_t rank = 0; rank != comparison_.ranks.size(); ++rank) {
    const Node *mine = matches_.alignment().on(rank, node);
    const Value *value = mine ? &trial_.ranks[rank].values[mine->id()] : nullptr;
    if (!value || !value->is(Value::Type::Tensor) || value->tensor.kind() == Kind::Complex)
      return std::nullopt;
    values.push_back(read(value->tensor));
  }
  return values;
}

void RepairMoves::add(const Values &now, std::optional<Values> moved) {
  if (!moved)
    return;
  bool differs = false;
  for (size_t rank = 0; rank != now.size(); ++rank) {
    if ((*moved)[rank].sizes != now[rank].sizes)
      return;
    differs |= !sameWords((*moved)[rank], now[rank]);
  }
  if (differs)
    moves_.push_back(std::move(*moved));
}

int64_t RepairMoves::coordinate(size_t rank, size_t axis) const {
  return coordinatesOf(static_cast<int64_t>(rank), comparison_.placements.mesh)[axis];
}

void RepairMoves::addOtherAxes(const Node &node, const Values &now) {
  const std::optional<CollectiveCall> call = collectiveCall(node);
  if (!call || call->spec->legacy || call->spec->coalesced || call->spec->inPlace || isPointToPoint(call->spec->kind))
    return;
  const Group *group = comparison_.ranks.front().groups.find(call->group);
  const llvm::ArrayRef<NamedAxis> mesh = comparison_.placements.mesh;
  for (size_t axis = 0; group && axis != mesh.size(); ++axis)
    if (static_cast<size_t>(mesh[axis].size) == group->members(0).size())
      add(now, overAxis(node, axis));
}

std::optional<RepairMoves::Values> RepairMoves::overAxis(const Node &node, size_t axis) const {
  Values moved(comparison_.ranks.size());
  for (size_t rank = 0; rank != moved.size(); ++rank) {
    if (coordinate(rank, axis) != 0)
      continue;
    const std::vector<size_t> line = lineOf(rank, axis, comparison_.placements.mesh);
    std::optional<std::vector<Array>> results = launched(node, line);
    if (!results)
      return std::nullopt;
    for (size_t i = 0; i != line.size(); ++i)
      moved[line[i]] = std::move((*results)[i]);
  }
  return moved;
}

std::optional<std::vector<Array>> RepairMoves::launched(const Node &node, llvm::ArrayRef<size_t> line) const {
  std::vector<Launch> launches;
  for (size_t rank : line) {
    const Node *mine = matches_.alignment().on(rank, node);
    Launch launch{mine, *collectiveCall(*mine), {}, 0, 0};
    for (const Node *input : launch.call.inputs) {
      const Value &value = trial_.ranks[rank].values[input->id()];
      if (!value.is(Value::Type::Tensor))
        return std::nullopt;
      launch.inputs.push_back(read(value.tensor));
    }
    launches.push_back(std::move(launch));
  }
  std::vector<const Launch *> all;
  for (const Launch &launch : launches)
    all.push_back(&launch);
  llvm::Expected<std::vector<std::vector<Array>>> received = equality::valuesOf(all, trial_.evaluator.field());
  if (!received)
    return llvm::consumeError(received.takeError()), std::nullopt;
  std::vector<Array> results;
  for (std::vector<Array> &arrays : *received)
    results.push_back(std::move(arrays.front()));
  return results;
}

void RepairMoves::addRotations(const Node &node, const Values &now) {
  if (shortTarget(node) == "roll")
    return add(now, valuesOf(*node.operand(0)));
  const Argument *dim = isJoin(node) && shortTarget(node) == "cat" ? argumentAt(node, 1) : nullptr;
  const int64_t given = dim && dim->is(Argument::Kind::Int) ? dim->integer() : 0;
  const size_t parts = node.numOperands();
  if (!isJoin(node) || shortTarget(node) != "cat" || parts < 2)
    return;
  const size_t along = static_cast<size_t>(given < 0 ? given + static_cast<int64_t>(now.front().sizes.size()) : given);
  for (size_t by = 1; by != parts; ++by) {
    Values moved;
    for (const Array &array : now) {
      const int64_t length = array.sizes[along];
      if (length % static_cast<int64_t>(parts) != 0)
        return;
      const int64_t start = length / static_cast<int64_t>(parts) * static_cast<int64_t>(by);
      moved.push_back(
          concatenated({slicedArray(array, along, start, length), slicedArray(array, along, 0, start)}, along));
    }
    add(now, std::move(moved));
  }
}

void RepairMoves::addOtherParts(const Node &node, const Values &now) {
  const bool isElement = node.op()->role == OpRole::GetItem;
  if (node.numOperands() == 0 || !(isElement || isOneOfWords(shortTarget(node), {"slice", "index_select", "select"})))
    return;
  const Node *source = node.operand(0);
  if (isElement && source->opcode() == Opcode::CallFunction && source->numOperands() != 0)
    source = source->operand(0);
  const std::optional<Values> whole = valuesOf(*source);
  for (size_t axis = 0; whole && axis != comparison_.placements.mesh.size(); ++axis)
    add(now, partsOn(axis, *whole, now));
}

/// Returns the dimension that alone is cut, into `parts`; empty if there is none.
static std::optional<size_t> cutDimension(IntListRef whole, IntListRef part, int64_t parts) {
  std::optional<size_t> cut;
  const bool isSelected = whole.size() == part.size() + 1;
  for (size_t dim = 0; dim != whole.size() && (isSelected || whole.size() == part.size()); ++dim) {
    const size_t ofPart = isSelected && cut ? dim - 1 : dim;
    if (ofPart < part.size() && whole[dim] == part[ofPart])
      continue;
    if (cut || whole[dim] != parts * (isSelected ? 1 : part[dim]))
      return std::nullopt;
    cut = dim;
  }
  return cut;
}

std::optional<RepairMoves::Values> RepairMoves::partsOn(size_t axis, const Values &whole, const Values &now) const {
  const int64_t parts = comparison_.placements.mesh[axis].size;
  Values moved;
  for (size_t rank = 0; rank != now.size(); ++rank) {
    const std::optional<size_t> dim = cutDimension(whole[rank].sizes, now[rank].sizes, parts);
    if (!dim)
      return std::nullopt;
    const int64_t length = whole[rank].sizes[*dim] / parts, start = coordinate(rank, axis) * length;
    moved.push_back(reshaped(slicedArray(whole[rank], *dim, start, start + length), now[rank].sizes));
  }
  return moved;
}

void RepairMoves::addExchanges(const Values &now) {
  const llvm::ArrayRef<NamedAxis> mesh = comparison_.placements.mesh;
  for (size_t axis = 0; axis != mesh.size(); ++axis)
    if (llvm::all_of(now, [&](const Array &array) {
          return array.count() % mesh[axis].size == 0 && array.sizes == now.front().sizes;
        }))
      add(now, exchangedOn(axis, now));
}

RepairMoves::Values RepairMoves::exchangedOn(size_t axis, const Values &now) const {
  const int64_t parts = comparison_.placements.mesh[axis].size, length = now.front().count() / parts;
  Values moved;
  for (size_t rank = 0; rank != now.size(); ++rank) {
    std::vector<Array> blocks;
    const int64_t start = coordinate(rank, axis) * length;
    for (size_t other : lineOf(rank, axis, comparison_.placements.mesh))
      blocks.push_back(slicedArray(reshaped(now[other], {now[other].count()}), 0, start, start + length));
    moved.push_back(reshaped(concatenated(blocks, 0), now[rank].sizes));
  }
  return moved;
}

void RepairMoves::addOffsets(const Node &node, const Values &now) {
  if (now.front().kind != Kind::Integer || !addedInteger(node))
    return;
  for (const std::vector<int64_t> &offsets : offsetsFor(node)) {
    Values moved;
    for (size_t rank = 0; rank != now.size(); ++rank) {
      const int64_t given = addedInteger(*matches_.alignment().on(rank, node)).value_or(0);
      Words words = *now[rank].words;
      for (Word &word : words)
        word += static_cast<Word>(offsets[rank] - given);
      moved.push_back(makeArray(Kind::Integer, now[rank].sizes, std::move(words)));
    }
    add(now, std::move(moved));
  }
}

std::vector<std::vector<int64_t>> RepairMoves::offsetsFor(const Node &node) const {
  const int64_t sign = shortTarget(node) == "sub" ? -1 : 1;
  std::vector<std::vector<int64_t>> found;
  for (size_t axis = 0; axis != comparison_.placements.mesh.size(); ++axis)
    for (int64_t length : lengths_) {
      found.emplace_back();
      for (size_t rank = 0; rank != comparison_.ranks.size(); ++rank)
        found.back().push_back(sign * coordinate(rank, axis) * length);
    }
  for (int64_t by : {-1, 1}) {
    found.emplace_back();
    for (size_t rank = 0; rank != comparison_.ranks.size(); ++rank)
      found.back().push_back(addedInteger(*matches_.alignment().on(rank, node)).value_or(0) + by);
  }
  return found;
}

} // namespace ccgraph::equality

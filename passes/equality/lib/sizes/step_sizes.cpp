#include "step_sizes.h"

#include "distribute.h"
#include "inputs.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace ccgraph::equality {
namespace {

llvm::Error sizeError(const llvm::Twine &text) { return llvm::createStringError(llvm::inconvertibleErrorCode(), text); }

} // namespace

void relateShapes(SizeSystem &system, llvm::ArrayRef<SizeVariable> from, llvm::ArrayRef<SizeVariable> to) {
  size_t i = 0, j = 0;
  while (i != from.size() && j != to.size()) {
    SizeVariables left = {from[i]}, right = {to[j]};
    int64_t a = system.valueOf(from[i++]), b = system.valueOf(to[j++]);
    while (a != b) {
      const bool growsLeft = a < b;
      if (growsLeft ? i == from.size() : j == to.size())
        return;
      SizeVariable next = growsLeft ? from[i++] : to[j++];
      (growsLeft ? a : b) *= system.valueOf(next);
      (growsLeft ? left : right).push_back(next);
    }
    auto isOne = [](SizeVariable variable) { return variable == SizeSystem::one; };
    for (SizeVariables *side : {&left, &right})
      if (side->size() > 1)
        llvm::erase_if(*side, isOne);
    for (SizeVariables *side : {&left, &right})
      if (side->empty())
        side->push_back(SizeSystem::one);
    system.relateProducts(left, right);
  }
}

std::optional<std::vector<size_t>> StepSizes::axesOf(const Group &group, int64_t rank) const {
  llvm::ArrayRef<NamedAxis> mesh = comparison_.placements.mesh;
  llvm::ArrayRef<int64_t> members = group.members(rank);
  const int64_t ranks = numRanks(mesh);
  if (members.empty() || llvm::any_of(members, [&](int64_t member) { return member < 0 || member >= ranks; }))
    return std::nullopt;
  std::vector<int64_t> mine = coordinatesOf(rank, mesh);
  std::vector<size_t> axes;
  int64_t count = 1;
  for (size_t axis = 0; axis != mesh.size(); ++axis)
    if (llvm::any_of(members, [&](int64_t member) { return coordinatesOf(member, mesh)[axis] != mine[axis]; })) {
      axes.push_back(axis);
      count *= mesh[axis].size;
    }
  if (count != static_cast<int64_t>(members.size()))
    return std::nullopt;
  for (int64_t i = 0; i != count; ++i) {
    int64_t rest = i;
    for (size_t axis : llvm::reverse(axes)) {
      mine[axis] = rest % mesh[axis].size;
      rest /= mesh[axis].size;
    }
    if (members[static_cast<size_t>(i)] != rankAt(mine, mesh))
      return std::nullopt;
  }
  return axes;
}

bool StepSizes::isSymmetric(size_t axis) const {
  llvm::ArrayRef<NamedAxis> mesh = comparison_.placements.mesh;
  for (size_t rank = 0; rank != comparison_.ranks.size(); ++rank) {
    std::vector<int64_t> coordinates = coordinatesOf(static_cast<int64_t>(rank), mesh);
    coordinates[axis] = 0;
    if (comparison_.ranks[rank].graph != comparison_.ranks[static_cast<size_t>(rankAt(coordinates, mesh))].graph)
      return false;
  }
  return true;
}

void StepSizes::findSymmetricAxes() {
  llvm::ArrayRef<NamedAxis> mesh = comparison_.placements.mesh;
  // A group that is no product of axes connects ranks in a way that fewer ranks do not have.
  bool followsMesh = true;
  for (size_t rank = 0; rank != comparison_.ranks.size() && followsMesh; ++rank)
    for (const Group &group : comparison_.ranks[rank].groups.groups()) {
      const Group *first = comparison_.ranks.front().groups.find(group.name);
      followsMesh &= first && axesOf(group, static_cast<int64_t>(rank)) == axesOf(*first, 0);
    }
  constexpr int64_t fewestRanks = 4;
  for (size_t axis = 0; axis != mesh.size(); ++axis) {
    const bool mayShrink = followsMesh && mesh[axis].size >= fewestRanks && isSymmetric(axis);
    axes_.push_back({mayShrink ? system_.add(mesh[axis].size) : system_.constant(mesh[axis].size), mayShrink});
  }
}

SizeVariables StepSizes::ranksOf(llvm::StringRef group, size_t rank, int64_t size) {
  const Group *found = comparison_.ranks[rank].groups.find(group);
  SizeVariables ranks;
  if (found)
    if (std::optional<std::vector<size_t>> axes = axesOf(*found, static_cast<int64_t>(rank)))
      for (size_t axis : *axes)
        ranks.push_back(axes_[axis].variable);
  int64_t product = 1;
  for (SizeVariable variable : ranks)
    product *= system_.valueOf(variable);
  return product == size ? ranks : SizeVariables{system_.constant(size)};
}

/// Returns variables for the sizes of a type; nothing for a value that is no tensor.
static llvm::Error addVariables(SizeSystem &system, const Type *type, ValueSizes &sizes) {
  if (type && type->isList()) {
    for (const Type *element : type->elements())
      if (llvm::Error error = addVariables(system, element, sizes))
        return error;
    return llvm::Error::success();
  }
  sizes.emplace_back();
  if (!type || !type->isTensor())
    return llvm::Error::success();
  for (const Dim &dim : type->sizes()) {
    if (!dim.isStatic())
      return sizeError("a size is symbolic");
    sizes.back().push_back(system.add(dim.value()));
  }
  return llvm::Error::success();
}

llvm::Error StepSizes::addGraph(const Graph &graph, size_t rank) {
  GraphSizes sizes;
  sizes.graph = &graph;
  sizes.rank = rank;
  sizes.inputs = placeholdersOf(graph);
  sizes.outputs = outputLeavesOf(graph);
  sizes.values.resize(graph.idLimit());
  for (const Node *node : graph)
    if (llvm::Error error = addVariables(system_, node->type(), sizes.values[node->id()]))
      return sizeError("node '" + node->name().str() + "': " + llvm::toString(std::move(error)));
  graphs_.push_back(std::move(sizes));
  return llvm::Error::success();
}

/// Returns the size of the part of a rank. `local`: the size that its graph states; a part of this size that is as
/// large as the first one is padded.
std::optional<SizeVariable> StepSizes::cutOnce(SizeVariable whole, size_t axis, size_t rank,
                                               std::optional<int64_t> local) {
  llvm::ArrayRef<NamedAxis> mesh = comparison_.placements.mesh;
  const int64_t value = system_.valueOf(whole), ranks = mesh[axis].size;
  const int64_t index = coordinatesOf(static_cast<int64_t>(rank), mesh)[axis];
  const int64_t chunk = (value + ranks - 1) / ranks, padding = ranks * chunk - value;
  SizeVariable part = system_.add(chunk);
  if (padding == 0) {
    system_.relateProducts({whole}, {part, axes_[axis].variable});
    return part;
  }
  SizeVariable padded = system_.add(ranks * chunk), rest = system_.add(padding);
  system_.relateProducts({padded}, {part, axes_[axis].variable});
  system_.relateSum(padded, {whole, rest});
  if (padding < ranks)
    system_.relateBelow(rest, axes_[axis].variable);
  if (local == chunk || index * chunk + chunk <= value)
    return part;
  if (index * chunk >= value)
    return std::nullopt;
  SizeVariables parts(static_cast<size_t>(index), part);
  parts.push_back(system_.add(value - index * chunk));
  system_.relateSum(whole, parts);
  return parts.back();
}

SizeVariables StepSizes::shapeOf(const TensorPlacement &placement, const SizeVariables &whole) {
  SizeVariables shape;
  for (int64_t size : placement.parts.empty() ? placement.as : placement.parts)
    shape.push_back(system_.add(size));
  if (placement.parts.empty() && shape.size() > 1) {
    system_.fix(shape.front());
    relateShapes(system_, whole, shape);
  }
  return shape;
}

/// Relates a size to its half. Returns false if it is odd.
bool StepSizes::halve(SizeVariable size) {
  const int64_t value = system_.valueOf(size);
  if (value % 2 != 0)
    return false;
  const SizeVariable half = system_.add(value / 2);
  system_.relateSum(size, {half, half});
  return true;
}

/// Cuts sizes along the axes that cut in the shape of a fused weight, or along the others.
bool StepSizes::cutAxes(const Cut &cut, SizeVariables &sizes, AxesOfShape which) {
  const TensorPlacement &placement = *cut.placement;
  for (size_t axis : orderOfAxes(placement)) {
    const AxisPlacement &how = placement.axes[axis];
    auto dim = static_cast<size_t>(how.dim);
    const bool isInShape = placement.asAxes.empty() || llvm::is_contained(placement.asAxes, axis);
    if (isInShape != (which == AxesOfShape::Inside) || how.kind != AxisPlacement::Kind::Shard)
      continue;
    if (dim >= sizes.size())
      return false;
    std::optional<int64_t> stated;
    if (sizes.size() == cut.local->size())
      stated = system_.valueOf((*cut.local)[dim]);
    std::optional<SizeVariable> part = cutOnce(sizes[dim], axis, cut.rank, stated);
    if (!part || (how.isHeadTail && !halve(*part)))
      return false;
    sizes[dim] = *part;
    if (!axes_[axis].isSymmetric)
      shards_.emplace_back(*part, comparison_.placements.mesh[axis].size);
  }
  return true;
}

/// Cuts each part of a dimension, and joins what the rank has of them.
bool StepSizes::cutParts(const Cut &cut, SizeVariables &sizes) {
  for (size_t axis = 0; axis != cut.placement->axes.size(); ++axis) {
    const AxisPlacement &how = cut.placement->axes[axis];
    auto dim = static_cast<size_t>(how.dim);
    if (how.kind != AxisPlacement::Kind::Shard || dim >= sizes.size() ||
        !(cut.placement->asAxes.empty() || llvm::is_contained(cut.placement->asAxes, axis)))
      continue;
    if (saturatingSum(cut.placement->parts) != system_.valueOf(sizes[dim]))
      return false;
    system_.relateSum(sizes[dim], *cut.shape);
    SizeVariables mine;
    int64_t joined = 0;
    for (SizeVariable part : *cut.shape) {
      SizeVariables one = sizes;
      one[dim] = part;
      if (!cutAxes(cut, one, AxesOfShape::Inside))
        return false;
      mine.push_back(one[dim]);
      joined += system_.valueOf(one[dim]);
    }
    sizes[dim] = system_.add(joined);
    system_.relateSum(sizes[dim], mine);
    return true;
  }
  return true;
}

std::optional<SizeVariables> StepSizes::localSizes(const Cut &cut, SizeVariables sizes) {
  if (!(cut.placement->parts.empty() ? cutAxes(cut, sizes, AxesOfShape::Inside) : cutParts(cut, sizes)))
    return std::nullopt;
  if (!cut.placement->as.empty()) {
    SizeVariable joined = system_.add(system_.valueOf(sizes[0]) * system_.valueOf(sizes[1]));
    system_.relateProducts({joined}, {sizes[0], sizes[1]});
    sizes.erase(sizes.begin());
    sizes.front() = joined;
  }
  if (!cutAxes(cut, sizes, AxesOfShape::Outside) || sizes.size() != cut.local->size())
    return std::nullopt;
  return sizes;
}

llvm::Error StepSizes::relate(const TensorPlacement &placement, std::vector<const Node *> GraphSizes::*list) {
  const Node *single = (graphs_.front().*list)[placement.single];
  const ValueSizes none, &whole = single ? graphs_.front().values[single->id()] : none;
  shapes_.emplace_back();
  if (whole.size() != 1)
    return llvm::Error::success();
  shapes_.back() = shapeOf(placement, whole.front());
  for (const GraphSizes &graph : llvm::ArrayRef(graphs_).drop_front()) {
    const Node *mine = placement.position < (graph.*list).size() ? (graph.*list)[placement.position] : nullptr;
    const ValueSizes &value = mine ? graph.values[mine->id()] : none;
    if (value.size() != 1)
      continue;
    const Cut cut{&placement, &shapes_.back(), graph.rank, &value.front()};
    std::optional<SizeVariables> sizes = localSizes(cut, placement.as.empty() ? whole.front() : shapes_.back());
    for (size_t dim = 0; sizes && dim != sizes->size(); ++dim)
      if (system_.valueOf((*sizes)[dim]) == system_.valueOf(value.front()[dim]))
        system_.equate((*sizes)[dim], value.front()[dim]);
      else
        sizes = std::nullopt;
    if (!sizes)
      return sizeError("the sizes of '" + placement.of + "' have no relation to those of the single step");
  }
  return llvm::Error::success();
}

llvm::Error StepSizes::build() {
  findSymmetricAxes();
  if (llvm::Error error = addGraph(*comparison_.single, 0))
    return error;
  for (size_t rank = 0; rank != comparison_.ranks.size(); ++rank) {
    const Graph *graph = comparison_.ranks[rank].graph;
    if (llvm::none_of(llvm::ArrayRef(graphs_).drop_front(),
                      [&](const GraphSizes &known) { return known.graph == graph; }))
      if (llvm::Error error = addGraph(*graph, rank))
        return error;
  }
  for (const TensorPlacement &placement : comparison_.placements.inputs)
    if (llvm::Error error = relate(placement, &GraphSizes::inputs))
      return error;
  for (const TensorPlacement &placement : comparison_.placements.outputs)
    if (llvm::Error error = relate(placement, &GraphSizes::outputs))
      return error;
  for (GraphSizes &graph : graphs_)
    for (const Node *node : *graph.graph)
      NodeSizes(*this, graph, *node).relate();
  return llvm::Error::success();
}

} // namespace ccgraph::equality

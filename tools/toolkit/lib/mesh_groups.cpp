#include "mesh_groups.h"

#include "ccgraph/ir/group_id.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {
namespace {

/// A dimension and its mesh.
struct Dimension {
  const TraceMesh *mesh = nullptr;
  const MeshAxis *axis = nullptr;
};

/// Returns the only dimension with this size and with the rank at this position; two meshes may have it.
std::optional<Dimension> dimensionOf(llvm::ArrayRef<TraceMesh> meshes, int64_t size, int64_t rank, int64_t place) {
  std::optional<Dimension> found;
  for (const TraceMesh &mesh : meshes)
    for (const MeshAxis &axis : mesh.axes) {
      if (axis.size != size || axis.stride == 0 || rank / axis.stride % size != place)
        continue;
      if (found && found->axis->stride != axis.stride)
        return std::nullopt;
      if (!found || ranksOf(mesh) > ranksOf(*found->mesh))
        found = Dimension{&mesh, &axis};
    }
  return found;
}

/// Returns true if the size alone identifies the dimension, on each rank alike.
bool isOnlyOneOfItsSize(llvm::ArrayRef<TraceMesh> meshes, const MeshAxis &axis) {
  for (const TraceMesh &mesh : meshes)
    for (const MeshAxis &other : mesh.axes)
      if (other.size == axis.size && other.stride != axis.stride)
        return false;
  return true;
}

/// Returns all subgroups of a dimension, sorted by their first rank; every rank is in one. Returns none if the
/// dimension does not divide the ranks.
std::vector<std::vector<int64_t>> cellsOf(const MeshAxis &axis, int64_t ranks) {
  std::vector<std::vector<int64_t>> cells;
  if (ranks % (axis.size * axis.stride) != 0)
    return cells;
  for (int64_t first = 0; first < ranks; ++first) {
    if (first / axis.stride % axis.size != 0)
      continue;
    std::vector<int64_t> &cell = cells.emplace_back();
    for (int64_t i = 0; i < axis.size; ++i)
      cell.push_back(first + i * axis.stride);
  }
  return cells;
}

} // namespace

int64_t ranksOf(const TraceMesh &mesh) {
  int64_t ranks = 1;
  for (const MeshAxis &axis : mesh.axes)
    ranks *= std::min<int64_t>(axis.size, int64_t(1) << 20);
  return ranks;
}

std::optional<int64_t> placeOf(const Group &group) {
  int64_t place = 0;
  for (const auto &[name, text] : group.attributes)
    if (name == "place" && !llvm::StringRef(text).getAsInteger(10, place))
      return place;
  return std::nullopt;
}

void takeFromMeshes(GroupTable &groups, llvm::ArrayRef<TraceMesh> meshes, int64_t rank, int64_t worldSize) {
  constexpr int64_t mostRanks = int64_t(1) << 16;
  for (Group group : groups.groups().vec()) {
    std::optional<int64_t> place = placeOf(group);
    if (!group.assumed || !place)
      continue;
    std::optional<Dimension> found = dimensionOf(meshes, static_cast<int64_t>(group.ranks.size()), rank, *place);
    int64_t ranks = found ? std::max(worldSize, ranksOf(*found->mesh)) : 0;
    if (!found || ranks > mostRanks)
      continue;
    auto cells = cellsOf(*found->axis, ranks);
    if (cells.empty())
      continue;
    group.partition = std::move(cells);
    group.assumed = false;
    group.description = (found->axis->name.empty() ? "a dimension" : found->axis->name) + " of " + found->mesh->text;
    llvm::erase_if(group.attributes, [](const auto &attribute) { return attribute.first == "place"; });
    if (!isOnlyOneOfItsSize(meshes, *found->axis))
      group.attributes.emplace_back(knownByPlace.str(), "true");
    groups.set(std::move(group));
  }
}

} // namespace ccgraph

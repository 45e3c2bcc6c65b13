#include "mesh.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

namespace ccgraph::placements {
namespace {

/// Ranks first, first + stride, ..: the shape of an axis of a mesh in row-major order.
struct Stride {
  int64_t step = 0;
  int64_t size = 0;
  friend auto operator<=>(const Stride &, const Stride &) = default;
};

std::optional<Stride> strideOf(llvm::ArrayRef<int64_t> members) {
  if (members.size() < 2)
    return std::nullopt;
  const int64_t step = members[1] - members[0];
  for (size_t i = 1; i != members.size(); ++i)
    if (members[i] - members[i - 1] != step || step <= 0)
      return std::nullopt;
  return Stride{step, static_cast<int64_t>(members.size())};
}

std::string axisNameOf(const Group &group) {
  llvm::StringRef name = group.description;
  name.consume_front("mesh_");
  return name.empty() || name == "default_pg" || name == "undefined" ? group.name : name.str();
}

/// Adds axes of strides from `step` to the number of ranks, each of which begins where the minor one ends; small axes
/// are preferred, since a group of all ranks is one too.
bool addAxes(const std::map<Stride, std::string> &found, int64_t step, int64_t world, std::vector<NamedAxis> &axes) {
  if (step == world)
    return true;
  for (const auto &[stride, name] : found) {
    if (stride.step != step || world % (step * stride.size) != 0)
      continue;
    axes.push_back({name, stride.size});
    if (addAxes(found, step * stride.size, world, axes))
      return true;
    axes.pop_back();
  }
  return false;
}

} // namespace

std::vector<NamedAxis> meshOfGroups(llvm::ArrayRef<RankProgram> ranks) {
  std::map<Stride, std::string> found;
  for (size_t rank = 0; rank != ranks.size(); ++rank)
    for (const Group &group : ranks[rank].groups.groups()) {
      llvm::ArrayRef<int64_t> members = group.members(static_cast<int64_t>(rank));
      if (std::optional<Stride> stride = strideOf(members); stride && llvm::is_contained(members, rank))
        found.try_emplace(*stride, axisNameOf(group));
    }
  std::vector<NamedAxis> axes;
  if (!addAxes(found, 1, static_cast<int64_t>(ranks.size()), axes))
    return {};
  std::reverse(axes.begin(), axes.end());
  return axes;
}

std::optional<std::vector<size_t>> axesOfMembers(llvm::ArrayRef<int64_t> members, int64_t rank,
                                                 llvm::ArrayRef<NamedAxis> mesh) {
  std::vector<size_t> axes;
  int64_t expected = 1, stride = 1;
  std::vector<int64_t> strides(mesh.size());
  for (size_t axis = mesh.size(); axis-- > 0; stride *= mesh[axis].size)
    strides[axis] = stride;
  for (size_t axis = 0; axis != mesh.size(); ++axis) {
    auto place = [&](int64_t of) { return of / strides[axis] % mesh[axis].size; };
    if (llvm::any_of(members, [&](int64_t member) { return place(member) != place(rank); })) {
      axes.push_back(axis);
      expected *= mesh[axis].size;
    }
  }
  if (!llvm::is_contained(members, rank) || expected != static_cast<int64_t>(members.size()) ||
      !std::is_sorted(members.begin(), members.end()))
    return std::nullopt;
  return axes;
}

} // namespace ccgraph::placements

#include "tracer/groups.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

namespace ccgraph::tracer {
namespace detail {
namespace {

std::string cellText(llvm::ArrayRef<int64_t> ranks) {
  std::string text;
  for (int64_t rank : ranks)
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return "[" + text + "]";
}

/// "[0, 1]", or "[[0, 1], [2, 3]]".
std::string membersText(const Group &group) {
  if (group.partition.empty())
    return cellText(group.ranks);
  std::string text;
  for (const std::vector<int64_t> &cell : group.partition)
    text += (text.empty() ? "" : ", ") + cellText(cell);
  return "[" + text + "]";
}

llvm::Error groupError(const Group &group, std::string message, llvm::StringRef repair = "") {
  return makeError(
      problem("trace.group", group.name.empty() ? "group" : "group " + group.name, std::move(message), repair));
}

/// Ranks are of the world, and none stands twice.
llvm::Error checkRanks(const Mode &mode, const Group &group) {
  std::set<int64_t> seen;
  for (int64_t rank : allRanks(group)) {
    if (rank < 0 || (mode.worldSize() && rank >= *mode.worldSize()))
      return groupError(group,
                        "rank " + std::to_string(rank) + " is not one of the world's" +
                            (mode.worldSize() ? " " + std::to_string(*mode.worldSize()) + " ranks" : ""),
                        "ranks are global and count from 0");
    if (!seen.insert(rank).second)
      return groupError(group, "rank " + std::to_string(rank) + " stands twice in " + membersText(group));
  }
  return llvm::Error::success();
}

llvm::Error checkCells(const Group &group) {
  for (const std::vector<int64_t> &cell : group.partition)
    if (cell.size() != group.partition.front().size())
      return groupError(group, "group sizes must be identical found " + std::to_string(group.partition.front().size()) +
                                   " and " + std::to_string(cell.size()));
  return allRanks(group).empty() ? groupError(group, "a group of no ranks") : llvm::Error::success();
}

bool sameMembers(const Group &a, const Group &b) { return a.ranks == b.ranks && a.partition == b.partition; }

/// "1", "2", ...: the first that is not taken, as PyTorch numbers its groups.
std::string freeName(const GroupTable &groups) {
  size_t number = groups.groups().size();
  while (groups.find(std::to_string(number)))
    ++number;
  return std::to_string(number);
}

/// A list of ranks says no name: that of a group with these members and this tag, or a new one.
llvm::Expected<Group> groupOfRanks(Mode &mode, Group wanted) {
  mode.warnOnce(problem("trace.ranks-deprecated", "group",
                        "The combination of ranks + tag as process group identifier has been deprecated. Please switch "
                        "to using ProcessGroup, DeviceMesh, or group name instead."));
  // Because one list of ranks is no partition.
  if (wanted.partition.size() == 1)
    wanted.ranks = std::exchange(wanted.partition, {}).front();
  for (const Group &known : mode.groups().groups())
    if (sameMembers(known, wanted) && (wanted.tag.empty() || known.tag == wanted.tag))
      return known;
  wanted.name = freeName(mode.groups());
  return wanted;
}

llvm::Expected<Group> groupOfName(Mode &mode, const std::string &name) {
  const Group *known = mode.groups().find(name);
  if (known)
    return *known;
  Group unknown;
  unknown.name = name;
  return groupError(unknown, "Could not resolve the process group registered under the name " + name,
                    "Trace::addGroup says which ranks it has, TraceOptions::worldSize which \"0\" has");
}

struct FormResolver {
  Mode &mode;
  llvm::StringRef tag;

  llvm::Expected<Group> operator()(const std::vector<int64_t> &ranks) const { return (*this)(Cells{ranks}); }
  llvm::Expected<Group> operator()(const Cells &cells) const {
    Group group;
    group.partition = cells;
    group.tag = tag.str();
    if (llvm::Error error = checkCells(group))
      return error;
    return groupOfRanks(mode, std::move(group));
  }
  llvm::Expected<Group> operator()(const Group &group) const { return group; }
  llvm::Expected<Group> operator()(const DeviceMesh &mesh) const { return mesh.get_group(); }
  llvm::Expected<Group> operator()(const std::pair<DeviceMesh, int64_t> &meshAndDim) const {
    return meshAndDim.first.get_group(meshAndDim.second);
  }
  llvm::Expected<Group> operator()(const std::string &name) const { return groupOfName(mode, name); }
};

} // namespace

std::vector<int64_t> allRanks(const Group &group) {
  std::vector<int64_t> ranks = group.ranks;
  for (const std::vector<int64_t> &cell : group.partition)
    ranks.insert(ranks.end(), cell.begin(), cell.end());
  return ranks;
}

llvm::Error registerGroup(Mode &mode, const Group &group) {
  if (group.name.empty())
    return groupError(group, "it has no name", "a group object needs one, by which graphs know it");
  if (llvm::Error error = checkCells(group))
    return error;
  if (llvm::Error error = checkRanks(mode, group))
    return error;
  const Group *known = mode.groups().find(group.name);
  if (known && !sameMembers(*known, group))
    return groupError(group, "it is " + membersText(*known) + " already, and now " + membersText(group),
                      "give one of them another name");
  if (!known)
    mode.groups().set(group);
  return llvm::Error::success();
}

llvm::Expected<Group> resolveGroup(Mode &mode, const GroupLike &group, llvm::StringRef tag) {
  llvm::Expected<Group> resolved = std::visit(FormResolver{mode, tag}, group.form());
  // A name has been looked up in the table, so there is nothing to register.
  if (!resolved || std::holds_alternative<std::string>(group.form()))
    return resolved;
  if (llvm::Error error = registerGroup(mode, *resolved))
    return error;
  return resolved;
}

} // namespace detail

llvm::Expected<ExpandedGroup> expandGroup(const GroupLike &group, llvm::StringRef tag) {
  detail::Mode *mode = detail::Mode::current();
  if (!mode)
    return makeError(detail::noModeProblem("expandGroup"));
  llvm::Expected<Group> resolved = detail::resolveGroup(*mode, group, tag);
  if (!resolved)
    return resolved.takeError();
  return ExpandedGroup{resolved->name, detail::allRanks(*resolved), resolved->size().value_or(0)};
}

// --- Meshes ----------------------------------------------------------------------------------------------------------

DeviceMesh::DeviceMesh(std::string deviceType, std::vector<int64_t> shape, std::vector<std::string> names,
                       std::vector<int64_t> ranks)
    : deviceType_(std::move(deviceType)), shape_(std::move(shape)), names_(std::move(names)), ranks_(std::move(ranks)) {
  if (!ranks_.empty() || llvm::any_of(shape_, [](int64_t size) { return size < 1; }))
    return;
  for (int64_t rank = 0; rank != size(); ++rank)
    ranks_.push_back(rank);
}

int64_t DeviceMesh::size() const {
  int64_t product = 1;
  for (int64_t size : shape_)
    product *= size;
  return product;
}

std::string DeviceMesh::wrong() const {
  if (shape_.empty() || llvm::any_of(shape_, [](int64_t size) { return size < 1; }))
    return "a mesh needs dimensions of one rank or more";
  if (!names_.empty() && names_.size() != shape_.size())
    return std::to_string(names_.size()) + " names for a mesh of " + std::to_string(shape_.size()) + " dimensions";
  if (static_cast<int64_t>(ranks_.size()) != size())
    return std::to_string(ranks_.size()) + " ranks for a mesh of " + std::to_string(size());
  return "";
}

llvm::Expected<int64_t> DeviceMesh::size(int64_t dim) const {
  int64_t index = dim < 0 ? dim + ndim() : dim;
  if (index < 0 || index >= ndim())
    return makeError(detail::problem("trace.mesh", "mesh",
                                     "dimension " + std::to_string(dim) + " of a mesh of " + std::to_string(ndim()) +
                                         " dimensions"));
  return shape_[static_cast<size_t>(index)];
}

llvm::Expected<Group> DeviceMesh::get_group() const {
  if (ndim() != 1)
    return makeError(detail::problem("trace.mesh", "mesh",
                                     "Only 1D mesh is supported, pass in (DeviceMesh, int) together if mesh > 1D"));
  return get_group(0);
}

// Lines along dimension d are `stride` apart in row-major order, where stride is the product of the sizes after d:
// of {2, 4} along 1 the lines are 0 1 2 3 and 4 5 6 7 (stride 1), along 0 they are 0 4, 1 5, 2 6 and 3 7 (stride 4).
llvm::Expected<Group> DeviceMesh::get_group(int64_t dim) const {
  if (std::string why = wrong(); !why.empty())
    return makeError(detail::problem("trace.mesh", "mesh", why));
  llvm::Expected<int64_t> length = size(dim);
  if (!length)
    return length.takeError();
  auto axis = static_cast<size_t>(dim < 0 ? dim + ndim() : dim);
  size_t stride = 1;
  for (size_t i = axis + 1; i < shape_.size(); ++i)
    stride *= static_cast<size_t>(shape_[i]);
  auto count = static_cast<size_t>(*length);
  Group group;
  group.name = names_.empty() ? "mesh_" + std::to_string(axis) : names_[axis];
  group.description = "mesh_" + (names_.empty() ? std::to_string(axis) : names_[axis]);
  group.axis = static_cast<int64_t>(axis);
  Cells lines(ranks_.size() / count);
  for (size_t i = 0; i != ranks_.size(); ++i)
    lines[i / (stride * count) * stride + i % stride].push_back(ranks_[i]);
  if (lines.size() == 1)
    group.ranks = std::move(lines.front());
  else
    group.partition = std::move(lines);
  return group;
}

} // namespace ccgraph::tracer

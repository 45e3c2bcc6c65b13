#include "tracer/groups.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>
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

/// Returns "[0, 1]", or "[[0, 1], [2, 3]]".
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

/// Checks that ranks are within the world, and that none is repeated.
llvm::Error checkRanks(const Mode &mode, const Group &group) {
  std::set<int64_t> seen;
  for (int64_t rank : allRanks(group)) {
    if (rank < 0 || (mode.worldSize() && rank >= *mode.worldSize()))
      return groupError(group,
                        "rank " + std::to_string(rank) + " is not one of the world's" +
                            (mode.worldSize() ? " " + std::to_string(*mode.worldSize()) + " ranks" : ""),
                        "ranks are global and count from 0");
    if (!seen.insert(rank).second)
      return groupError(group, "rank " + std::to_string(rank) + " occurs twice in " + membersText(group));
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

/// Compares as PyTorch looks groups up: the ranks of a group in any order, cell by cell.
bool hasRanks(const Group &group, const Cells &cells) {
  auto isSame = [](const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
    return a.size() == b.size() && std::is_permutation(a.begin(), a.end(), b.begin());
  };
  if (group.partition.empty())
    return cells.size() == 1 && isSame(cells.front(), group.ranks);
  return cells.size() == group.partition.size() &&
         std::equal(cells.begin(), cells.end(), group.partition.begin(), isSame);
}

/// The group that an earlier call meant by this list; null where there was none.
const Group *groupOfKnownList(Mode &mode, llvm::ArrayRef<std::vector<int64_t>> cells, llvm::StringRef tag) {
  auto known = llvm::find_if(mode.listedGroups, [&](const Mode::ListedGroup &listed) {
    return listed.tag == tag && llvm::ArrayRef(listed.cells) == cells;
  });
  return known == mode.listedGroups.end() ? nullptr : mode.groups().find(known->name);
}

/// A list of ranks gives no name: it means the group with these ranks and this tag.
llvm::Expected<const Group *> groupOfNewList(Mode &mode, const Cells &cells, llvm::StringRef tag) {
  mode.warnOnce(problem("trace.ranks-deprecated", "group",
                        "The combination of ranks + tag as process group identifier has been deprecated. Please switch "
                        "to using ProcessGroup, DeviceMesh, or group name instead."));
  Group wanted;
  if (cells.size() == 1)
    wanted.ranks = cells.front();
  else
    wanted.partition = cells;
  if (llvm::Error error = checkCells(wanted))
    return error;
  if (llvm::Error error = checkRanks(mode, wanted))
    return error;
  for (const Group &known : mode.groups().groups())
    if (known.tag == tag && hasRanks(known, cells)) {
      mode.listedGroups.push_back({cells, tag.str(), known.name});
      return &known;
    }
  return groupError(wanted,
                    "no process group has the ranks " + membersText(wanted) + " and the tag '" + tag.str() + "'",
                    "Trace::addGroup makes a group known by its ranks and its tag");
}

llvm::Expected<const Group *> registered(Mode &mode, const Group &group) {
  if (llvm::Error error = registerGroup(mode, group))
    return error;
  return mode.groups().find(group.name);
}

llvm::Expected<const Group *> groupOfName(Mode &mode, const std::string &name) {
  if (const Group *known = mode.groups().find(name))
    return known;
  Group unknown;
  unknown.name = name;
  return groupError(unknown, "Could not resolve the process group registered under the name " + name,
                    "Trace::addGroup states its ranks, TraceOptions::worldSize those of \"0\"");
}

llvm::Error meshError(std::string message) { return makeError(problem("trace.mesh", "mesh", std::move(message))); }

/// Returns the dimension, counted from 0, of a valid mesh.
llvm::Expected<size_t> axisOf(const DeviceMesh::Layout &mesh, int64_t dim) {
  if (!mesh.wrong.empty())
    return meshError(mesh.wrong);
  auto dims = static_cast<int64_t>(mesh.shape.size());
  int64_t index = dim < 0 ? dim + dims : dim;
  if (index < 0 || index >= dims)
    return meshError("dimension " + std::to_string(dim) + " of a mesh of " + std::to_string(dims) + " dimensions");
  return static_cast<size_t>(index);
}

/// Returns the only dimension.
llvm::Expected<int64_t> onlyAxis(const DeviceMesh::Layout &mesh) {
  if (mesh.shape.size() != 1)
    return meshError("Only 1D mesh is supported, pass in (DeviceMesh, int) together if mesh > 1D");
  return 0;
}

llvm::Expected<const Group *> groupOfMesh(Mode &mode, const DeviceMesh &mesh, int64_t dim) {
  llvm::Expected<size_t> axis = axisOf(*mesh.layout(), dim);
  if (!axis)
    return axis.takeError();
  auto [entry, isNew] = mode.meshGroups.try_emplace({mesh.layout().get(), *axis});
  if (!isNew)
    return mode.groups().find(entry->second.name);
  llvm::Expected<const Group *> group = registered(mode, mesh.layout()->groups[*axis]);
  if (group)
    entry->second = {mesh.layout(), (*group)->name};
  else
    mode.meshGroups.erase(entry);
  return group;
}

struct FormResolver {
  Mode &mode;
  llvm::StringRef tag;

  llvm::Expected<const Group *> operator()(const std::vector<int64_t> &ranks) const {
    const Group *known = groupOfKnownList(mode, ranks, tag);
    return known ? known : groupOfNewList(mode, Cells{ranks}, tag);
  }
  llvm::Expected<const Group *> operator()(const Cells &cells) const {
    const Group *known = groupOfKnownList(mode, cells, tag);
    return known ? known : groupOfNewList(mode, cells, tag);
  }
  llvm::Expected<const Group *> operator()(const Group &group) const { return registered(mode, group); }
  llvm::Expected<const Group *> operator()(const DeviceMesh &mesh) const {
    llvm::Expected<int64_t> axis = onlyAxis(*mesh.layout());
    if (!axis)
      return axis.takeError();
    return groupOfMesh(mode, mesh, *axis);
  }
  llvm::Expected<const Group *> operator()(const std::pair<DeviceMesh, int64_t> &meshAndDim) const {
    return groupOfMesh(mode, meshAndDim.first, meshAndDim.second);
  }
  llvm::Expected<const Group *> operator()(const std::string &name) const { return groupOfName(mode, name); }
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
    return groupError(group, "it has no name", "a group object needs a name, which graphs contain");
  const Group *known = mode.groups().find(group.name);
  if (known && sameMembers(*known, group) && known->tag == group.tag)
    return llvm::Error::success();
  if (llvm::Error error = checkCells(group))
    return error;
  if (llvm::Error error = checkRanks(mode, group))
    return error;
  if (known && sameMembers(*known, group))
    return groupError(group, "its tag is '" + known->tag + "' already, and now '" + group.tag + "'",
                      "give one of them another name");
  if (known)
    return groupError(group, "it is " + membersText(*known) + " already, and now " + membersText(group),
                      "give one of them another name");
  mode.groups().set(group);
  return llvm::Error::success();
}

llvm::Expected<const Group *> resolveGroup(Mode &mode, const GroupLike &group, llvm::StringRef tag) {
  return std::visit(FormResolver{mode, tag}, group.form());
}

const Mode::KnownGroup &Mode::known(const Group &group) {
  auto [entry, isNew] = knownGroups_.try_emplace(group.name);
  if (isNew)
    entry->second = {group.size().value_or(0), rank() && !llvm::is_contained(group.members(*rank()), *rank())};
  return entry->second;
}

llvm::Expected<CallGroup> groupOfCall(Mode &mode, const GroupLike &group, llvm::StringRef tag) {
  llvm::Expected<const Group *> resolved = resolveGroup(mode, group, tag);
  if (!resolved)
    return resolved.takeError();
  const Mode::KnownGroup &known = mode.known(**resolved);
  if (known.lacksRank)
    return groupError(**resolved,
                      "rankset doesn't include the current node: the trace is of rank " + std::to_string(*mode.rank()) +
                          ", and the group is " + membersText(**resolved),
                      "a rank calls collectives of its own groups alone");
  return CallGroup{(*resolved)->name, known.size};
}

} // namespace detail

llvm::Expected<ExpandedGroup> expandGroup(const GroupLike &group, llvm::StringRef tag) {
  detail::Mode *mode = detail::Mode::current();
  if (!mode)
    return makeError(detail::noModeProblem("expandGroup"));
  llvm::Expected<const Group *> resolved = detail::resolveGroup(*mode, group, tag);
  if (!resolved)
    return resolved.takeError();
  return ExpandedGroup{(*resolved)->name, detail::allRanks(**resolved), (*resolved)->size().value_or(0)};
}

// --- Meshes ----------------------------------------------------------------------------------------------------------

namespace {

using Layout = DeviceMesh::Layout;

int64_t ranksOf(llvm::ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

bool isDeviceType(llvm::StringRef text) {
  return !text.empty() && llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

std::string problemOf(const Layout &mesh) {
  if (!isDeviceType(mesh.deviceType))
    return "the device type '" + mesh.deviceType + "' of a mesh, expected letters, digits and '_', such as cuda";
  if (mesh.shape.empty() || llvm::any_of(mesh.shape, [](int64_t size) { return size < 1; }))
    return "a mesh needs dimensions of one rank or more";
  if (!mesh.names.empty() && mesh.names.size() != mesh.shape.size())
    return std::to_string(mesh.names.size()) + " names for a mesh of " + std::to_string(mesh.shape.size()) +
           " dimensions";
  if (static_cast<int64_t>(mesh.ranks.size()) != ranksOf(mesh.shape))
    return std::to_string(mesh.ranks.size()) + " ranks for a mesh of " + std::to_string(ranksOf(mesh.shape));
  return "";
}

std::string axisName(const Layout &mesh, size_t axis) {
  return mesh.names.empty() ? "mesh_" + std::to_string(axis) : mesh.names[axis];
}

/// Returns "dp,tp", the names of the dimensions, since a mesh of PyTorch's has no other name.
std::string meshName(const Layout &mesh) {
  std::string name;
  for (size_t axis = 0; axis != mesh.shape.size(); ++axis)
    name += (axis == 0 ? "" : ",") + axisName(mesh, axis);
  return name;
}

// Lines along dimension d are `stride` apart in row-major order, where stride is the product of the sizes after d. For
// {2, 4}, the lines along 1 are 0 1 2 3 and 4 5 6 7 (stride 1), and those along 0 are 0 4, 1 5, 2 6 and 3 7 (stride 4).
Group groupAlong(const Layout &mesh, size_t axis) {
  auto stride = static_cast<size_t>(ranksOf(llvm::ArrayRef(mesh.shape).drop_front(axis + 1)));
  auto count = static_cast<size_t>(mesh.shape[axis]);
  Group group;
  group.name = axisName(mesh, axis);
  group.description = "mesh_" + (mesh.names.empty() ? std::to_string(axis) : mesh.names[axis]);
  group.mesh = meshName(mesh);
  group.axis = static_cast<int64_t>(axis);
  group.attributes.emplace_back(guardFactName(GuardFact::MeshDims).str(), std::to_string(mesh.shape.size()));
  group.attributes.emplace_back(guardFactName(GuardFact::DeviceType).str(), "\"" + mesh.deviceType + "\"");
  Cells lines(mesh.ranks.size() / count);
  for (size_t i = 0; i != mesh.ranks.size(); ++i)
    lines[i / (stride * count) * stride + i % stride].push_back(mesh.ranks[i]);
  if (lines.size() == 1)
    group.ranks = std::move(lines.front());
  else
    group.partition = std::move(lines);
  return group;
}

/// Records a fact of a valid mesh, as one of the group of its first dimension. An invalid mesh, or one that does not
/// fit the world, leaves no guard; each call on its groups reports the error.
void noteOfMesh(const DeviceMesh &mesh, GuardFact fact, GuardValue value) {
  detail::Mode *mode = detail::Mode::current();
  if (!mode)
    return;
  if (llvm::Expected<const Group *> group = detail::groupOfMesh(*mode, mesh, 0))
    mode->noteFact({fact, (*group)->name, std::move(value)});
  else
    llvm::consumeError(group.takeError());
}

/// Records the size of each dimension.
void noteSizes(const DeviceMesh &mesh) {
  for (int64_t dim = 0; dim != static_cast<int64_t>(mesh.layout()->shape.size()); ++dim)
    if (llvm::Expected<int64_t> size = mesh.size(dim); !size)
      return llvm::consumeError(size.takeError()); // each call on the mesh's groups reports this error
}

} // namespace

DeviceMesh::DeviceMesh(std::string deviceType, std::vector<int64_t> shape, std::vector<std::string> names,
                       std::vector<int64_t> ranks) {
  auto layout = std::make_shared<Layout>();
  *layout = {std::move(deviceType), std::move(shape), std::move(names), std::move(ranks), "", {}};
  bool isEmpty = layout->ranks.empty() && llvm::all_of(layout->shape, [](int64_t size) { return size >= 1; });
  if (isEmpty) {
    layout->ranks.resize(static_cast<size_t>(ranksOf(layout->shape)));
    std::iota(layout->ranks.begin(), layout->ranks.end(), 0);
  }
  layout->wrong = problemOf(*layout);
  for (size_t axis = 0; layout->wrong.empty() && axis != layout->shape.size(); ++axis)
    layout->groups.push_back(groupAlong(*layout, axis));
  layout_ = std::move(layout);
}

const std::vector<int64_t> &DeviceMesh::ranks() const { return layout_->ranks; }
const std::vector<int64_t> &DeviceMesh::shape() const {
  noteSizes(*this);
  return layout_->shape;
}

int64_t DeviceMesh::size() const {
  noteSizes(*this);
  return ranksOf(layout_->shape);
}

int64_t DeviceMesh::ndim() const {
  auto dims = static_cast<int64_t>(layout_->shape.size());
  noteOfMesh(*this, GuardFact::MeshDims, dims);
  return dims;
}

const std::string &DeviceMesh::device_type() const {
  noteOfMesh(*this, GuardFact::DeviceType, layout_->deviceType);
  return layout_->deviceType;
}

llvm::Expected<int64_t> DeviceMesh::size(int64_t dim) const {
  llvm::Expected<size_t> axis = detail::axisOf(*layout_, dim);
  if (!axis)
    return axis.takeError();
  detail::Mode *mode = detail::Mode::current();
  if (!mode)
    return layout_->shape[*axis];
  llvm::Expected<const Group *> group = detail::groupOfMesh(*mode, *this, static_cast<int64_t>(*axis));
  if (!group)
    return group.takeError();
  mode->noteFact({GuardFact::Size, (*group)->name, layout_->shape[*axis]});
  return layout_->shape[*axis];
}

llvm::Expected<Group> DeviceMesh::get_group() const {
  llvm::Expected<int64_t> axis = detail::onlyAxis(*layout_);
  if (!axis)
    return axis.takeError();
  return get_group(*axis);
}

llvm::Expected<Group> DeviceMesh::get_group(int64_t dim) const {
  llvm::Expected<size_t> axis = detail::axisOf(*layout_, dim);
  if (!axis)
    return axis.takeError();
  return layout_->groups[*axis];
}

} // namespace ccgraph::tracer

#include "ccgraph/ir/group_nesting.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <numeric>

namespace ccgraph {
namespace {

// --- Facts about the groups of a program ----------------------------------------------------------------------------

/// The maximum length of a chain from a collective to an input or an output of the graph.
constexpr unsigned longestChain = 16;

bool isPlainStep(const Node &node) {
  return node.opcode() == Opcode::CallFunction && node.op() && node.op()->role != OpRole::Collective &&
         !node.op()->collective && (node.op()->isView || node.op()->role != OpRole::Compute || node.op()->movesBytes);
}

/// Returns whether the value is an input of the graph, possibly through views, copies and conversions.
bool comesFromInput(const Node *node) {
  for (unsigned i = 0; node && i < longestChain; ++i) {
    if (node->opcode() == Opcode::Placeholder || node->opcode() == Opcode::GetAttr)
      return true;
    if (!isPlainStep(*node) || node->numOperands() == 0)
      return false;
    node = node->operand(0);
  }
  return false;
}

/// Returns true for a wait, view, copy, conversion or further collective, and for a division by the number of ranks.
bool keepsGradient(const Node &node) {
  llvm::StringRef target = node.target().str();
  return isPlainStep(node) || (node.op() && node.op()->collective) || target.startswith("aten.div.") ||
         target.startswith("aten.mul.");
}

/// Returns whether the value only becomes outputs of the graph, as gradients do.
bool goesToOutput(const Node &node, unsigned steps = longestChain) {
  if (steps == 0 || !node.hasUses())
    return false;
  return llvm::all_of(node.uses(), [&](const Use &use) {
    const Node &reader = *use.user();
    return reader.opcode() == Opcode::Output || (keepsGradient(reader) && goesToOutput(reader, steps - 1));
  });
}

/// Losses and norms do not show the position of their group.
bool isScalar(const Node &launch) {
  std::optional<int64_t> bytes = inputBytes(launch);
  return bytes && *bytes <= 8;
}

unsigned depthOf(const Node &launch, const CollectiveCall &call) {
  constexpr unsigned gradients = 0, parameters = 1, activations = 2;
  switch (call.spec->kind) {
  case CollectiveKind::AllReduce:
    return isScalar(launch) || goesToOutput(launch) ? gradients : activations;
  case CollectiveKind::AllGather:
    return !call.inputs.empty() && comesFromInput(call.inputs.front()) ? parameters : activations;
  case CollectiveKind::ReduceScatter:
    return goesToOutput(launch) ? parameters : activations;
  default:
    return activations;
  }
}

/// Returns the number of members that a call states: a number, or splits, one for each member. A list of ranks in the
/// call belongs to one rank, and so does its length.
int64_t statedSize(const Node &call, const CollectiveCall &read, const GroupId &id) {
  if (id.kind == GroupId::Kind::Ranks)
    return 0;
  if (read.groupSize.value_or(0) > 0)
    return *read.groupSize;
  const Argument *splits = argumentAt(call, read.spec->inputSplits);
  return splits && splits->isSequence() ? static_cast<int64_t>(splits->elements().size()) : 0;
}

class Collector {
public:
  void collect(const Graph &graph) {
    for (const Node *node : graph)
      if (const Node *call = wrappedCall(*node))
        add(*node, *call);
    for (const auto &[name, subgraph] : graph.subgraphs())
      collect(*subgraph);
  }
  std::vector<UsedGroup> take() { return std::move(groups_); }

private:
  void add(const Node &node, const Node &call) {
    std::optional<CollectiveCall> read = collectiveCall(call);
    if (!read)
      return;
    GroupId id = groupIdOf(node);
    if (id.kind == GroupId::Kind::Unknown)
      return;
    auto [place, isNew] = index_.try_emplace(std::to_string(static_cast<int>(id.kind)) + id.text, groups_.size());
    if (isNew)
      groups_.push_back({.id = id, .given = std::nullopt, .place = std::nullopt});
    UsedGroup &group = groups_[place->second];
    if (group.size == 0)
      group.size = statedSize(call, *read, id);
    group.depth = std::max(group.depth, depthOf(call, *read));
    ++group.launches;
  }

  llvm::StringMap<size_t> index_;
  std::vector<UsedGroup> groups_;
};

bool listsAllUpTo(llvm::ArrayRef<int64_t> ranks, int64_t count) {
  std::vector<int64_t> sorted(ranks.begin(), ranks.end());
  llvm::sort(sorted);
  for (int64_t i = 0; i < count; ++i)
    if (static_cast<size_t>(i) >= sorted.size() || sorted[i] != i)
      return false;
  return static_cast<int64_t>(sorted.size()) == count;
}

int64_t endOfTable(const GroupTable &table) {
  int64_t end = 0;
  for (const Group &group : table.groups()) {
    if (group.assumed)
      continue;
    for (int64_t rank : group.ranks)
      end = std::max(end, rank + 1);
    for (const auto &cell : group.partition)
      for (int64_t rank : cell)
        end = std::max(end, rank + 1);
  }
  return end;
}

// --- Strides -------------------------------------------------------------------------------------------------------

/// Returns the indices of the groups, innermost first.
std::vector<size_t> fromInside(llvm::ArrayRef<UsedGroup> groups) {
  std::vector<size_t> order(groups.size());
  std::iota(order.begin(), order.end(), size_t{0});
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return std::pair(groups[a].depth, groups[a].launches) > std::pair(groups[b].depth, groups[b].launches);
  });
  return order;
}

constexpr int64_t mostRanks = int64_t(1) << 20;

/// Returns an empty value if the product exceeds any job.
std::optional<int64_t> productOf(llvm::ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size > mostRanks || product * size > mostRanks)
      return std::nullopt;
    product *= size;
  }
  return product;
}

/// Returns the sizes that are dimensions: neither a single rank nor the whole world.
std::vector<int64_t> dimensions(llvm::ArrayRef<UsedGroup> groups, int64_t world) {
  std::vector<int64_t> sizes;
  for (const UsedGroup &group : groups)
    if (group.size > 1 && group.size != world)
      sizes.push_back(group.size);
  return sizes;
}

/// Returns the size of the only group without a stated size, as the rest of the world; 0 if that is ambiguous.
int64_t sizeOfRest(llvm::ArrayRef<UsedGroup> groups, int64_t world) {
  auto isOpen = [](const UsedGroup &group) { return group.size == 0; };
  std::optional<int64_t> product = productOf(dimensions(groups, world));
  if (world == 0 || llvm::count_if(groups, isOpen) != 1 || !product || world % *product != 0 || *product == world)
    return 0;
  return world / *product;
}

/// Returns whether the two are dimensions of one mesh: each cell of one shares at most one rank with each cell of the
/// other.
bool areDimensions(const GroupLayout &a, const GroupLayout &b) {
  const GroupLayout &inner = a.stride <= b.stride ? a : b, &outer = a.stride <= b.stride ? b : a;
  return outer.stride % (inner.stride * inner.size) == 0;
}

// Groups are placed from the innermost to the outermost. Each gets the smallest stride at which it is a dimension
// besides the groups already placed.
class Nesting {
public:
  Nesting(llvm::ArrayRef<UsedGroup> groups, int64_t world) : groups_(groups), world_(world), layouts_(groups.size()) {}

  std::vector<std::optional<GroupLayout>> run() {
    for (size_t i = 0; i < groups_.size(); ++i)
      if (groups_[i].given)
        take(i, *groups_[i].given);
    int64_t rest = sizeOfRest(groups_, world_);
    for (size_t i : fromInside(groups_))
      if (int64_t size = groups_[i].size ? groups_[i].size : rest; !layouts_[i] && size > 0)
        take(i, layoutOf(groups_[i], size));
    return std::move(layouts_);
  }

private:
  [[nodiscard]] bool isWhole(int64_t size) const { return size == 1 || size == world_ || size > mostRanks; }

  void take(size_t i, const GroupLayout &layout) {
    layouts_[i] = layout;
    if (!isWhole(layout.size))
      placed_.push_back(layout);
  }

  [[nodiscard]] GroupLayout layoutOf(const UsedGroup &group, int64_t size) const {
    if (isWhole(size))
      return {size, 1};
    std::vector<int64_t> strides = {1};
    for (const GroupLayout &layout : placed_)
      if (layout.stride <= mostRanks / layout.size)
        strides.push_back(layout.stride * layout.size);
    for (const UsedGroup &other : groups_) // these may be inside
      if (other.size > 1 && other.size <= mostRanks)
        strides.push_back(other.size);
    llvm::sort(strides);
    for (int64_t stride : strides)
      if (fits(group, {size, stride}))
        return {size, stride};
    // Several dimensions as one, or a dimension of another mesh: at least not the ranks of another group.
    bool isTaken = llvm::is_contained(placed_, GroupLayout{size, 1});
    return {size, isTaken && world_ > 0 && world_ % size == 0 ? world_ / size : 1};
  }

  [[nodiscard]] bool fits(const UsedGroup &group, const GroupLayout &layout) const {
    if (layout.stride > mostRanks / layout.size || (world_ > 0 && world_ % (layout.stride * layout.size) != 0))
      return false;
    if (group.place && group.rank / layout.stride % layout.size != *group.place)
      return false;
    return llvm::all_of(placed_, [&](const GroupLayout &other) { return areDimensions(layout, other); });
  }

  llvm::ArrayRef<UsedGroup> groups_;
  int64_t world_;
  std::vector<std::optional<GroupLayout>> layouts_;
  std::vector<GroupLayout> placed_;
};

} // namespace

std::vector<UsedGroup> usedGroups(const Graph &graph) {
  Collector collector;
  collector.collect(graph);
  return collector.take();
}

std::optional<int64_t> knownWorldSize(const Graph &graph) {
  if (graph.worldSize)
    return graph.worldSize;
  llvm::ArrayRef<Group> groups = graph.groups().groups();
  auto isList = [](const Group &group) { return !group.assumed && !group.ranks.empty(); };
  for (const Group &group : groups)
    if (isList(group) && (group.name == "0" || group.description == "default_pg"))
      return static_cast<int64_t>(group.ranks.size());
  int64_t end = endOfTable(graph.groups());
  for (const Group &group : groups)
    if (isList(group) && static_cast<int64_t>(group.ranks.size()) == end && listsAllUpTo(group.ranks, end))
      return end;
  return std::nullopt;
}

// If the largest of three sizes is the product of the others, they are two dimensions and the whole mesh. Two sizes are
// two dimensions.
int64_t impliedWorldSize(llvm::ArrayRef<UsedGroup> groups) {
  for (const UsedGroup &group : groups)
    if (group.id.text == "0" && group.size > 0)
      return group.size;
  std::vector<int64_t> sizes = dimensions(groups, 0);
  if (sizes.empty())
    return llvm::any_of(groups, [](const UsedGroup &group) { return group.size == 1; }) ? 1 : 0;
  llvm::sort(sizes);
  std::optional<int64_t> inner = productOf(llvm::ArrayRef(sizes).drop_back());
  if (sizes.size() > 2 && inner && *inner == sizes.back())
    return sizes.back();
  return productOf(sizes).value_or(sizes.back());
}

std::vector<std::optional<GroupLayout>> nestGroups(llvm::ArrayRef<UsedGroup> groups, int64_t world) {
  return Nesting(groups, world).run();
}

std::vector<std::vector<int64_t>> cellsOf(const GroupLayout &layout, int64_t world) {
  std::vector<std::vector<int64_t>> cells;
  if (layout.size < 1 || layout.stride < 1 || world < 1 || world > mostRanks ||
      world % (layout.size * layout.stride) != 0)
    return cells;
  for (int64_t first = 0; first < world; ++first) {
    if (first / layout.stride % layout.size != 0)
      continue;
    std::vector<int64_t> &cell = cells.emplace_back();
    for (int64_t i = 0; i < layout.size; ++i)
      cell.push_back(first + i * layout.stride);
  }
  return cells;
}

} // namespace ccgraph

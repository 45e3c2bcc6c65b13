#include "cost/fusion_regions.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/work.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/IntEqClasses.h"

namespace ccgraph {
namespace {

constexpr uint32_t noRegion = FusionRegions::noRegion;

/// Returns the bytes of a tensor, or of all tensors of a list; negative if a size is unknown.
double bytesOfType(const Type *type) {
  if (!type)
    return -1;
  if (!type->isList())
    return type->isTensor() ? static_cast<double>(type->numBytes().value_or(-1)) : 0;
  double sum = 0;
  for (const Type *element : type->elements()) {
    const double bytes = bytesOfType(element);
    if (bytes < 0)
      return -1;
    sum += bytes;
  }
  return sum;
}

/// Returns the bytes of a node's result. Dumps print no type for a list of results, so the types of its elements are
/// used.
double bytesOfResult(const Node &node) {
  const double stated = bytesOfType(node.type());
  if (stated >= 0)
    return stated;
  double sum = -1;
  for (const Use &use : node.uses()) {
    const Node &user = *use.user();
    if (use.isOrdering() || !user.op() || user.op()->role != OpRole::GetItem)
      continue;
    const double element = bytesOfType(user.type());
    if (element < 0)
      return -1;
    sum = std::max(sum, 0.0) + element;
  }
  return sum;
}

/// The role of a node for the regions around it.
enum class Part : uint8_t {
  /// inputs and the output
  Border,
  /// shows a value that another node produced: views, getitem, waits
  Window,
  /// may be in a kernel with others
  Fusible,
  /// a kernel of its own
  Kernel,
  /// a collective
  Collective,
};

bool isView(const Node &node) {
  const OpDef &op = *node.op();
  return op.isView || (op.mayAlias && op.sharing && op.sharing(node) == Sharing::View);
}

Part partOf(const Node &node) {
  if (node.opcode() != Opcode::CallFunction || !node.op())
    return Part::Border;
  const OpDef &op = *node.op();
  if (op.collective)
    return Part::Collective;
  if (isView(node) || op.role == OpRole::GetItem || op.role == OpRole::Wait)
    return Part::Window;
  const WorkFamily family = workFamily(op);
  if (op.role != OpRole::Compute || family == WorkFamily::Uncounted)
    return Part::Kernel;
  if (family == WorkFamily::None)
    return Part::Border; // an allocation
  return isFusible(family) ? Part::Fusible : Part::Kernel;
}

/// Finds the regions in one traversal of the program. A node joins the region of an operand, and thereby merges the
/// regions of several operands, unless a kernel or a collective lies between.
class RegionFinder {
public:
  explicit RegionFinder(const Graph &graph)
      : parts_(graph.idLimit(), Part::Border), depth_(graph.idLimit(), 0), through_(graph.idLimit()),
        shown_(graph.idLimit(), nullptr), classes_(graph.idLimit()) {
    for (const Node *node : graph)
      visit(*node);
    classes_.compress();
  }

  [[nodiscard]] Part part(const Node &node) const { return parts_[node.id()]; }
  /// Returns equal numbers for nodes of one region.
  [[nodiscard]] uint32_t classOf(const Node &node) const { return classes_[node.id()]; }
  /// Returns the value that a chain of windows shows; any other node shows itself.
  [[nodiscard]] const Node &shown(const Node &node) const { return *shown_[node.id()]; }

private:
  /// Regions of a node's own depth that reach it through a collective, by their leaders at that time. Too many are
  /// recorded as all. Regions of other depths are not recorded, because they cannot be joined anyway.
  struct Through {
    llvm::SmallVector<uint32_t, 2> leaders;
    bool all = false;
  };
  static constexpr size_t mostLeaders = 16;

  void visit(const Node &node) {
    const uint32_t id = node.id();
    parts_[id] = partOf(node);
    shown_[id] = parts_[id] == Part::Window && node.numOperands() > 0 ? shown_[node.operand(0)->id()] : &node;
    for (const Node *operand : node.dataOperands())
      depth_[id] = std::max(depth_[id], depth_[operand->id()] + (part(*operand) == Part::Kernel ? 1U : 0U));
    for (const Node *operand : node.dataOperands())
      if (depth_[operand->id()] == depth_[id])
        inherit(*operand, id);
    if (parts_[id] == Part::Fusible)
      for (const Node *operand : node.dataOperands())
        join(shown(*operand), id);
  }

  void inherit(const Node &operand, uint32_t id) {
    Through &through = through_[id];
    const Through &before = through_[operand.id()];
    through.all |= before.all;
    for (uint32_t leader : before.leaders)
      add(through, leader);
    if (parts_[id] == Part::Collective && part(shown(operand)) == Part::Fusible)
      add(through, classes_.findLeader(shown(operand).id()));
  }

  static void add(Through &through, uint32_t leader) {
    if (through.all || llvm::is_contained(through.leaders, leader))
      return;
    through.leaders.push_back(leader);
    through.all = through.leaders.size() > mostLeaders;
  }

  [[nodiscard]] bool isBehindCollective(uint32_t leader, uint32_t id) const {
    const Through &through = through_[id];
    auto isIt = [&](uint32_t met) { return classes_.findLeader(met) == leader; };
    return through.all || llvm::any_of(through.leaders, isIt);
  }

  void join(const Node &operand, uint32_t id) {
    const uint32_t from = operand.id();
    if (parts_[from] == Part::Fusible && depth_[from] == depth_[id] &&
        !isBehindCollective(classes_.findLeader(from), id))
      classes_.join(from, id);
  }

  std::vector<Part> parts_;
  std::vector<uint32_t> depth_;
  std::vector<Through> through_;
  std::vector<const Node *> shown_;
  llvm::IntEqClasses classes_;
};

/// Charges the bytes of each region to its nodes.
class Charger {
public:
  Charger(const RegionFinder &finder, const std::vector<uint32_t> &region, std::vector<double> &bytes)
      : finder_(finder), region_(region), bytes_(bytes) {}

  void charge(const Node &node) {
    for (const Node *operand : node.dataOperands())
      chargeRead(node, *operand);
    if (!node.op()->freshResult || isReadOutside(node))
      add(node, bytesOfResult(node));
  }

private:
  void add(const Node &node, double bytes) {
    double &sum = bytes_[node.id()];
    sum = bytes < 0 || sum < 0 ? -1 : sum + bytes;
  }

  /// Charges the bytes of a read. A view that repeats elements reads them once, and a view of a part reads that part.
  /// An element of a list is no view of the list.
  void chargeRead(const Node &node, const Node &operand) {
    const Node &made = finder_.shown(operand);
    const uint32_t region = region_[node.id()];
    if (region_[made.id()] == region || !read_.insert({region, made.id()}).second)
      return;
    const double shown = bytesOfType(operand.type());
    const double base = made.type() && made.type()->isTensor() ? bytesOfType(made.type()) : -1;
    add(node, base >= 0 && shown > base ? base : shown);
  }

  /// Returns true if a node outside its region reads the node, or a window on it.
  [[nodiscard]] bool isReadOutside(const Node &node) const {
    llvm::SmallVector<const Node *, 8> seen = {&node};
    for (size_t next = 0; next < seen.size(); ++next)
      for (const Use &use : seen[next]->uses()) {
        if (use.isOrdering())
          continue;
        if (finder_.part(*use.user()) == Part::Window)
          seen.push_back(use.user());
        else if (region_[use.user()->id()] != region_[node.id()])
          return true;
      }
    return false;
  }

  const RegionFinder &finder_;
  const std::vector<uint32_t> &region_;
  std::vector<double> &bytes_;
  /// pairs of a region and a value that it has read; looked up, never iterated
  llvm::DenseSet<std::pair<uint32_t, uint32_t>> read_;
};

} // namespace

// Regions are numbered in program order, unlike the classes of the finder.
FusionRegions::FusionRegions(const Graph &graph)
    : region_(graph.idLimit(), noRegion), isFirst_(graph.idLimit(), false), bytes_(graph.idLimit(), 0) {
  const RegionFinder finder(graph);
  llvm::DenseMap<uint32_t, uint32_t> numbers;
  for (const Node *node : graph) {
    if (finder.part(*node) != Part::Fusible)
      continue;
    auto [entry, isNew] = numbers.try_emplace(finder.classOf(*node), numRegions());
    if (isNew)
      size_.push_back(0);
    ++size_[entry->second];
    region_[node->id()] = entry->second;
    isFirst_[node->id()] = isNew;
  }
  Charger charger(finder, region_, bytes_);
  for (const Node *node : graph)
    if (region_[node->id()] != noRegion)
      charger.charge(*node);
}

} // namespace ccgraph

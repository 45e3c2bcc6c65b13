#include "schedule/overlap/graph_problem.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/lifetimes.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace ccgraph::overlap {

namespace {

/// Maximum holders a node that are stored for storages with the same holders; with more, only the last of the holders
/// is stored, and it stays the last.
constexpr size_t maxSharedHolders = 8;

Step stepFor(const Node *node, const ProgramFacts &facts, const CommGroups &groups, const CostModel &costs) {
  Step step;
  step.picoseconds = costs.estimatedTime(*node).picoseconds;
  step.input = node->opcode() == Opcode::Placeholder;
  if (facts.waits(node)) {
    step.kind = StepKind::Wait;
    step.picoseconds = 0;
  } else if (isHostCopy(*node)) {
    step.kind = StepKind::Launch;
    step.stream = hostStream(groups);
    step.bytes = node->type() ? node->type()->numBytes().value_or(0) : 0;
  } else if (facts.launches(node)) {
    step.kind = StepKind::Launch;
    step.stream = groups.groupOf(node);
    step.bytes = std::max(inputBytes(*node).value_or(0), outputBytes(*node).value_or(0));
    step.fixed = groups.isFence(node);
  } else if (facts.views(node) && step.picoseconds == 0) {
    step.kind = StepKind::Free;
  }
  return step;
}

/// Returns, by stream, the level of its links; none if no collective determines it, or no bytes are sent.
std::vector<uint32_t> levelsOf(const GraphProblem &given, const CostModel &costs) {
  std::vector<uint32_t> levels(given.problem.streams, none);
  for (size_t step = 0; step < given.nodes.size(); ++step)
    if (const Step &it = given.problem.steps[step]; it.kind == StepKind::Launch && !isHostCopy(*given.nodes[step]))
      if (Placement placement = costs.placementOf(*given.nodes[step]); placement.ranks > 1)
        levels[it.stream] = static_cast<uint32_t>(placement.level());
  return levels;
}

bool sharesOne(llvm::ArrayRef<uint32_t> levels) {
  auto streamsOn = [&](LinkLevel level) { return llvm::count(levels, static_cast<uint32_t>(level)); };
  return streamsOn(LinkLevel::Intra) > 1 || streamsOn(LinkLevel::Inter) > 1;
}

void addCrowding(GraphProblem &result, const CommGroups &groups, const CostModel &costs) {
  const Machine &machine = costs.machine();
  const bool copies = llvm::any_of(result.nodes, [](const Node *node) { return isHostCopy(*node); });
  result.problem.streams = groups.numGroups() + (copies ? 1 : 0);
  result.problem.crowding.slowdownPpm = machine.slowdownPpm;
  if (std::vector<uint32_t> levels = levelsOf(result, costs); machine.sharedLinks && sharesOne(levels))
    result.problem.crowding.linkOf = std::move(levels);
  if (result.problem.crowding.linkOf.empty())
    return;
  for (size_t step = 0; step < result.nodes.size(); ++step)
    if (Step &it = result.problem.steps[step]; it.kind == StepKind::Launch && result.nodes[step]->op()->collective)
      it.latency = std::min(it.picoseconds, costs.collective(*result.nodes[step], 1));
}

void addCompletions(GraphProblem &result, const ProgramFacts &facts, llvm::ArrayRef<uint32_t> stepOf) {
  for (Node *node : result.nodes) {
    if (facts.waits(node))
      for (const Node *launch : facts.completes(node))
        result.problem.completes.push(stepOf[launch->id()]);
    result.problem.completes.endList();
  }
}

class Maker {
public:
  Maker(Graph &graph, const GraphProblemOptions &options)
      : graph_(graph), options_(options), result_(timesOf(graph, options.facts, options.groups, options.costs)),
        stepOf_(stepsById(result_.nodes)) {}
  GraphProblem make();

private:
  [[nodiscard]] uint32_t stepOf(const Node *node) const { return stepOf_[node->id()]; }
  [[nodiscard]] bool communicates(const Node *node) const { return options_.groups.groupOf(node) != CommGroups::none; }
  [[nodiscard]] bool isBound() const;
  [[nodiscard]] llvm::ArrayRef<StorageId> storagesOf(const Node *node) const {
    return options_.facts.storages().storages(node);
  }
  void findLasts(const StorageLives &lives);
  void limitShared(StorageLives &lives);
  void keepLasts(const Node &list);
  void keepLast(llvm::ArrayRef<Node *> holders);
  void findReshaped();
  void addShapeEdges(uint32_t step, llvm::SmallVectorImpl<uint32_t> &row);
  void addEdges();
  void addStorages(const StorageLives &lives);
  void addHolders(const StorageLives &lives);

  Graph &graph_;
  const GraphProblemOptions &options_;
  GraphProblem result_;
  /// by node id
  std::vector<uint32_t> stepOf_;
  /// By the last wait on a long list, or the last reader of its elements: the other ones.
  llvm::DenseMap<const Node *, std::vector<uint32_t>> others_;
  /// by storage: one of its holders follows all others
  std::vector<bool> isKeptByLast_;
  /// by storage that some node reshapes: the steps so far that reshape it, and those that read an element of a list
  /// with it
  llvm::DenseMap<StorageId, std::vector<uint32_t>> reshapers_, takers_;
};

/// For the many holders of a long list's storages, the memory count includes only the last (StorageLife::lastWaitOnly).
/// This is enough because it stays the last of them, except for many launches into one buffer.
void Maker::findLasts(const StorageLives &lives) {
  llvm::DenseSet<const Node *> together;
  for (const AsyncPairs::Completion &completion : options_.facts.asyncPairs().completions())
    if (completion.launches.size() > 1)
      together.insert(completion.launches.begin(), completion.launches.end());
  isKeptByLast_.resize(lives.storages.size());
  for (const Node *node : result_.nodes)
    if (!together.contains(node) &&
        llvm::any_of(storagesOf(node), [&](StorageId id) { return lives.storages[id].lastWaitOnly; }))
      keepLasts(*node);
}

/// Of a list's many waits or getitems that hold many storages, only the last one is a holder, and it stays the last.
void Maker::limitShared(StorageLives &lives) {
  size_t left = maxSharedHolders * result_.nodes.size();
  for (SharedHold &shared : lives.shared) {
    const size_t size = shared.held.size() * shared.holders.size();
    if (size > left) {
      keepLast(shared.holders);
      shared.holders = {shared.holders.back()};
    }
    left -= std::min(left, size);
  }
}

void Maker::keepLasts(const Node &list) {
  for (StorageId id : storagesOf(&list))
    isKeptByLast_[id] = true;
  if (options_.facts.launches(&list)) {
    for (const Use &use : list.operandUses())
      for (StorageId id : storagesOf(use.def()))
        isKeptByLast_[id] = true;
    keepLast(options_.facts.waitsOf(&list));
  }
  std::vector<Node *> takers;
  for (const Use &use : list.uses())
    if (getItemIndex(*use.user()))
      takers.push_back(use.user());
  keepLast(takers);
}

void Maker::keepLast(llvm::ArrayRef<Node *> holders) {
  const Node *last = nullptr;
  for (const Node *holder : holders)
    last = !last || last->isBefore(holder) ? holder : last;
  for (const Node *holder : holders)
    if (holder != last)
      others_[last].push_back(stepOf(holder));
}

/// Sections of one program never pass each other, so with more than one section all communication is ordered.
bool Maker::isBound() const {
  if (!options_.spmd)
    return true;
  const Node *first = nullptr;
  for (const Node *node : result_.nodes) {
    if (!communicates(node))
      continue;
    if (first && options_.groups.section(node) != options_.groups.section(first))
      return true;
    first = node;
  }
  return false;
}

/// Reading an element also reads the shapes of all elements of its list, not only of its own storage.
void Maker::addShapeEdges(uint32_t step, llvm::SmallVectorImpl<uint32_t> &row) {
  const Node *node = result_.nodes[step];
  if (!reshapers_.empty() && getItemIndex(*node))
    for (StorageId id : storagesOf(node->operand(0)))
      if (auto known = reshapers_.find(id); known != reshapers_.end()) {
        llvm::append_range(row, known->second);
        takers_[id].push_back(step);
      }
  for (const StorageAccess &access : options_.facts.accesses(node))
    if (has(access.access, Access::Reshape)) {
      llvm::append_range(row, takers_.lookup(access.storage));
      reshapers_[access.storage].push_back(step);
    }
}

/// Creates the entries of reshaped storages, so that earlier readers of a list are recorded too.
void Maker::findReshaped() {
  for (const Node *node : result_.nodes)
    for (const StorageAccess &access : options_.facts.accesses(node))
      if (has(access.access, Access::Reshape))
        reshapers_[access.storage];
}

void Maker::addEdges() {
  bool bound = isBound();
  uint32_t opaque = none, issued = none;
  llvm::SmallVector<uint32_t, 16> row;
  for (uint32_t step = 0; step < result_.nodes.size(); ++step) {
    Node *node = result_.nodes[step];
    row.clear();
    for (const Use &use : node->operandUses())
      row.push_back(stepOf(use.def()));
    for (const Node *before : options_.dependences.before(node))
      row.push_back(stepOf(before));
    llvm::append_range(row, others_.lookup(node));
    addShapeEdges(step, row);
    if (opaque != none)
      row.push_back(opaque);
    bool issues = bound && communicates(node);
    // A rank that waits issues nothing, so steps that other programs may need meanwhile stay before the wait.
    if (issued != none && (issues || (!options_.spmd && options_.facts.waits(node))))
      row.push_back(issued);
    if (issues) {
      issued = step;
      result_.problem.steps[step].fixed = true;
    }
    if (options_.facts.domain(node) == Domain::All) {
      for (uint32_t above = opaque == none ? 0 : opaque; above < step; ++above)
        row.push_back(above);
      opaque = step;
    }
    result_.problem.before.appendSet(row);
  }
}

void Maker::addStorages(const StorageLives &lives) {
  for (StorageId id = 0; id < lives.storages.size(); ++id) {
    const StorageLife &life = lives.storages[id];
    bool isUnknown = life.lastWaitOnly && !isKeptByLast_[id];
    result_.problem.storages.push_back({life.bytes, life.fromStart, life.toEnd || isUnknown});
  }
  addHolders(lives);
}

void Maker::addHolders(const StorageLives &lives) {
  std::vector<llvm::SmallVector<uint32_t, 4>> holds(result_.nodes.size());
  for (uint32_t storage = 0; storage < lives.storages.size(); ++storage)
    if (!lives.storages[storage].isConstant())
      for (const Node *holder : lives.storages[storage].holders)
        holds[stepOf(holder)].push_back(storage);
  for (const SharedHold &shared : lives.shared)
    for (StorageId storage : shared.held)
      for (const Node *holder : shared.holders)
        holds[stepOf(holder)].push_back(storage);
  result_.problem.holds = NumberLists();
  for (llvm::SmallVector<uint32_t, 4> &row : holds)
    result_.problem.holds.appendSet(row);
}

GraphProblem Maker::make() {
  StorageLives lives = storageLives(graph_, options_.facts.storages(), options_.facts.asyncPairs());
  findLasts(lives);
  limitShared(lives);
  findReshaped();
  addEdges();
  addStorages(lives);
  return std::move(result_);
}

} // namespace

uint32_t hostStream(const CommGroups &groups) { return static_cast<uint32_t>(groups.numGroups()); }

std::string streamName(const CommGroups &groups, uint32_t stream) {
  return stream == hostStream(groups) ? "host" : groups.id(stream).text;
}

std::vector<uint32_t> stepsById(llvm::ArrayRef<Node *> nodes) {
  uint32_t most = 0;
  for (const Node *node : nodes)
    most = std::max(most, node->id());
  std::vector<uint32_t> steps(most + 1);
  for (uint32_t step = 0; step < nodes.size(); ++step)
    steps[nodes[step]->id()] = step;
  return steps;
}

GraphProblem timesOf(const Graph &graph, const ProgramFacts &facts, const CommGroups &groups, const CostModel &costs) {
  GraphProblem result;
  result.nodes.assign(graph.begin(), graph.end());
  result.problem.steps.reserve(result.nodes.size());
  for (const Node *node : result.nodes)
    result.problem.steps.push_back(stepFor(node, facts, groups, costs));
  addCrowding(result, groups, costs);
  addCompletions(result, facts, stepsById(result.nodes));
  for (size_t step = 0; step < result.nodes.size(); ++step)
    result.problem.holds.endList();
  return result;
}

GraphProblem problemOf(Graph &graph, const GraphProblemOptions &options) {
  GraphProblem made = Maker(graph, options).make();
  // A problem may outlive the list of nodes, and its functions are copied, so they share the nodes that they need.
  auto launches = std::make_shared<llvm::DenseMap<uint32_t, const Node *>>();
  for (uint32_t step = 0; step < made.nodes.size(); ++step)
    if (made.problem.steps[step].kind == StepKind::Launch)
      launches->try_emplace(step, made.nodes[step]);
  made.problem.timePieces = [launches, &costs = options.costs](uint32_t launch) {
    return costs.collectivePieces(*launches->lookup(launch));
  };
  made.problem.estimatedTime = [launches, &costs = options.costs](uint32_t launch, int64_t bytes) {
    return costs.collective(*launches->lookup(launch), bytes);
  };
  return made;
}

} // namespace ccgraph::overlap

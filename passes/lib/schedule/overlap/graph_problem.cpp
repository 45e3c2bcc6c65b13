#include "schedule/overlap/graph_problem.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/lifetimes.h"

namespace ccgraph::overlap {

namespace {

/// Holders that several storages share are written down for each of them up to so many a node; what would be more
/// counts as alive to the end.
constexpr size_t maxSharedHolders = 8;

class Maker {
public:
  Maker(Graph &graph, const GraphProblemOptions &options) : graph_(graph), options_(options) {
    stepOf_.resize(graph.idLimit());
    for (Node *node : graph) {
      stepOf_[node->id()] = static_cast<uint32_t>(result_.nodes.size());
      result_.nodes.push_back(node);
    }
  }
  GraphProblem make();

private:
  [[nodiscard]] uint32_t stepOf(const Node *node) const { return stepOf_[node->id()]; }
  [[nodiscard]] bool communicates(const Node *node) const { return options_.groups.groupOf(node) != CommGroups::none; }
  [[nodiscard]] bool isBound() const;
  Step describe(Node *node) const;
  void addEdges();
  void addLandings();
  void addStorages();
  void addHolders(const StorageLives &lives);

  Graph &graph_;
  const GraphProblemOptions &options_;
  /// by node id
  std::vector<uint32_t> stepOf_;
  GraphProblem result_;
};

/// Because sections of one program never pass each other, more than one of them binds all.
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

Step Maker::describe(Node *node) const {
  Step step;
  step.picoseconds = options_.costs.price(*node).picoseconds;
  step.input = node->opcode() == Opcode::Placeholder;
  if (options_.facts.waits(node)) {
    step.kind = StepKind::Wait;
    step.picoseconds = 0;
  } else if (options_.facts.launches(node)) {
    step.kind = StepKind::Launch;
    step.stream = options_.groups.groupOf(node);
    step.bytes = std::max(inputBytes(*node).value_or(0), outputBytes(*node).value_or(0));
    step.fixed = options_.groups.isFence(node);
  } else if (options_.facts.views(node) && step.picoseconds == 0) {
    step.kind = StepKind::Free;
  }
  return step;
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
    if (opaque != none)
      row.push_back(opaque);
    if (bound && communicates(node)) {
      if (issued != none)
        row.push_back(issued);
      issued = step;
      result_.problem.steps[step].fixed = true;
    }
    if (options_.facts.domain(node) == Domain::All) {
      for (uint32_t above = opaque == none ? 0 : opaque; above < step; ++above)
        row.push_back(above);
      opaque = step;
    }
    llvm::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
    result_.problem.before.append(row);
  }
}

void Maker::addLandings() {
  for (Node *node : result_.nodes) {
    if (options_.facts.waits(node))
      for (const Node *launch : options_.facts.completes(node))
        result_.problem.lands.push(stepOf(launch));
    result_.problem.lands.endRow();
  }
}

void Maker::addStorages() {
  StorageLives lives = storageLives(graph_, options_.facts.storages(), options_.facts.flights());
  for (const StorageLife &life : lives.storages)
    result_.problem.storages.push_back({life.bytes, life.fromStart, life.toEnd || life.lastWaitOnly});
  addHolders(lives);
}

void Maker::addHolders(const StorageLives &lives) {
  std::vector<llvm::SmallVector<uint32_t, 4>> holds(result_.nodes.size());
  for (uint32_t storage = 0; storage < lives.storages.size(); ++storage)
    if (!lives.storages[storage].isConstant())
      for (const Node *holder : lives.storages[storage].holders)
        holds[stepOf(holder)].push_back(storage);
  size_t left = maxSharedHolders * result_.nodes.size();
  for (const SharedHold &shared : lives.shared) {
    size_t size = shared.held.size() * shared.holders.size();
    for (StorageId storage : shared.held) {
      if (size > left)
        result_.problem.storages[storage].toEnd = true;
      else
        for (const Node *holder : shared.holders)
          holds[stepOf(holder)].push_back(storage);
    }
    left -= std::min(left, size);
  }
  for (llvm::SmallVector<uint32_t, 4> &row : holds) {
    llvm::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
    result_.problem.holds.append(row);
  }
}

GraphProblem Maker::make() {
  Problem &problem = result_.problem;
  for (Node *node : result_.nodes)
    problem.steps.push_back(describe(node));
  problem.streams = options_.groups.numGroups();
  addEdges();
  addLandings();
  addStorages();
  return std::move(result_);
}

} // namespace

GraphProblem problemOf(Graph &graph, const GraphProblemOptions &options) {
  GraphProblem made = Maker(graph, options).make();
  std::vector<Node *> nodes = made.nodes;
  made.problem.price = [nodes = std::move(nodes), &costs = options.costs](uint32_t launch, int64_t bytes) {
    return costs.collective(*nodes[launch], bytes);
  };
  return made;
}

} // namespace ccgraph::overlap

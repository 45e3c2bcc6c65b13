#include "ccgraph/checks/pipeline_stages.h"

#include "ccgraph/ir/argument_copy.h"
#include "ccgraph/ir/async_pairs.h"
#include "ccgraph/ir/builder.h"

#include "pipeline_actions.h"
#include "stage_binding.h"
#include "stage_results.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace ccgraph {
namespace {

/// Copies nodes of one graph to the end of another graph of the same context, with their frames and ordering.
class GraphCopy {
public:
  /// `prefix` comes before the names of the copies.
  GraphCopy(const Graph &from, Graph &to, std::string prefix)
      : from_(from), to_(to), prefix_(std::move(prefix)), copies_(from.idLimit()) {}

  /// Gives a placeholder its value.
  void give(const Node &placeholder, Node *value) { copies_[placeholder.id()] = value; }
  [[nodiscard]] Node *at(const Node &node) const { return copies_[node.id()]; }

  /// Copies all but placeholders and the output; every placeholder must have a value.
  void copyCalls() {
    for (const Node *node : from_)
      if (node->opcode() == Opcode::CallFunction || node->opcode() == Opcode::GetAttr)
        copy(*node);
  }

private:
  void copyAll() {
    for (const Node *node : from_)
      copy(*node);
  }

  void copy(const Node &node) {
    ArgumentBuilder builder(to_);
    auto mapped = [&](uint32_t index) { return at(*node.operand(index)); };
    const ArgumentCopy arguments = copyArguments(builder, node, mapped);
    std::string name = prefix_ + node.name().str().str();
    NodeSpec spec{node.opcode(), name, node.target(), node.type(), to_.addFrame(from_.frames()[node.frame()])};
    if (node.opcode() == Opcode::GetAttr)
      spec.target = attributeOf(node.target());
    Node *made = to_.create(spec, std::move(builder), arguments.view());
    for (const Node *before : node.orderedAfter())
      to_.addOrdering(made, at(*before));
    copies_[node.id()] = made;
  }

  /// Copies the subgraph of this name, and returns the name of the copy; other attributes keep their name.
  Identifier attributeOf(Identifier name) {
    const Graph *body = from_.subgraph(name);
    if (!body)
      return name;
    Identifier copied = to_.context().identifier(prefix_ + name.str().str());
    if (!to_.subgraph(copied))
      GraphCopy(*body, to_.addSubgraph(copied), "").copyAll();
    return copied;
  }

  const Graph &from_;
  Graph &to_;
  std::string prefix_;
  /// by id of the node
  std::vector<Node *> copies_;
};

/// Runs the user's graphs as the actions of one rank.
class StageActions final : public PipelineActions {
public:
  StageActions(Graph &graph, const PipelineSchedule &schedule, const PipelineStages &stages)
      : graph_(graph), schedule_(schedule), stages_(stages) {}

  /// Placeholders precede all calls, so the values that no other graph gives are created for all actions of the rank.
  void addInputs(size_t rank) override {
    for (const PipelineSlot &slot : schedule_.ranks[rank])
      for (const PipelineAction &action : slot.actions)
        if (isCompute(action.kind) || action.kind == PipelineActionKind::Unshard ||
            action.kind == PipelineActionKind::ReduceGradient)
          addShared(action);
  }
  const Type *outputType(int64_t stage) const override { return at(stage).forward.sent->type(); }
  const Type *outputGradientType(int64_t stage) const override { return at(stage).gradientOfInput().received->type(); }
  Node *forward(const PipelineAction &action, Node *input) override {
    Node *output = run(action, input);
    if (action.stage + 1 == schedule_.stages)
      llvm::append_range(results_, last_);
    return output;
  }
  Node *backward(const PipelineAction &action, Node *gradient) override {
    Node *sent = run(action, gradient);
    llvm::append_range(results_, last_);
    return sent;
  }
  void unshard(const PipelineAction &action) override { runWhole(action, gathered_[action.stage]); }
  void reduceGradients(const PipelineAction &action) override { runWhole(action, reduced_[action.stage]); }
  void waitForReduction(const PipelineAction &action) override {
    for (auto &[name, value] : reduced_[action.stage])
      makeReady(value);
  }
  std::vector<Node *> results() const override {
    std::vector<Node *> all = results_;
    for (const auto &[stage, values] : reduced_)
      for (const auto &[name, value] : values)
        all.push_back(value);
    return all;
  }

private:
  using RunKey = std::pair<int64_t, int64_t>;
  using Values = std::map<std::string, Node *, std::less<>>;

  [[nodiscard]] const PipelineStage &at(int64_t stage) const { return stages_.stages[static_cast<size_t>(stage)]; }
  static RunKey keyOf(const PipelineAction &action) { return {action.stage, action.microbatch.value_or(0)}; }
  static std::string nameOf(const Node &node) { return node.name().str().str(); }

  /// Creates the inputs of the stage that no action computes; microbatches share them.
  void addShared(const PipelineAction &action) {
    GraphBuilder builder(graph_);
    const StageGraph &own = at(action.stage).of(action.kind);
    if (!own.graph)
      return;
    for (const Node *node : *own.graph)
      if (node->opcode() == Opcode::Placeholder && node != own.received) {
        auto [entry, isNew] = shared_[action.stage].try_emplace(nameOf(*node), nullptr);
        if (isNew)
          entry->second = builder.input("stage" + std::to_string(action.stage) + "." + nameOf(*node), node->type());
      }
  }

  /// Copies the graph of the action; returns the value that it sends, or null.
  Node *run(const PipelineAction &action, Node *received) {
    const StageGraph &own = at(action.stage).of(action.kind);
    Values &values = values_[keyOf(action)];
    GraphCopy copy(*own.graph, graph_, action.str() + ".");
    for (const Node *node : *own.graph)
      if (node->opcode() == Opcode::Placeholder) {
        Node *value = node == own.received ? received : valueFor(action, *node);
        copy.give(*node, value);
        values.try_emplace(nameOf(*node), value);
      }
    copy.copyCalls();
    last_.clear();
    for (const Node *result : resultsOf(*own.graph))
      if (result) {
        last_.push_back(copy.at(*result));
        values.insert_or_assign(nameOf(*result), last_.back());
        if (action.kind != PipelineActionKind::Forward)
          accumulate(action.stage, *result);
      }
    return own.sent ? copy.at(*own.sent) : nullptr;
  }

  /// Adds the last value, which the stage's graph of REDUCE_GRAD takes, to those of the microbatches before.
  void accumulate(int64_t stage, const Node &result) {
    const StageGraph &reduction = at(stage).reduceGradient;
    if (!reduction.graph || !placeholderOf(*reduction.graph, result.name().str()))
      return;
    Node *&sum = gradients_[stage][nameOf(result)];
    sum = sum ? GraphBuilder(graph_).call("aten.add.Tensor", {sum, last_.back()}) : last_.back();
  }

  /// Copies a graph of the stage as a whole, if there is one. `results` receives its results by name.
  void runWhole(const PipelineAction &action, Values &results) {
    const StageGraph &own = at(action.stage).of(action.kind);
    if (!own.graph)
      return;
    GraphCopy copy(*own.graph, graph_, action.str() + ".");
    for (const Node *node : *own.graph)
      if (node->opcode() == Opcode::Placeholder) {
        auto gradient = gradients_[action.stage].find(nameOf(*node));
        bool isGradient =
            action.kind == PipelineActionKind::ReduceGradient && gradient != gradients_[action.stage].end();
        copy.give(*node, isGradient ? gradient->second : shared_[action.stage].find(nameOf(*node))->second);
      }
    copy.copyCalls();
    const StorageMap storages(*own.graph);
    const AsyncPairs pairs(*own.graph, storages);
    for (const Node *result : resultsOf(*own.graph))
      if (result) {
        results.insert_or_assign(nameOf(*result), copy.at(*result));
        if (isInFlight(*result, storages, pairs))
          inFlight_.insert(copy.at(*result));
      }
  }

  static bool isInFlight(const Node &result, const StorageMap &storages, const AsyncPairs &pairs) {
    return llvm::any_of(*result.graph(), [&](const Node *launch) {
      return pairs.staysOpen(launch) && storages.mayAlias(launch, &result);
    });
  }

  /// Waits for a value that is in flight.
  void makeReady(Node *&value) {
    if (inFlight_.erase(value))
      value = GraphBuilder(graph_).call("_c10d_functional.wait_tensor.default", {value});
  }

  Node *valueFor(const PipelineAction &action, const Node &placeholder) {
    Values &gathered = gathered_[action.stage];
    if (auto parameter = gathered.find(nameOf(placeholder)); parameter != gathered.end()) {
      makeReady(parameter->second);
      return parameter->second;
    }
    Values &values = values_[keyOf(action)];
    auto saved = values.find(nameOf(placeholder));
    return saved != values.end() ? saved->second : shared_[action.stage].find(nameOf(placeholder))->second;
  }

  Graph &graph_;
  const PipelineSchedule &schedule_;
  const PipelineStages &stages_;
  /// by stage: inputs of the rank
  std::map<int64_t, Values> shared_;
  /// by stage and microbatch: what its graphs have taken and returned
  std::map<RunKey, Values> values_;
  /// by stage: unsharded parameters, sums of gradients, and reduced gradients
  std::map<int64_t, Values> gathered_, gradients_, reduced_;
  /// of these
  llvm::DenseSet<Node *> inFlight_;
  /// the results of the last action
  std::vector<Node *> last_;
  std::vector<Node *> results_;
};

/// Adds the groups of the graphs of one rank.
llvm::Error addGroupsOf(const PipelineStage &stage, Graph &graph) {
  for (const StageGraph *own : stage.all())
    if (own->graph)
      for (const Group &group : own->graph->groups().groups()) {
        const Group *known = graph.groups().find(group.name);
        if (!known)
          graph.groups().set(group);
        else if (known->ranks != group.ranks || known->partition != group.partition)
          return makeError(
              stagesError(own->path, "group " + group.name + " has other ranks here than in another graph of its rank",
                          "state the ranks once, in the group file that \"groups\" of the stages file "
                          "names"));
      }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::unique_ptr<Graph>> pipelineGraph(Context &context, const PipelineSchedule &schedule, size_t rank,
                                                     const PipelineStages &stages) {
  auto graph = std::make_unique<Graph>(context, "pipeline");
  graph->worldSize = static_cast<int64_t>(stages.pipelines.partition.size() * schedule.ranks.size());
  std::vector<std::optional<size_t>> owners = schedule.rankOfStages();
  for (size_t stage = 0; stage != owners.size(); ++stage)
    if (owners[stage] == rank)
      if (llvm::Error error = addGroupsOf(stages.stages[stage], *graph))
        return error;
  graph->groups().set(stages.pipelines);
  StageActions actions(*graph, schedule, stages);
  makePipelineGraph(*graph, {schedule, rank, stages.pipelines.name}, actions);
  return graph;
}

} // namespace ccgraph

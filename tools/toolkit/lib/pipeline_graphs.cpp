#include "ccgraph/toolkit/pipeline_graphs.h"

#include "ccgraph/ir/builder.h"

#include "llvm/ADT/DenseSet.h"

#include <map>
#include <numeric>

namespace ccgraph {
namespace {

using enum PipelineStep;

/// stage and microbatch
using RunKey = std::pair<int64_t, int64_t>;
RunKey keyOf(const PipelineAction &action) { return {action.stage, action.microbatch.value_or(0)}; }
RunKey keyOf(const PipelineAction &action, int64_t stage) { return {stage, action.microbatch.value_or(0)}; }

class PipelineGraphMaker {
public:
  PipelineGraphMaker(Graph &graph, const PipelineSchedule &schedule, const PipelineValue &value)
      : builder_(graph), schedule_(schedule), value_(value), owners_(schedule.rankOfStages()),
        type_(builder_.tensor(value.dtype, value.sizes, value.device)) {}

  void make(size_t rank) {
    addInputs(rank);
    for (const PipelineSlot &slot : schedule_.ranks[rank])
      for (const PipelineAction &action : slot.actions)
        add(action);
    for (Node *send : sends_)
      wait(send);
    builder_.output({weights_.begin(), weights_.end()});
  }

private:
  /// Placeholders stand before all calls.
  void addInputs(size_t rank) {
    if (owners_.front() == rank)
      for (int64_t i = 0; i != schedule_.microbatches; ++i)
        states_[{-1, i}] = builder_.input("input_" + std::to_string(i), type_);
  }

  void add(const PipelineAction &action) {
    switch (action.step) {
    case Forward:
      states_[keyOf(action)] = call("aten.relu.default", {valueOf(states_, keyOf(action, action.stage - 1))});
      return;
    case Backward:
    case BackwardInput:
      addBackward(action);
      if (action.step == Backward)
        addWeight(action);
      return;
    case BackwardWeight:
      return addWeight(action);
    case SendForward:
      return send(states_.at(keyOf(action)), action.stage + 1);
    case SendBackward:
      return send(gradients_.at(keyOf(action)), action.stage - 1);
    case RecvForward:
      return receive(states_, keyOf(action, action.stage - 1), action.stage - 1);
    case RecvBackward:
      return receive(gradients_, keyOf(action, action.stage + 1), action.stage + 1);
    case WaitSendForward:
    case WaitSendBackward:
    case Unshard:
    case Reshard:
    case ReduceGradient:
    case WaitReduceGradient:
      return;
    }
  }

  void addBackward(const PipelineAction &action) {
    Node *state = states_.at(keyOf(action));
    Node *gradient =
        action.stage + 1 == schedule_.stages ? state : valueOf(gradients_, keyOf(action, action.stage + 1));
    gradients_[keyOf(action)] = call("aten.add.Tensor", {gradient, state});
  }
  void addWeight(const PipelineAction &action) {
    weights_.emplace_back(call("aten.neg.default", {states_.at(keyOf(action))}));
  }

  // --- Transfers -----------------------------------------------------------------------------------------------------

  /// The values of stages by stage and microbatch; those from other ranks may be in flight.
  using Values = std::map<RunKey, Node *>;

  Node *valueOf(Values &values, RunKey key) {
    Node *&value = values.at(key);
    if (inFlight_.erase(value))
      value = wait(value);
    return value;
  }

  void send(Node *value, int64_t stage) { sends_.push_back(transfer("isend", value, stage)); }

  void receive(Values &values, RunKey key, int64_t stage) {
    CallSpec empty{.target = "aten.empty.memory_format", .args = {Actual(value_.sizes)}, .type = type_};
    empty.kwargs = {{"dtype", value_.dtype}, {"device", Actual::literal(Argument::device(type_->device()))}};
    values[key] = transfer("irecv", builder_.call(empty), stage);
    inFlight_.insert(values[key]);
  }

  Node *transfer(const char *kind, Node *tensor, int64_t stage) {
    auto peer = static_cast<int64_t>(*owners_[static_cast<size_t>(stage)]);
    Node *batch =
        call("_c10d_functional.batch_p2p_ops.default", {Actual::list({kind}), std::vector<int64_t>{peer},
                                                        std::vector<int64_t>{0}, std::vector<Node *>{tensor}, "pp"});
    return call("operator.getitem", {batch, 0});
  }
  Node *wait(Node *inFlight) {
    Node *waited = call("_c10d_functional.wait_tensors.default", {std::vector<Node *>{inFlight}});
    return call("operator.getitem", {waited, 0});
  }

  Node *call(llvm::StringRef target, std::vector<Actual> arguments) {
    return builder_.call(target, std::move(arguments));
  }

  GraphBuilder builder_;
  const PipelineSchedule &schedule_;
  const PipelineValue &value_;
  std::vector<std::optional<size_t>> owners_;
  const Type *type_;
  Values states_, gradients_;
  llvm::DenseSet<Node *> inFlight_;
  std::vector<Node *> sends_;
  std::vector<Actual> weights_;
};

} // namespace

std::unique_ptr<Graph> pipelineGraph(Context &context, const PipelineSchedule &schedule, size_t rank,
                                     const PipelineValue &value) {
  auto graph = std::make_unique<Graph>(context, "pipeline");
  graph->rank = static_cast<int64_t>(rank);
  graph->worldSize = static_cast<int64_t>(schedule.ranks.size());
  Group group;
  group.name = "pp";
  group.ranks.resize(schedule.ranks.size());
  std::iota(group.ranks.begin(), group.ranks.end(), int64_t{0});
  graph->groups().set(std::move(group));
  PipelineGraphMaker(*graph, schedule, value).make(rank);
  return graph;
}

} // namespace ccgraph

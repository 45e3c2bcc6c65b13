#include "ccgraph/checks/pipeline_graphs.h"

#include "ccgraph/ir/builder.h"

#include "pipeline_actions.h"

#include "llvm/ADT/DenseSet.h"

#include <map>
#include <numeric>

namespace ccgraph {
namespace {

using enum PipelineActionKind;

/// stage and microbatch
using RunKey = std::pair<int64_t, int64_t>;
RunKey keyOf(const PipelineAction &action) { return {action.stage, action.microbatch.value_or(0)}; }
RunKey keyOf(const PipelineAction &action, int64_t stage) { return {stage, action.microbatch.value_or(0)}; }

/// Adds the transfers between ranks to the actions of one.
class PipelineGraphMaker {
public:
  PipelineGraphMaker(Graph &graph, const PipelineRank &rank, PipelineActions &actions)
      : builder_(graph), schedule_(rank.schedule), group_(rank.group), actions_(actions),
        owners_(schedule_.rankOfStages()) {}

  void make(size_t rank) {
    actions_.addInputs(rank);
    for (const PipelineSlot &slot : schedule_.ranks[rank])
      for (const PipelineAction &action : slot.actions)
        add(action);
    for (Node *send : sends_)
      wait(send);
    std::vector<Node *> results = actions_.results();
    builder_.output({results.begin(), results.end()});
  }

private:
  void add(const PipelineAction &action) {
    switch (action.kind) {
    case Forward:
      states_[keyOf(action)] =
          actions_.forward(action, action.stage == 0 ? nullptr : valueOf(states_, keyOf(action, action.stage - 1)));
      return;
    case Backward:
    case BackwardInput:
      gradients_[keyOf(action)] = actions_.backward(action, action.stage + 1 == schedule_.stages
                                                                ? nullptr
                                                                : valueOf(gradients_, keyOf(action, action.stage + 1)));
      return;
    case BackwardWeight:
      actions_.backward(action, nullptr);
      return;
    case SendForward:
      return send(states_.at(keyOf(action)), action.stage + 1);
    case SendBackward:
      return send(gradients_.at(keyOf(action)), action.stage - 1);
    case RecvForward:
      return receive(states_, keyOf(action, action.stage - 1), actions_.outputType(action.stage - 1));
    case RecvBackward:
      return receive(gradients_, keyOf(action, action.stage + 1), actions_.outputGradientType(action.stage));
    case Unshard:
      return actions_.unshard(action);
    case ReduceGradient:
      return actions_.reduceGradients(action);
    case WaitReduceGradient:
      return actions_.waitForReduction(action);
    case WaitSendForward:
    case WaitSendBackward:
    case Reshard:
      return;
    }
  }

  /// The values of stages by stage and microbatch; those from other ranks may be in flight.
  using Values = std::map<RunKey, Node *>;

  Node *valueOf(Values &values, RunKey key) {
    Node *&value = values.at(key);
    if (inFlight_.erase(value))
      value = wait(value);
    return value;
  }

  void send(Node *value, int64_t stage) { sends_.push_back(transfer("isend", value, stage)); }

  /// `key` has the stage that sends the value.
  void receive(Values &values, RunKey key, const Type *type) {
    std::vector<int64_t> sizes;
    for (const Dim &size : type->sizes())
      sizes.push_back(size.value());
    CallSpec empty{.target = "aten.empty.memory_format", .args = {Actual(sizes)}, .type = type};
    empty.kwargs = {{"dtype", type->dtype()}, {"device", Actual::literal(Argument::device(type->device()))}};
    values[key] = transfer("irecv", builder_.call(empty), key.first);
    inFlight_.insert(values[key]);
  }

  Node *transfer(const char *kind, Node *tensor, int64_t stage) {
    auto peer = static_cast<int64_t>(*owners_[static_cast<size_t>(stage)]);
    Node *batch =
        call("_c10d_functional.batch_p2p_ops.default", {Actual::list({kind}), std::vector<int64_t>{peer},
                                                        std::vector<int64_t>{0}, std::vector<Node *>{tensor}, group_});
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
  const std::string &group_;
  PipelineActions &actions_;
  std::vector<std::optional<size_t>> owners_;
  Values states_, gradients_;
  llvm::DenseSet<Node *> inFlight_;
  std::vector<Node *> sends_;
};

/// The small computations of a schedule without graphs of its stages.
class SmallActions final : public PipelineActions {
public:
  SmallActions(Graph &graph, const PipelineSchedule &schedule, const PipelineValue &value)
      : builder_(graph), schedule_(schedule), type_(builder_.tensor(value.dtype, value.sizes, value.device)) {}

  void addInputs(size_t rank) override {
    if (schedule_.rankOfStages().front() == rank)
      for (int64_t i = 0; i != schedule_.microbatches; ++i)
        inputs_.push_back(builder_.input("input_" + std::to_string(i), type_));
  }
  const Type *outputType(int64_t /*stage*/) const override { return type_; }
  const Type *outputGradientType(int64_t /*stage*/) const override { return type_; }

  Node *forward(const PipelineAction &action, Node *input) override {
    Node *from = input ? input : inputs_[static_cast<size_t>(action.microbatch.value_or(0))];
    return outputs_[keyOf(action)] = builder_.call("aten.relu.default", {from});
  }
  Node *backward(const PipelineAction &action, Node *gradient) override {
    Node *output = outputs_.at(keyOf(action)), *input = nullptr;
    if (action.kind != BackwardWeight)
      input = builder_.call("aten.add.Tensor", {gradient ? gradient : output, output});
    if (action.kind != BackwardInput)
      weights_.push_back(builder_.call("aten.neg.default", {output}));
    return input;
  }
  void unshard(const PipelineAction & /*action*/) override {}
  void reduceGradients(const PipelineAction & /*action*/) override {}
  void waitForReduction(const PipelineAction & /*action*/) override {}
  std::vector<Node *> results() const override { return weights_; }

private:
  GraphBuilder builder_;
  const PipelineSchedule &schedule_;
  const Type *type_;
  std::vector<Node *> inputs_, weights_;
  std::map<RunKey, Node *> outputs_;
};

} // namespace

void makePipelineGraph(Graph &graph, const PipelineRank &rank, PipelineActions &actions) {
  PipelineGraphMaker(graph, rank, actions).make(rank.rank);
}

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
  SmallActions actions(*graph, schedule, value);
  makePipelineGraph(*graph, {schedule, rank}, actions);
  return graph;
}

} // namespace ccgraph

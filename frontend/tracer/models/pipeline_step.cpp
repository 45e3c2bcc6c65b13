#include "models/pipeline_step.h"

#include "models/optimizer_step.h"
#include "models/refusal.h"
#include "models/transformer.h"

#include "ccgraph/tracer/backward.h"
#include "ccgraph/tracer/call.h"
#include "ccgraph/tracer/ops.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

namespace ccgraph::models {

using namespace tracer; // NOLINT(google-build-using-namespace): models are written in its words

namespace {

/// Identifies one run of a stage: stage and microbatch.
using RunKey = std::pair<int64_t, int64_t>;
RunKey keyOf(const PipelineAction &action) { return {action.stage, *action.microbatch}; }

/// The values of a forward that its backward needs.
struct ForwardRun {
  Tensor input;
  Tensor output;
};

/// The nodes of a backward, after `before` up to `last`. Those that only gradients of weights need are moved behind
/// `place`, the last node before the BackwardWeight action.
struct SplitBackward {
  Node *before = nullptr;
  Node *last = nullptr;
  Node *place = nullptr;
};

/// A value from another rank, in flight until it is waited for.
struct Arrival {
  Tensor value;
  bool isInFlight = false;
};

class PipelineRecorder {
public:
  PipelineRecorder(Trace &trace, const GenerateRequest &request, const PipelineSchedule &schedule)
      : trace_(trace), request_(request), schedule_(schedule), owners_(schedule.rankOfStages()),
        layout_(trace, {.parallel = request.parallel,
                        .dtype = request.dtype,
                        .device = request.device,
                        .gathersOnce = true,
                        .float8 = request.hasFloat8Products}),
        block_(blockOf(layout_, request.model, request.shape)) {}

  /// Returns the results of the program.
  std::vector<Tensor> record(int64_t rank) {
    for (const PipelineSlot &slot : schedule_.ranks[static_cast<size_t>(rank)])
      for (const PipelineAction &action : slot.actions)
        run(action);
    for (const Tensor &send : sends_)
      (void)waited(send);
    return results();
  }
  [[nodiscard]] const std::map<RunKey, SplitBackward> &splits() const { return splits_; }
  /// The backward passes, in the order of the program.
  [[nodiscard]] llvm::ArrayRef<NodeRange> backwards() const { return backwards_; }

private:
  void run(const PipelineAction &action) {
    switch (action.kind) {
    case PipelineActionKind::Forward:
      return runForward(action);
    case PipelineActionKind::Backward:
      runBackward(action);
      return addGradients(action);
    case PipelineActionKind::BackwardInput: {
      Node *before = trace_.graph().back();
      runBackward(action);
      splits_[keyOf(action)] = {before, trace_.graph().back()};
      return;
    }
    case PipelineActionKind::BackwardWeight:
      splits_.at(keyOf(action)).place = trace_.graph().back();
      return addGradients(action);
    case PipelineActionKind::SendForward:
      return send(action.stage + 1, forwards_.at(keyOf(action)).output);
    case PipelineActionKind::SendBackward:
      return send(action.stage - 1, inputGradients_.at(keyOf(action)));
    case PipelineActionKind::RecvForward:
      return receive(arrivedStates_[keyOf(action)], action.stage - 1);
    case PipelineActionKind::RecvBackward:
      return receive(arrivedGradients_[keyOf(action)], action.stage + 1);
    case PipelineActionKind::WaitSendForward:
    case PipelineActionKind::WaitSendBackward:
    case PipelineActionKind::Unshard:
    case PipelineActionKind::Reshard:
    case PipelineActionKind::ReduceGradient:
    case PipelineActionKind::WaitReduceGradient:
      return;
    }
  }

  // --- Stages --------------------------------------------------------------------------------------------------------

  [[nodiscard]] ModelPart partOf(int64_t stage) const { return partOfStage(request_.model, stage, schedule_.stages); }

  void runForward(const PipelineAction &action) {
    ModelPart part = partOf(action.stage);
    size_t first = layout_.parameters().size();
    Tensor input = part.isFirst ? batch("tokens", action) : valueOf(arrivedStates_[keyOf(action)]);
    Tensor output = partForward(block_, part, input);
    if (part.isLast) {
      output = lossOf(output, action);
      loss_ = loss_.isAbsent() ? output : loss_ + output;
    }
    // The first run of a stage declares all its parameters.
    parameters_.try_emplace(action.stage, first, layout_.parameters().size());
    forwards_[keyOf(action)] = {input, output};
    if (!part.isLast && isOwn(action.stage, action.stage + 1))
      arrivedStates_[{action.stage + 1, *action.microbatch}] = {output};
  }

  Tensor lossOf(const Tensor &states, const PipelineAction &action) {
    Tensor weight = layout_.gather(outputMatrix(block_));
    const int64_t tokens = request_.shape.batch * request_.shape.sequence * request_.parallel.dataRanks();
    return lossSum(block_, weight, states, batch("targets", action)) /
           static_cast<double>(tokens * schedule_.microbatches);
  }

  Tensor batch(const char *name, const PipelineAction &action) {
    return trace_.input(std::string(name) + "_" + std::to_string(*action.microbatch),
                        {DType::I64, {request_.shape.batch, request_.shape.sequence}, request_.device});
  }

  [[nodiscard]] std::vector<const Parameter *> parametersOf(int64_t stage) const {
    std::vector<const Parameter *> all;
    auto [first, end] = parameters_.at(stage);
    for (size_t i = first; i != end; ++i)
      all.push_back(layout_.parameters()[i].get());
    return all;
  }

  void runBackward(const PipelineAction &action) {
    ModelPart part = partOf(action.stage);
    const ForwardRun &forward = forwards_.at(keyOf(action));
    std::vector<Tensor> inputs;
    for (const Parameter *parameter : parametersOf(action.stage))
      inputs.push_back(layout_.gathered(*parameter));
    if (!part.isFirst)
      inputs.push_back(forward.input);
    Tensor gradient = part.isLast ? Tensor() : valueOf(arrivedGradients_[keyOf(action)]);
    Node *before = trace_.graph().back();
    std::vector<Tensor> gradients = backward(forward.output, inputs, gradient).tensors();
    if (before != trace_.graph().back())
      backwards_.push_back({before->next(), trace_.graph().back()});
    if (!part.isFirst && !gradients.empty()) {
      inputGradients_[keyOf(action)] = gradients.back();
      gradients.pop_back();
      if (isOwn(action.stage, action.stage - 1))
        arrivedGradients_[{action.stage - 1, *action.microbatch}] = {inputGradients_[keyOf(action)]};
    }
    weightGradients_[keyOf(action)] = std::move(gradients);
  }

  void addGradients(const PipelineAction &action) {
    const std::vector<Tensor> &gradients = weightGradients_[keyOf(action)];
    for (auto [parameter, gradient] : llvm::zip(parametersOf(action.stage), gradients)) {
      Tensor &sum = sums_[parameter];
      if (!gradient.isAbsent())
        sum = sum.isAbsent() ? gradient : sum + gradient;
    }
  }

  std::vector<Tensor> results() {
    std::vector<Tensor> results;
    for (const auto &parameter : layout_.parameters())
      results.push_back(layout_.reduceGradient(*parameter, sums_[parameter.get()]));
    if (request_.clipNorm > 0)
      results = clippedGradients(layout_, request_.clipNorm, results);
    if (request_.hasOptimizer())
      results = optimizerResults(trace_, layout_, request_, results);
    if (!loss_.isAbsent())
      results.insert(results.begin(), loss_);
    return results;
  }

  // --- Transfers -----------------------------------------------------------------------------------------------------

  [[nodiscard]] bool isOwn(int64_t stage, int64_t other) const {
    return owners_[static_cast<size_t>(stage)] == owners_[static_cast<size_t>(other)];
  }

  /// Issues a transfer with the rank of a stage; returns the value in flight.
  Tensor transfer(const char *kind, int64_t stage, const Tensor &tensor) {
    auto peer = static_cast<int64_t>(*owners_[static_cast<size_t>(stage)]);
    return callList("_c10d_functional.batch_p2p_ops.default",
                    {Actual::list({kind}), std::vector<int64_t>{peer}, std::vector<int64_t>{0},
                     std::vector<Tensor>{tensor}, "pp"})[0];
  }
  static Tensor waited(const Tensor &inFlight) {
    return callList("_c10d_functional.wait_tensors.default", {std::vector<Tensor>{inFlight}})[0];
  }

  void send(int64_t stage, const Tensor &value) { sends_.push_back(transfer("isend", stage, contiguous(value))); }

  void receive(Arrival &arrival, int64_t stage) {
    std::vector<int64_t> sizes = {request_.shape.batch, request_.shape.sequence / request_.parallel.tensor,
                                  request_.model.dim};
    Tensor buffer =
        call("aten.empty.memory_format", {sizes}, {{"dtype", request_.dtype}, {"device", DeviceName{request_.device}}});
    arrival = {transfer("irecv", stage, buffer), true};
  }

  static Tensor valueOf(Arrival &arrival) {
    if (arrival.isInFlight)
      arrival = {waited(arrival.value)};
    return arrival.value;
  }

  Trace &trace_;
  const GenerateRequest &request_;
  const PipelineSchedule &schedule_;
  std::vector<std::optional<size_t>> owners_;
  Layout layout_;
  Block block_;
  Tensor loss_;
  std::map<int64_t, std::pair<size_t, size_t>> parameters_; ///< by stage: its range of the parameters
  std::map<RunKey, ForwardRun> forwards_;
  std::map<RunKey, Arrival> arrivedStates_, arrivedGradients_;
  std::map<RunKey, Tensor> inputGradients_;
  std::map<RunKey, std::vector<Tensor>> weightGradients_;
  std::map<const Parameter *, Tensor> sums_; ///< looked up, never iterated
  std::map<RunKey, SplitBackward> splits_;
  std::vector<NodeRange> backwards_;
  std::vector<Tensor> sends_;
};

/// Returns the nodes of a split backward that no node up to the place of BackwardWeight reads, in their order.
std::vector<Node *> weightNodes(const SplitBackward &split) {
  std::vector<Node *> nodes;
  if (split.place == split.last)
    return nodes;
  for (Node *node = split.before->next(); node != split.last->next(); node = node->next())
    nodes.push_back(node);
  llvm::DenseSet<const Node *> late;
  for (Node *node : llvm::reverse(nodes))
    if (llvm::all_of(node->uses(),
                     [&](const Use &use) { return late.contains(use.user()) || split.place->isBefore(use.user()); }))
      late.insert(node);
  llvm::erase_if(nodes, [&](Node *node) { return !late.contains(node); });
  return nodes;
}

/// Moves the gradients of weights behind the places of their BackwardWeight actions.
void moveWeightGradients(Graph &graph, const std::map<RunKey, SplitBackward> &splits) {
  llvm::DenseMap<const Node *, std::vector<Node *>> behind;
  llvm::DenseSet<const Node *> moved;
  for (const auto &[key, split] : splits)
    for (Node *node : weightNodes(split)) {
      behind[split.place].push_back(node);
      moved.insert(node);
    }
  std::vector<Node *> order;
  for (Node *node : graph) {
    if (!moved.contains(node))
      order.push_back(node);
    if (auto found = behind.find(node); found != behind.end())
      order.insert(order.end(), found->second.begin(), found->second.end());
  }
  graph.reorder(order);
}

} // namespace

llvm::Error checkPipeline(const GenerateRequest &request, const PipelineSchedule &schedule) {
  const ModelConfig &model = request.model;
  if (model.layers < schedule.stages)
    return refusal("gen.pipeline", model.name,
                   std::to_string(model.layers) + " layers for " + std::to_string(schedule.stages) +
                       " stages, expected at least one layer for each stage",
                   "--layers adds layers, --pp and --stages-per-rank multiply to the stages");
  if (model.tied != 0)
    return refusal("gen.pipeline", model.name,
                   "the output matrix is the embedding, which the first and the last stage would share; expected a "
                   "model without tied weights",
                   "\"tied\": 0 in a --config file unties them");
  if (request.part != Part::Joint && request.part != Part::Step)
    return refusal("gen.pipeline", model.name, "one part with --pp, expected --part joint or step",
                   "a rank's program contains forward and backward of all its microbatches");
  if (!request.hook.empty())
    return refusal("gen.pipeline", model.name, "--hook with --pp, expected gradients without buckets",
                   "leave --hook out: each gradient is reduced once, after the last microbatch");
  if (request.recompute.gathersWeightsAgain)
    return refusal("gen.pipeline", model.name, "--zero 3 with --pp, expected stage 2",
                   "leave --zero out: each weight is gathered once for all microbatches of a step");
  if (request.accumulation != 1)
    return refusal("gen.pipeline", model.name, "--accumulate with --pp, expected whole steps",
                   "use --microbatches instead: the gradients of a pipeline's microbatches are summed");
  if (request.shape.lossChunks != 1)
    return refusal("gen.pipeline", model.name, "--loss-chunks with --pp, expected whole losses",
                   "use more --microbatches instead");
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Graph>> generatePipelineRank(Context &context, const GenerateRequest &whole,
                                                            const PipelineSchedule &schedule, int64_t pipelineRank) {
  if (llvm::Error error = checkRequest(whole))
    return error;
  const GenerateRequest request = requestOfRank(whole);
  if (llvm::Error error = checkPipeline(request, schedule))
    return error;
  llvm::Expected<Trace> trace =
      Trace::begin(context, {.name = request.model.name, .worldSize = request.parallel.world(), .rank = request.rank});
  if (!trace)
    return trace.takeError();
  for (const Group &group : groupsOf(request.parallel))
    trace->addGroup(group);
  PipelineRecorder recorder(*trace, request, schedule);
  std::vector<Tensor> results = recorder.record(pipelineRank);
  llvm::Expected<std::unique_ptr<Graph>> graph = trace->finish(results);
  if (!graph)
    return graph;
  recomputeForward(**graph, recorder.backwards(), request.recompute);
  moveWeightGradients(**graph, recorder.splits());
  return graph;
}

} // namespace ccgraph::models

#include "models/training_step.h"

#include "models/bucketed_gradients.h"
#include "models/float8_linear.h"
#include "models/optimizer_step.h"
#include "models/partition.h"
#include "models/refusal.h"
#include "models/transformer.h"

#include "ccgraph/ir/text.h"
#include "ccgraph/tracer/backward.h"
#include "ccgraph/tracer/ops.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::models {

using namespace tracer; // NOLINT(google-build-using-namespace): models are written in its words

namespace {

/// Returns whether the gradients of replicas are reduced in buckets.
bool usesBuckets(const GenerateRequest &request) { return !request.hook.empty() || request.shardsOptimizer; }

/// Records a program.
class StepRecorder {
public:
  StepRecorder(Trace &trace, const GenerateRequest &request)
      : trace_(trace), request_(request), layout_(trace, {.parallel = request.parallel,
                                                          .dtype = request.dtype,
                                                          .device = request.device,
                                                          .bucketsReplicas = usesBuckets(request),
                                                          .float8 = request.hasFloat8Products}),
        bucketed_(trace, request) {}

  /// Returns the results of the program.
  std::vector<Tensor> record();
  /// Returns the last node of the forward pass.
  [[nodiscard]] Node *lastOfForward() const { return lastOfForward_; }

private:
  [[nodiscard]] Tensor tokens(llvm::StringRef name) {
    return trace_.input(name, {DType::I64, {request_.shape.batch, request_.shape.sequence}, request_.device});
  }
  /// Splits along the sequence.
  [[nodiscard]] std::vector<Tensor> pieces(const Tensor &tensor) const {
    int64_t count = request_.shape.lossChunks;
    return count == 1 ? std::vector<Tensor>{tensor} : chunk(tensor, count, 1).tensors();
  }
  void recordLosses(const Hidden &hidden);
  void addLoss(const Tensor &loss) { loss_ = loss_.isAbsent() ? loss : loss_ + loss; }
  /// Adds to the gradient of a parameter: a parameter that is read in several places has a gradient from each.
  void addGradient(const Parameter &parameter, const Tensor &gradient);
  void recordBackward(const Hidden &hidden);
  /// Adds the sums over the microbatches before to the gradients.
  void accumulateGradients();
  [[nodiscard]] std::vector<Tensor> shards() const;
  [[nodiscard]] std::vector<Tensor> results();

  Trace &trace_;
  const GenerateRequest &request_;
  Layout layout_;
  BucketedGradients bucketed_;
  Tensor loss_;
  /// by parameter, in the order of the parameters
  std::vector<Tensor> gradients_;
  /// gradients of the hidden states, by piece
  std::vector<Tensor> stateGradients_;
  Node *lastOfForward_ = nullptr;
};

void StepRecorder::addGradient(const Parameter &parameter, const Tensor &gradient) {
  const auto &all = layout_.parameters();
  gradients_.resize(all.size());
  auto place = llvm::find_if(all, [&](const auto &known) { return known.get() == &parameter; }) - all.begin();
  Tensor &sum = gradients_[static_cast<size_t>(place)];
  sum = sum.isAbsent() ? gradient : sum + gradient;
}

// The loss of each piece is differentiated before that of the next piece is computed, so that the logits of only one
// piece are live.
void StepRecorder::recordLosses(const Hidden &hidden) {
  Block block{layout_, request_.model, request_.shape};
  const double allTokens = static_cast<double>(request_.shape.batch * request_.shape.sequence) *
                           static_cast<double>(request_.parallel.dataRanks() * request_.accumulation);
  std::vector<Tensor> states = pieces(hidden.states), targets = pieces(tokens("targets"));
  for (size_t at = 0; at != states.size(); ++at) {
    Tensor weight = layout_.gather(*hidden.output);
    Tensor loss = lossSum(block, weight, states[at], targets[at]) / allTokens;
    if (states.size() == 1)
      lastOfForward_ = trace_.graph().back();
    // With tied weights, the states depend on the shard too. The gathered weight has the gradient of this use only;
    // recordBackward adds the gradient from the states.
    TensorList gradients = backward(loss, {weight, states[at]});
    addLoss(loss);
    addGradient(*hidden.output, layout_.reduceGradient(*hidden.output, gradients[0]));
    stateGradients_.push_back(gradients[1]);
  }
}

void StepRecorder::recordBackward(const Hidden &hidden) {
  if (!lastOfForward_)
    lastOfForward_ = trace_.graph().back();
  Tensor gradient = stateGradients_.size() == 1 ? stateGradients_.front() : cat(stateGradients_, 1);
  std::vector<const Parameter *> parameters;
  std::vector<Tensor> shards;
  for (const auto &parameter : layout_.parameters())
    if (parameter.get() != hidden.output || request_.model.tied) {
      parameters.push_back(parameter.get());
      shards.push_back(parameter->shard);
    }
  TensorList gradients = backward(hidden.states, shards, gradient);
  for (size_t i = 0; i != gradients.size(); ++i)
    addGradient(*parameters[i], gradients[i]);
}

void StepRecorder::accumulateGradients() {
  for (size_t i = 0; i != gradients_.size(); ++i) {
    const Parameter &parameter = *layout_.parameters()[i];
    TensorSpec like{DType::F32, parameter.shard.sizes(), request_.device};
    gradients_[i] = trace_.input("gradient_of_" + parameter.name, like) + gradients_[i];
  }
}

std::vector<Tensor> StepRecorder::shards() const {
  std::vector<Tensor> shards;
  for (const auto &parameter : layout_.parameters())
    shards.push_back(parameter->shard);
  return shards;
}

std::vector<Tensor> StepRecorder::results() {
  std::vector<Tensor> results =
      request_.hasOptimizer() ? optimizerResults(trace_, layout_, request_, gradients_) : gradients_;
  results.insert(results.begin(), loss_);
  return results;
}

std::vector<Tensor> StepRecorder::record() {
  Hidden hidden = forward(layout_, request_.model, request_.shape, tokens("tokens"));
  recordLosses(hidden);
  recordBackward(hidden);
  if (request_.shardsOptimizer) {
    std::vector<Tensor> all = bucketed_.stepSharded(shards(), gradients_);
    all.insert(all.begin(), loss_);
    return all;
  }
  if (usesBuckets(request_))
    gradients_ = bucketed_.reduce(shards(), gradients_);
  if (request_.accumulation > 1)
    accumulateGradients();
  if (request_.clipNorm > 0)
    gradients_ = clippedGradients(layout_, request_.clipNorm, gradients_);
  std::vector<Tensor> all = results();
  all.insert(all.end(), bucketed_.state().begin(), bucketed_.state().end());
  return all;
}

llvm::Error checkRank(const GenerateRequest &request) {
  if (!request.rank || (*request.rank >= 0 && *request.rank < request.parallel.world()))
    return llvm::Error::success();
  return refusal("gen.rank", request.model.name,
                 "--rank " + std::to_string(*request.rank) + " is not one of the " +
                     std::to_string(request.parallel.world()) + " ranks",
                 "ranks count from 0; --pp, --hsdp, --ddp, --fsdp and --tp multiply to their number");
}

llvm::Error checkMemoryChoices(const GenerateRequest &request) {
  if (request.recompute.gathersWeightsAgain && request.parallel.shards == 1)
    return refusal("gen.zero", request.model.name, "--zero 3 without sharded weights, expected --fsdp or --hsdp",
                   "stage 3 gathers weights again in the backward pass, and only sharded weights are gathered");
  if (request.accumulation > 1 && request.shardsOptimizer)
    return refusal("gen.accumulate", request.model.name, "--accumulate with --zero 1, expected one of them",
                   "a sharded optimizer steps each bucket of gradients as soon as it is reduced");
  for (auto [isGiven, flag] : {std::pair(request.clipNorm > 0, "--clip"), {request.hasForeachOptimizer, "--foreach"}}) {
    if (isGiven && !request.hasOptimizer())
      return refusal("gen.optimizer", request.model.name,
                     std::string(flag) + " without an optimizer, expected a step with one", "add --part step");
    if (isGiven && request.shardsOptimizer)
      return refusal("gen.optimizer", request.model.name, std::string(flag) + " with --zero 1, expected one of them",
                     "a sharded optimizer steps each bucket of gradients as soon as it is reduced");
  }
  return llvm::Error::success();
}

} // namespace

bool isDeviceOfPyTorch(llvm::StringRef text) {
  constexpr llvm::StringLiteral types[] = {"cpu", "cuda", "hip", "hpu", "maia", "meta", "mps", "mtia", "xla", "xpu"};
  constexpr unsigned largestIndex = 127; // because DeviceIndex of PyTorch is a signed byte
  auto [type, index] = text.split(':');
  unsigned number = 0;
  bool isIndex = !index.getAsInteger(10, number) && number <= largestIndex && std::to_string(number) == index;
  return llvm::is_contained(types, type) && (!text.contains(':') || isIndex);
}

llvm::Error checkRequest(const GenerateRequest &request) {
  if (llvm::Error error = checkConfig(request.model))
    return error;
  if (!isDeviceOfPyTorch(request.device))
    return refusal("gen.device", request.model.name,
                   "got the device '" + visibleText(request.device) + "', expected one of PyTorch",
                   "devices are written cpu, cuda:0 or xpu:1");
  if (llvm::Error error = checkParallelism(request.model, request.parallel, request.shape))
    return error;
  if (llvm::Error error = checkFloat8(request))
    return error;
  if (llvm::Error error = checkHook(request))
    return error;
  if (llvm::Error error = checkMemoryChoices(request))
    return error;
  return checkRank(request);
}

GenerateRequest requestOfRank(GenerateRequest request) {
  request.shape = shapeOfRank(request.shape, request.parallel);
  return request;
}

llvm::Expected<Trace> beginTrace(Context &context, const GenerateRequest &request) {
  TraceOptions options{.name = request.model.name, .worldSize = request.parallel.world(), .rank = request.rank};
  if (request.parallel.isOfOneRank() && !options.rank)
    options.rank = 0;
  llvm::Expected<Trace> trace = Trace::begin(context, options);
  if (trace)
    for (const Group &group : groupsOf(request.parallel))
      trace->addGroup(group);
  return trace;
}

llvm::Expected<std::unique_ptr<Graph>> generate(Context &context, const GenerateRequest &whole) {
  if (llvm::Error error = checkRequest(whole))
    return error;
  const GenerateRequest request = requestOfRank(whole);
  llvm::Expected<Trace> trace = beginTrace(context, request);
  if (!trace)
    return trace.takeError();
  StepRecorder recorder(*trace, request);
  std::vector<Tensor> results = recorder.record();
  // The boundary is a node of the graph that finish moves away, so it is read first.
  Node *boundary = recorder.lastOfForward();
  llvm::Expected<std::unique_ptr<Graph>> graph = trace->finish(results);
  if (!graph)
    return graph;
  recomputeForward(**graph, NodeRange{boundary->next(), (*graph)->back()}, request.recompute);
  if (request.part != Part::Forward && request.part != Part::Backward)
    return graph;
  return request.part == Part::Forward ? forwardPart(std::move(*graph), boundary)
                                       : backwardPart(std::move(*graph), boundary);
}

} // namespace ccgraph::models

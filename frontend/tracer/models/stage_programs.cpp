#include "models/stage_programs.h"

#include "models/optimizer_step.h"
#include "models/partition.h"

#include "ccgraph/tracer/backward.h"
#include "ccgraph/tracer/call.h"
#include "ccgraph/tracer/ops.h"

namespace ccgraph::models {

using namespace tracer; // NOLINT(google-build-using-namespace): models are written in its words

namespace {

constexpr llvm::StringLiteral sumPrefix = "sum_of_gradients_of_", gatheredPrefix = "gathered_",
                              outputGradient = "gradient_of_states";

/// What the parts need to know of a parameter, before they declare it.
struct Declared {
  std::string name;
  std::vector<int64_t> sizes;
  WeightKind kind;
};

LayoutOptions optionsOf(const GenerateRequest &request, bool weightsAreInputs) {
  return {.parallel = request.parallel,
          .dtype = request.dtype,
          .device = request.device,
          .gathersOnce = true,
          .float8 = request.hasFloat8Products,
          .weightsAreInputs = weightsAreInputs};
}

/// Records forward and backward of one microbatch.
class MicrobatchRecorder {
public:
  MicrobatchRecorder(Trace &trace, const StageRequest &stage, StageProgram program)
      : trace_(trace), request_(stage.request), stage_(stage), program_(program),
        layout_(trace, optionsOf(request_, true)), block_(blockOf(layout_, request_.model, request_.shape)) {}

  /// Returns the output. All parameters are declared then.
  Tensor recordForward() {
    input_ = stage_.part.isFirst ? batch("tokens") : states(arrivedStates);
    Tensor output = partForward(block_, stage_.part, input_);
    if (stage_.part.isLast)
      output = loss(output);
    lastOfForward_ = trace_.graph().back();
    return output;
  }
  /// Returns output, gradient of the input (if the stage has one), and gradients or their sums.
  std::vector<Tensor> record() {
    Tensor output = recordForward();
    std::vector<Tensor> results = {output};
    for (const Tensor &gradient : gradients(output))
      results.push_back(gradient);
    return results;
  }
  [[nodiscard]] Node *lastOfForward() const { return lastOfForward_; }
  [[nodiscard]] std::vector<Declared> parameters() const {
    std::vector<Declared> all;
    for (const auto &parameter : layout_.parameters())
      all.push_back({parameter->name, parameter->sizes, parameter->kind});
    return all;
  }

private:
  [[nodiscard]] Tensor batch(llvm::StringRef name) {
    return trace_.input(name, {DType::I64, {request_.shape.batch, request_.shape.sequence}, request_.device});
  }
  [[nodiscard]] Tensor states(llvm::StringRef name) {
    const int64_t tokens = request_.shape.sequence / request_.parallel.tensor;
    return trace_.input(name, {request_.dtype, {request_.shape.batch, tokens, request_.model.dim}, request_.device});
  }

  [[nodiscard]] Tensor loss(const Tensor &states) {
    Tensor weight = layout_.gather(outputMatrix(block_));
    const int64_t tokens = request_.shape.batch * request_.shape.sequence * request_.parallel.dataRanks();
    return lossSum(block_, weight, states, batch("targets")) / static_cast<double>(tokens);
  }

  [[nodiscard]] std::vector<Tensor> gradients(const Tensor &output) {
    std::vector<Tensor> by;
    for (const auto &parameter : layout_.parameters())
      by.push_back(layout_.gathered(*parameter));
    if (!stage_.part.isFirst)
      by.push_back(input_);
    Tensor seed = stage_.part.isLast ? Tensor() : states(outputGradient);
    std::vector<Tensor> gradients = backward(output, by, seed).tensors();
    std::vector<Tensor> results;
    if (!stage_.part.isFirst) {
      results.push_back(gradients.back());
      gradients.pop_back();
    }
    for (size_t i = 0; i != gradients.size(); ++i)
      results.push_back(summed(*layout_.parameters()[i], gradients[i]));
    return results;
  }

  [[nodiscard]] Tensor summed(const Parameter &parameter, const Tensor &gradient) {
    if (program_ == StageProgram::Gradients)
      return gradient;
    Tensor before = trace_.input(sumPrefix.str() + parameter.name, {request_.dtype, parameter.sizes, request_.device});
    return program_ == StageProgram::Microbatch ? call("aten.add_.Tensor", {before, gradient}) : before + gradient;
  }

  Trace &trace_;
  const GenerateRequest &request_;
  const StageRequest &stage_;
  StageProgram program_;
  Layout layout_;
  Block block_;
  Tensor input_;
  Node *lastOfForward_ = nullptr;
};

llvm::Expected<std::unique_ptr<Graph>> microbatchPart(Context &context, const StageRequest &stage,
                                                      StageProgram program) {
  llvm::Expected<Trace> trace = beginTrace(context, stage.request);
  if (!trace)
    return trace.takeError();
  MicrobatchRecorder recorder(*trace, stage, program);
  std::vector<Tensor> results = recorder.record();
  Node *boundary = recorder.lastOfForward();
  llvm::Expected<std::unique_ptr<Graph>> graph = trace->finish(results);
  if (!graph)
    return graph;
  recomputeForward(**graph, NodeRange{boundary->next(), (*graph)->back()}, stage.request.recompute);
  if (program == StageProgram::Microbatch || program == StageProgram::Gradients)
    return graph;
  return program == StageProgram::Forward ? forwardPart(std::move(*graph), boundary)
                                          : backwardPart(std::move(*graph), boundary);
}

llvm::Expected<std::vector<Declared>> parametersOf(Context &context, const StageRequest &stage) {
  llvm::Expected<Trace> trace = beginTrace(context, stage.request);
  if (!trace)
    return trace.takeError();
  MicrobatchRecorder recorder(*trace, stage, StageProgram::Forward);
  llvm::Expected<std::unique_ptr<Graph>> graph = trace->finish({recorder.recordForward()});
  if (!graph)
    return graph.takeError();
  return recorder.parameters();
}

std::vector<Tensor> updated(Trace &trace, Layout &layout, const GenerateRequest &request) {
  std::vector<Tensor> gradients;
  for (const auto &parameter : layout.parameters()) {
    Tensor sum = trace.input(sumPrefix.str() + parameter->name, {request.dtype, parameter->sizes, request.device});
    gradients.push_back(layout.reduceGradient(*parameter, sum));
  }
  if (request.clipNorm > 0)
    gradients = clippedGradients(layout, request.clipNorm, gradients);
  return request.hasOptimizer() ? optimizerResults(trace, layout, request, gradients) : gradients;
}

/// Gather or Update.
llvm::Expected<std::unique_ptr<Graph>> weightsPart(Context &context, const StageRequest &stage, StageProgram program) {
  llvm::Expected<std::vector<Declared>> parameters = parametersOf(context, stage);
  if (!parameters)
    return parameters.takeError();
  llvm::Expected<Trace> trace = beginTrace(context, stage.request);
  if (!trace)
    return trace.takeError();
  Layout layout(*trace, optionsOf(stage.request, false));
  std::vector<Tensor> gathered;
  for (const Declared &one : *parameters) {
    const Parameter &parameter = layout.declare(one.name, one.sizes, one.kind);
    if (program == StageProgram::Gather)
      gathered.push_back(layout.gather(parameter));
  }
  return trace->finish(program == StageProgram::Gather ? gathered : updated(*trace, layout, stage.request));
}

llvm::Expected<std::unique_ptr<Graph>> transfer(Context &context, const GenerateRequest &request) {
  llvm::Expected<Trace> trace = beginTrace(context, request);
  if (!trace)
    return trace.takeError();
  const int64_t tokens = request.shape.sequence / request.parallel.tensor;
  Tensor states =
      trace->input("states", {request.dtype, {request.shape.batch, tokens, request.model.dim}, request.device});
  Tensor sent = callList("_c10d_functional.batch_p2p_ops.default",
                         {Actual::list({"isend"}), std::vector<int64_t>{1}, std::vector<int64_t>{0},
                          std::vector<Tensor>{states}, "pp"})[0];
  return trace->finish({callList("_c10d_functional.wait_tensors.default", {std::vector<Tensor>{sent}})[0]});
}

} // namespace

llvm::Expected<std::unique_ptr<Graph>> generateStage(Context &context, const StageRequest &whole,
                                                     StageProgram program) {
  if (llvm::Error error = checkRequest(whole.request))
    return error;
  const GenerateRequest request = requestOfRank(whole.request);
  const StageRequest stage{request, whole.part};
  switch (program) {
  case StageProgram::Gather:
  case StageProgram::Update:
    return weightsPart(context, stage, program);
  case StageProgram::Forward:
  case StageProgram::Backward:
  case StageProgram::Microbatch:
  case StageProgram::Gradients:
    return microbatchPart(context, stage, program);
  case StageProgram::Transfer:
    return transfer(context, request);
  }
  llvm_unreachable("all programs are listed");
}

bool isGatheredWeight(const Node &input) { return input.name().str().startswith(gatheredPrefix); }

bool isGradientSum(const Node &input) { return input.name().str().startswith(sumPrefix); }

bool isOutputGradient(const Node &input) { return input.name().str() == outputGradient; }

} // namespace ccgraph::models

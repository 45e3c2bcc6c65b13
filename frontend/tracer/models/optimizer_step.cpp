#include "models/optimizer_step.h"

#include "ccgraph/tracer/ops.h"
#include "ccgraph/tracer/optimizers.h"

namespace ccgraph::models {

using namespace tracer; // NOLINT(google-build-using-namespace): models are written in its words

namespace {

std::vector<AdamWState> adamWStates(Trace &trace, const Layout &layout, const Tensor &next) {
  std::vector<AdamWState> states;
  for (const auto &parameter : layout.parameters()) {
    TensorSpec like{DType::F32, parameter->shard.sizes(), layout.device()};
    states.push_back({parameter->shard, trace.input("average_of_" + parameter->name, like),
                      trace.input("square_of_" + parameter->name, like), next});
  }
  return states;
}

std::vector<Tensor> steppedByAdamW(Trace &trace, Layout &layout, const GenerateRequest &request,
                                   const std::vector<Tensor> &gradients) {
  Tensor step = trace.input("optimizer_step", {DType::F32, {}, layout.device()});
  Tensor next = step + 1;
  Module module(layout, "optimizer");
  std::vector<AdamWState> states = adamWStates(trace, layout, next);
  const AdamWOptions options{.lr = request.learningRate};
  if (request.hasForeachOptimizer)
    states = adamw(states, gradients, options);
  else
    for (size_t i = 0; i != states.size(); ++i)
      states[i] = adamw(states[i], gradients[i], options);
  std::vector<Tensor> results;
  for (Tensor AdamWState::*part : {&AdamWState::parameter, &AdamWState::average, &AdamWState::square})
    for (const AdamWState &state : states)
      results.push_back(state.*part);
  results.push_back(next);
  return results;
}

std::vector<Tensor> steppedBySgd(Layout &layout, const GenerateRequest &request, const std::vector<Tensor> &gradients) {
  Module module(layout, "optimizer");
  std::vector<Tensor> shards;
  for (const auto &parameter : layout.parameters())
    shards.push_back(parameter->shard);
  if (request.hasForeachOptimizer)
    return sgd(shards, gradients, {.lr = request.learningRate});
  for (size_t i = 0; i != shards.size(); ++i)
    shards[i] = sgd(shards[i], gradients[i], {.lr = request.learningRate});
  return shards;
}

} // namespace

std::vector<Tensor> clippedGradients(Layout &layout, double norm, const std::vector<Tensor> &gradients) {
  Module module(layout, "clip_grad_norm");
  constexpr double eps = 1e-6; // of torch.nn.utils.clip_grad_norm_
  Tensor whole = sqrt(layout.sumOfSquares(gradients));
  Tensor scale = clamp(norm / (whole + eps), std::nullopt, 1.0);
  std::vector<Tensor> scaled;
  for (const Tensor &gradient : gradients)
    scaled.push_back(gradient * scale);
  return scaled;
}

std::vector<Tensor> optimizerResults(Trace &trace, Layout &layout, const GenerateRequest &request,
                                     const std::vector<Tensor> &gradients) {
  return request.optimizer == Optimizer::AdamW ? steppedByAdamW(trace, layout, request, gradients)
                                               : steppedBySgd(layout, request, gradients);
}

} // namespace ccgraph::models

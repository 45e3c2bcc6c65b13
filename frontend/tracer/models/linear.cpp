#include "models/blocks.h"
#include "models/float8_linear.h"

#include "ccgraph/tracer/ops.h"

namespace ccgraph::models {

using namespace tracer; // NOLINT(google-build-using-namespace): models are written in its words

Tensor weightProduct(const Block &block, const Tensor &input, int64_t features, WeightKind kind) {
  const Parameter &weight = block.layout.declare("weight", {features, input.size(-1)}, kind);
  return block.layout.usesFloat8() ? float8Linear(block.layout, input, weight)
                                   : linear(input, block.layout.gather(weight));
}

Tensor projection(const Block &block, const std::string &name, const Tensor &input, int64_t features) {
  Module module(block.layout, name);
  if (!block.model.gelu)
    return weightProduct(block, input, features);
  if (block.layout.usesFloat8())
    return weightProduct(block, input, features) + block.layout.weight("bias", {features});
  Tensor weight = block.layout.weight("weight", {features, input.size(-1)});
  return linear(input, weight, block.layout.weight("bias", {features}));
}

Tensor rowProjection(const Block &block, const std::string &name, const Tensor &input, int64_t features) {
  Module module(block.layout, name);
  Tensor sum = block.layout.scatterSequence(weightProduct(block, input, features));
  return block.model.gelu ? sum + block.layout.weight("bias", {features}, WeightKind::Shared) : sum;
}

Tensor normalized(const Block &block, const std::string &name, const Tensor &input) {
  Module module(block.layout, name);
  std::vector<int64_t> features = {input.size(-1)};
  Tensor weight = block.layout.weight("weight", features, WeightKind::Shared);
  if (block.model.layerNorm)
    return layer_norm(input, features, weight, block.layout.weight("bias", features, WeightKind::Shared),
                      block.model.normEps);
  return callList("aten._fused_rms_norm.default", {input, features, weight, block.model.normEps})[0];
}

} // namespace ccgraph::models

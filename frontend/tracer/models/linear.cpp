#include "models/blocks.h"

#include "ccgraph/tracer/ops.h"

namespace ccgraph::models {

using namespace tracer; // NOLINT(google-build-using-namespace): models are written in its words

Tensor projection(const Block &block, const std::string &name, const Tensor &input, int64_t features) {
  Module module(block.layout, name);
  Tensor weight = block.layout.weight("weight", {features, input.size(-1)});
  return linear(input, weight, block.model.gelu ? block.layout.weight("bias", {features}) : Tensor());
}

Tensor rowProjection(const Block &block, const std::string &name, const Tensor &input, int64_t features) {
  Module module(block.layout, name);
  Tensor summand = linear(input, block.layout.weight("weight", {features, input.size(-1)}));
  Tensor sum = block.layout.scatterSequence(summand);
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

#include "models/blocks.h"

#include "ccgraph/tracer/ops.h"

namespace ccgraph::models {

using namespace tracer; // NOLINT(google-build-using-namespace): models are written in its words

Tensor feedForward(const Block &block, const Tensor &input, int64_t hidden) {
  int64_t features = hidden / block.layout.tensorRanks(), dim = block.model.dim;
  if (block.model.gelu)
    return rowProjection(block, "proj", gelu(projection(block, "fc", input, features), "tanh"), dim);
  Tensor gate = silu(projection(block, "w1", input, features));
  return rowProjection(block, "w2", gate * projection(block, "w3", input, features), dim);
}

} // namespace ccgraph::models

#include "models/float8_linear.h"

#include "models/refusal.h"

#include "ccgraph/tracer/autograd_function.h"
#include "ccgraph/tracer/ops.h"

namespace ccgraph::models {

using namespace tracer; // NOLINT(google-build-using-namespace): models are written in its words

namespace {

constexpr DType ofValues = DType::F8E4M3FN, ofGradients = DType::F8E5M2;

/// The factors of the forward product, which the gradients read again.
struct Factors {
  std::shared_ptr<SharedRows> input;
  Float8 weight;
};

/// Returns a matrix with the dimensions of `like` before its last.
Tensor withFrontOf(const Tensor &like, const Tensor &matrix) {
  std::vector<int64_t> sizes = like.sizes();
  sizes.back() = matrix.size(-1);
  return view(matrix, sizes);
}

} // namespace

Tensor float8Linear(Layout &layout, const Tensor &input, const Parameter &weight) {
  auto factors = std::make_shared<Factors>();
  const ProductForm inForward{layout.dtype(), /*fastAccumulation=*/true}, inBackward{layout.dtype()};
  auto forward = [&, factors](const std::vector<Tensor> &inputs) {
    *factors = {layout.rowsAsFloat8(inputs[0], ofValues),
                layout.gathersOnce() ? toFloat8(inputs[1], ofValues) : layout.gatherFloat8(weight, ofValues)};
    return withFrontOf(inputs[0], productWithTransposed(factors->input->rows(), factors->weight, inForward));
  };
  auto backward = [&layout, &weight, factors, input, inBackward](const Tensor &gradient) {
    SharedRows rows(
        toFloat8(reshape(gradient, {gradient.numel() / gradient.size(-1), gradient.size(-1)}), ofGradients));
    Tensor ofInput = withFrontOf(input, productWithTransposed(rows.rows(), transposed(factors->weight), inBackward));
    Tensor ofWeight = productWithTransposed(rows.columns(), factors->input->columns(), inBackward);
    return std::vector<Tensor>{ofInput, layout.gathersOnce() ? ofWeight : layout.reduceGradient(weight, ofWeight)};
  };
  return apply({forward, backward}, {input, layout.gathersOnce() ? layout.gather(weight) : weight.shard});
}

namespace {

using NamedSize = std::pair<const char *, int64_t>;

/// Returns the sizes of all matrices that are multiplied in float8.
std::vector<NamedSize> sizesOfProducts(const GenerateRequest &request) {
  const ModelConfig &model = request.model;
  const int64_t ranks = request.parallel.tensor;
  std::vector<NamedSize> sizes = {
      {"tokens of a microbatch of a rank", request.shape.batch * request.shape.sequence},
      {"features of the model", model.dim},
      {"features of a rank's shared experts", model.sharedExperts * model.expertDim / ranks}};
  if (model.experts == 0 || model.denseLayers > 0)
    sizes.emplace_back("features of a rank's networks", model.ffnDim / ranks);
  auto addHeads = [&](const char *what, int64_t heads, int64_t features) {
    sizes.emplace_back(what, heads * features / ranks);
  };
  if (!model.isLatent()) {
    addHeads("features of a rank's queries", model.heads, model.headDim);
    addHeads("features of a rank's keys", model.kvHeads, model.headDim);
    return sizes;
  }
  addHeads("features of a rank's queries", model.heads, model.nopeDim + model.ropeDim);
  addHeads("features of a rank's values", model.heads, model.valueDim);
  addHeads("features of a rank's keys and values", model.heads, model.nopeDim + model.valueDim);
  sizes.emplace_back("features of the short vector", model.kvRank);
  sizes.emplace_back("features of the short vector with positions", model.kvRank + model.ropeDim);
  return sizes;
}

} // namespace

llvm::Error checkFloat8(const GenerateRequest &request) {
  if (!request.hasFloat8Products)
    return llvm::Error::success();
  if (request.dtype == DType::F64)
    return refusal("gen.fp8", request.model.name, "--fp8 with --dtype f64, expected bf16, f16 or f32",
                   "a product of float8 numbers has no result of f64");
  constexpr int64_t unit = 16;
  for (const auto &[what, size] : sizesOfProducts(requestOfRank(request)))
    if (size % unit != 0)
      return refusal("gen.fp8", request.model.name,
                     "--fp8 with " + std::to_string(size) + " " + what + ", expected a multiple of 16",
                     "PyTorch's products of float8 numbers need sizes that are multiples of 16");
  return llvm::Error::success();
}

} // namespace ccgraph::models

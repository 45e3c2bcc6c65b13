#include "models.h"

#include "ccgraph/tracer/ops.h"

#include "llvm/ADT/StringRef.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

using namespace tracer;

/// Calls a layer with a weight, and perhaps a bias.
Tensor layer(const Parameters &parameters, const std::string &name, const Tensor &x) {
  auto bias = parameters.find(name + ".bias");
  return linear(x, parameters.at(name + ".weight"), bias == parameters.end() ? Tensor() : bias->second);
}

Tensor mlp(const Parameters &p, const Tensor &x) {
  return softmax(layer(p, "fc3", relu(layer(p, "fc2", relu(layer(p, "fc1", x))))), 1);
}

/// The second layer has a weight of its own, or that of the first.
Tensor second(const Parameters &p, const Tensor &x) {
  auto own = p.find("l2.weight");
  return linear(x, own == p.end() ? p.at("l1.weight") : own->second, p.at("l2.bias"));
}

Tensor threeLayers(const Parameters &p, const std::string &name, Tensor x) {
  for (const char *number : {".0", ".1", ".2"})
    x = layer(p, name + number, x);
  return x;
}

Tensor structured(const Parameters &p, const Tensor &x, bool hasFirst) {
  Tensor a = threeLayers(p, "seq2", x);
  Tensor sum = a + relu(a);
  return hasFirst ? relu(threeLayers(p, "seq1", x)) + sum : sum;
}

/// A convolution with a 3 x 3 kernel as a sum of products, since the tracer has no gradient of a convolution.
Tensor convolution(const Tensor &x, const Tensor &weight, const Tensor &bias) {
  int64_t rows = x.size(2) - 2, columns = x.size(3) - 2, batch = x.size(0), out = weight.size(0);
  Tensor sum;
  for (int64_t i = 0; i != 3; ++i)
    for (int64_t j = 0; j != 3; ++j) {
      Tensor window = slice(slice(x, 2, i, i + rows), 3, j, j + columns);
      Tensor pixels = reshape(permute(window, {0, 2, 3, 1}), {batch * rows * columns, x.size(1)});
      Tensor product = mm(pixels, t(select(select(weight, 3, j), 2, i)));
      sum = sum.isAbsent() ? product : sum + product;
    }
  return permute(view(sum + bias, {batch, rows, columns, out}), {0, 3, 1, 2});
}

Tensor batchNormLoss(const Parameters &p, const std::pair<Tensor, Tensor> &batch, const Place &place) {
  Tensor features = convolution(batch.first, p.at("conv.weight"), p.at("conv.bias"));
  Tensor normal = syncBatchNorm(features, p.at("bn.weight"), p.at("bn.bias"), "0").output;
  Tensor error = layer(p, "fc", normal) - batch.second;
  double examples = static_cast<double>(std::max<int64_t>(place.wholeBatch, 1));
  return sum(error * error) / (examples / static_cast<double>(place.world));
}

Tensor valueOf(llvm::StringRef variant, const Parameters &p, const Tensor &x, const Place &place) {
  if (variant.startswith("mlp") || variant == "join")
    return mlp(p, x);
  if (variant.startswith("checkpoint_once") || variant == "shared_weights")
    return second(p, layer(p, "l1", x));
  if (variant.startswith("checkpoint_twice"))
    return second(p, second(p, layer(p, "l1", x)));
  if (variant == "unused_on_all")
    return layer(p, "c", relu(layer(p, "a", x)));
  if (variant == "unused_by_rank")
    return layer(p, "c", relu(layer(p, (place.rank + place.iteration) % 2 == 0 ? "a" : "b", x)));
  if (variant.startswith("structured"))
    return structured(p, x, variant == "structured");
  ADD_FAILURE() << "no model of the variant " << variant.str();
  return {};
}

} // namespace

Tensor lossOf(const std::string &variant, const Parameters &parameters, const std::pair<Tensor, Tensor> &inputAndTarget,
              const Place &place) {
  if (llvm::StringRef(variant).startswith("sync_bn"))
    return batchNormLoss(parameters, inputAndTarget, place);
  return mse_loss(valueOf(variant, parameters, inputAndTarget.first, place), inputAndTarget.second);
}

bool differsByRank(const std::string &variant) {
  return variant == "unused_by_rank" || llvm::StringRef(variant).startswith("sync_bn_") || variant == "join";
}

} // namespace ccgraph::test

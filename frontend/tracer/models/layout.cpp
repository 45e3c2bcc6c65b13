#include "models/layout.h"

#include "ccgraph/tracer/autograd_function.h"
#include "ccgraph/tracer/collectives.h"
#include "ccgraph/tracer/facts.h"
#include "ccgraph/tracer/ops.h"

namespace ccgraph::models {

using namespace tracer; // NOLINT(google-build-using-namespace): models are written in its words
using collectives::all_gather_tensor;
using collectives::all_reduce;
using collectives::reduce_scatter_tensor;

namespace {

int64_t dividedUp(int64_t rows, int64_t ranks) { return (rows + ranks - 1) / ranks; }

/// Converts "layers.0.attention.wo.weight" to a Python identifier.
std::string identifierOf(std::string path) {
  std::replace(path.begin(), path.end(), '.', '_');
  return path;
}

} // namespace

int64_t Layout::tensorRank() { return llvm::cantFail(distributed::get_rank("tp")); }
int64_t Layout::contextRank() { return llvm::cantFail(distributed::get_rank("cp")); }

std::pair<const char *, int64_t> Layout::shardGroup(WeightKind kind) const {
  if (kind != WeightKind::Expert || parallel().experts == 1)
    return {"fsdp", parallel().shards};
  return {"efsdp", parallel().expertShards()};
}

const Parameter &Layout::declare(llvm::StringRef name, std::vector<int64_t> sizes, WeightKind kind) {
  auto parameter = std::make_unique<Parameter>();
  parameter->name = identifierOf(path_ + (path_.empty() ? "" : ".") + name.str());
  if (options_.gathersOnce)
    for (const auto &known : parameters_)
      if (known->name == parameter->name)
        return *known;
  parameter->kind = kind;
  std::vector<int64_t> stored = sizes;
  stored.front() = dividedUp(sizes.front(), shardGroup(kind).second);
  parameter->sizes = std::move(sizes);
  if (!options_.weightsAreInputs)
    parameter->shard = trace_.parameter(parameter->name, {DType::F32, stored, device()});
  parameters_.push_back(std::move(parameter));
  return *parameters_.back();
}

Tensor Layout::unshard(const Parameter &parameter, const Tensor &shard) const {
  return gatherRows(parameter, to(shard, dtype()));
}

Tensor Layout::gatherRows(const Parameter &parameter, const Tensor &converted) const {
  auto [group, ranks] = shardGroup(parameter.kind);
  if (ranks == 1)
    return converted;
  Tensor rows = all_gather_tensor(converted, 0, group);
  return rows.size(0) == parameter.sizes.front() ? rows : slice(rows, 0, 0, parameter.sizes.front());
}

Tensor Layout::reduceGradient(const Parameter &parameter, const Tensor &gradient) const {
  auto [group, ranks] = shardGroup(parameter.kind);
  Tensor sum = gradient;
  if (parameter.kind == WeightKind::Shared && tensorRanks() > 1)
    sum = all_reduce(sum, "sum", "tp");
  sum = to(sum, DType::F32);
  if (int64_t missing = parameter.shard.size(0) * ranks - parameter.sizes.front(); missing > 0) {
    std::vector<int64_t> padding = parameter.sizes;
    padding.front() = missing;
    sum = cat({sum, zeros(padding, DType::F32, device())});
  }
  if (ranks > 1)
    sum = reduce_scatter_tensor(sum, "sum", 0, group);
  return parallel().replicas > 1 && !options_.bucketsReplicas ? all_reduce(sum, "sum", "replicate") : sum;
}

std::vector<const char *> Layout::groupsOfElements(WeightKind kind) const {
  std::vector<const char *> groups;
  auto [shards, ranks] = shardGroup(kind);
  if (ranks > 1)
    groups.push_back(shards);
  const bool hasOwnExperts = kind == WeightKind::Expert && parallel().experts > 1;
  if (hasOwnExperts)
    groups.push_back("ep");
  else if (kind != WeightKind::Shared && tensorRanks() > 1)
    groups.push_back("tp");
  return groups;
}

// Parameters whose elements are on the same ranks share their collectives.
Tensor Layout::sumOfSquares(const std::vector<Tensor> &gradients) const {
  Tensor all;
  for (WeightKind kind : {WeightKind::Split, WeightKind::Shared, WeightKind::Expert}) {
    Tensor own;
    for (size_t i = 0; i != gradients.size(); ++i)
      if (parameters_[i]->kind == kind) {
        Tensor square = sum(gradients[i] * gradients[i]);
        own = own.isAbsent() ? square : own + square;
      }
    if (own.isAbsent())
      continue;
    for (const char *group : groupsOfElements(kind))
      own = all_reduce(own, "sum", group);
    all = all.isAbsent() ? own : all + own;
  }
  return parallel().pipeline > 1 ? all_reduce(all, "sum", "pp") : all;
}

Tensor Layout::gather(const Parameter &parameter) {
  if (options_.gathersOnce) {
    Tensor &whole = gathered_[&parameter];
    if (whole.isAbsent())
      whole = options_.weightsAreInputs
                  ? trace_.input("gathered_" + parameter.name, {dtype(), parameter.sizes, device()})
                  : unshard(parameter, parameter.shard);
    return whole;
  }
  return apply({[&](const Tensor &shard) { return unshard(parameter, shard); },
                [this, &parameter](const Tensor &gradient) { return reduceGradient(parameter, gradient); }},
               parameter.shard);
}

Float8 Layout::gatherFloat8(const Parameter &parameter, DType dtype) const {
  auto [group, ranks] = shardGroup(parameter.kind);
  Tensor largest = largestMagnitude(parameter.shard);
  if (ranks > 1)
    largest = all_reduce(largest, "max", group);
  Float8 shard = toFloat8(parameter.shard, largest, dtype);
  return {gatherRows(parameter, shard.numbers), shard.inverse};
}

std::shared_ptr<SharedRows> Layout::rowsAsFloat8(const Tensor &tensor, DType dtype) {
  if (!convertedRows_ || converted_.state() != tensor.state()) {
    Tensor rows = reshape(tensor, {tensor.numel() / tensor.size(-1), tensor.size(-1)});
    convertedRows_ = std::make_shared<SharedRows>(toFloat8(rows, dtype));
    converted_ = tensor;
  }
  return convertedRows_;
}

Tensor Layout::gatherSequence(const Tensor &part) const {
  return tensorRanks() == 1 ? part : all_gather_tensor(contiguous(part), 1, "tp");
}

Tensor Layout::scatterSequence(const Tensor &summand) const {
  return tensorRanks() == 1 ? summand : reduce_scatter_tensor(summand, "sum", 1, "tp");
}

Tensor Layout::rowsOfOwnPieces(const Tensor &table) const {
  if (contextRanks() == 1)
    return table;
  const int64_t pieces = 2 * contextRanks(), own = contextRank();
  TensorList all = chunk(table, pieces, 0);
  return cat({all[static_cast<size_t>(own)], all[static_cast<size_t>(pieces - 1 - own)]});
}

// The gradient of an exchange is the same exchange in the reverse direction.
Tensor Layout::exchange(const Tensor &parts) const {
  if (parallel().experts == 1)
    return parts;
  auto swap = [](const Tensor &tensor) {
    return collectives::all_to_all_single(contiguous(tensor), std::nullopt, std::nullopt, "ep");
  };
  return apply({swap, swap}, parts);
}

} // namespace ccgraph::models

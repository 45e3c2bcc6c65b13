#include "models/parallelism.h"

#include "models/refusal.h"

#include "llvm/Support/FormatVariadic.h"

#include <limits>

namespace ccgraph::models {
namespace {

/// A number such as "32 heads", and the number of ranks that divides it.
struct Share {
  std::string what;
  int64_t number;
  std::string flag;
  int64_t by;
};

llvm::Error checkShare(const ModelConfig &model, const Share &share) {
  if (share.number % share.by == 0)
    return llvm::Error::success();
  int64_t nearest = share.by;
  while (share.number % nearest != 0)
    --nearest;
  return refusal("gen.split", model.name,
                 share.flag + " " + std::to_string(share.by) + " does not divide " + std::to_string(share.number) +
                     " " + share.what + "; expected a divisor of " + std::to_string(share.number),
                 "the next smaller one is " + std::to_string(nearest));
}

std::vector<Share> sharesOf(const ModelConfig &model, const Parallelism &parallel, const BatchShape &shape) {
  std::vector<Share> shares = {
      {"heads", model.heads, "--tp", parallel.tensor},
      {"heads of keys and values", model.kvHeads, "--tp", parallel.tensor},
      {"features of the feed-forward network", model.ffnDim, "--tp", parallel.tensor},
      {"words of the vocabulary", model.vocab, "--tp", parallel.tensor},
      {parallel.context == 1 ? "tokens of the sequence" : "tokens of a rank's pieces of the sequence",
       shapeOfRank(shape, parallel).sequence, "--tp", parallel.tensor},
      {"tokens of the sequence", shape.sequence, "--loss-chunks", shape.lossChunks},
      {"heads, of which as many share one of keys and values", model.heads, "kv_heads", model.kvHeads},
      {parallel.tensor == 1 ? "ranks of --fsdp" : "ranks of --fsdp and --tp", parallel.shards * parallel.tensor, "--ep",
       parallel.experts},
      {"ranks of --ddp, --fsdp and --hsdp", parallel.dataRanks(), "--cp", parallel.context}};
  if (model.experts > 0) {
    shares.push_back({"features of an expert's network", model.expertDim, "--tp", parallel.expertTensor()});
    shares.push_back({"experts", model.experts, "--ep", parallel.experts});
    shares.push_back(
        {"places for tokens (tokens x experts of each)",
         shape.batch * shapeOfRank(shape, parallel).sequence / parallel.expertSenders() * model.expertsPerToken,
         "the number of experts", model.experts});
  }
  return shares;
}

/// Returns ranks `offset`, `offset + step`, ...: a line of the array of ranks.
std::vector<int64_t> line(int64_t offset, int64_t count, int64_t step) {
  std::vector<int64_t> ranks;
  for (int64_t i = 0; i != count; ++i)
    ranks.push_back(offset + i * step);
  return ranks;
}

/// An axis of the array: lines of `count` ranks with distance `step`, for all `world` ranks.
struct Axis {
  const char *name;
  int64_t count;
  int64_t step;
  int64_t index;
};

Group groupOf(const Axis &axis, int64_t world) {
  Group group;
  group.name = axis.name;
  group.description = std::string("mesh_") + axis.name;
  group.mesh = "world";
  group.axis = axis.index;
  std::vector<std::vector<int64_t>> lines;
  for (int64_t first = 0; first != world; ++first)
    if (first / axis.step % axis.count == 0)
      lines.push_back(line(first, axis.count, axis.step));
  if (lines.size() == 1)
    group.ranks = std::move(lines.front());
  else
    group.partition = std::move(lines);
  return group;
}

} // namespace

namespace {

double productOf(std::initializer_list<int64_t> factors) {
  double product = 1;
  for (int64_t factor : factors)
    product *= static_cast<double>(factor);
  return product;
}

/// Returns the number of elements of the largest tensor in the program.
double largestTensor(const ModelConfig &model, const Parallelism &parallel, const BatchShape &shape) {
  double heads = productOf({model.heads + 2 * model.kvHeads, std::max(model.headDim, model.valueDim + model.nopeDim)});
  double features = std::max({heads, productOf({model.vocab}), productOf({model.ffnDim}),
                              productOf({model.expertDim, std::max<int64_t>(model.sharedExperts, 1)}),
                              productOf({model.dim, std::max<int64_t>(model.expertsPerToken, 1)})});
  double rows =
      std::max(productOf({shape.batch, shape.sequence, parallel.experts}),
               productOf({std::max({model.dim, model.positions, model.kvRank}), std::max<int64_t>(model.experts, 1)}));
  return rows * features;
}

/// Larger sizes overflow the number of elements, and no program uses so large a group table.
llvm::Error checkMagnitude(const ModelConfig &model, const Parallelism &parallel, const BatchShape &shape) {
  constexpr double mostRanks = 1 << 20, mostNumbers = 1e17;
  if (double world = productOf({parallel.pipeline, parallel.replicas, parallel.shards, parallel.tensor});
      world > mostRanks)
    return refusal("gen.ranks", model.name,
                   llvm::formatv("{0:F0} ranks; expected {1:F0} or fewer", world, mostRanks).str(),
                   "--pp, --hsdp, --ddp, --fsdp and --tp multiply to their number");
  if (double numbers = largestTensor(model, parallel, shape); numbers > mostNumbers)
    return refusal(
        "gen.size", model.name,
        llvm::formatv("its largest tensor has {0:E1} numbers; expected {1:E1} or fewer", numbers, mostNumbers).str(),
        "--seq, --batch and the sizes of the model multiply to them");
  // The attention operators of PyTorch's devices count tokens in 32 bits.
  if (double tokens = productOf({shape.batch, shape.sequence}); tokens > std::numeric_limits<int32_t>::max())
    return refusal(
        "gen.tokens", model.name,
        llvm::formatv("{0:F0} tokens of one rank; expected {1} or fewer", tokens, std::numeric_limits<int32_t>::max())
            .str(),
        "--seq and --batch multiply to them");
  return llvm::Error::success();
}

} // namespace

BatchShape shapeOfRank(const BatchShape &shape, const Parallelism &parallel) {
  BatchShape ofRank = shape;
  ofRank.sequence /= parallel.context;
  return ofRank;
}

llvm::Error checkParallelism(const ModelConfig &model, const Parallelism &parallel, const BatchShape &shape) {
  if (llvm::Error error = checkMagnitude(model, parallel, shape))
    return error;
  if (model.experts == 0 && parallel.experts > 1)
    return refusal("gen.split", model.name,
                   "--ep " + std::to_string(parallel.experts) + " shares experts out, and the model has none",
                   "leave --ep out, or take mixtral-8x7b or deepseek-v3-16b");
  if (model.positions > 0 && shape.sequence > model.positions)
    return refusal("gen.sequence", model.name,
                   "--seq " + std::to_string(shape.sequence) + " is more than the model has positions; expected " +
                       std::to_string(model.positions) + " or less",
                   "\"positions\" in a --config file sets how many there are");
  if (parallel.context > 1 && shape.sequence % (2 * parallel.context) != 0)
    return refusal("gen.split", model.name,
                   "--cp " + std::to_string(parallel.context) + " cuts a sequence into " +
                       std::to_string(2 * parallel.context) + " equal pieces, and it has " +
                       std::to_string(shape.sequence) + " tokens; expected a multiple of " +
                       std::to_string(2 * parallel.context),
                   "--seq sets the tokens");
  if (parallel.context > 1 && model.isLatent())
    return refusal("gen.context", model.name,
                   "--cp " + std::to_string(parallel.context) +
                       " with latent attention, expected a model with heads of keys and values",
                   "leave --cp out: the parts of attention are added by flash attention's sums, which require values "
                   "with as many features as queries");
  for (const Share &share : sharesOf(model, parallel, shape))
    if (llvm::Error error = checkShare(model, share))
      return error;
  return llvm::Error::success();
}

std::vector<Group> groupsOf(const Parallelism &parallel) {
  const int64_t tensor = parallel.tensor;
  std::vector<Group> groups;
  for (const Axis &axis :
       {Axis{"replicate", parallel.replicas, parallel.shards * tensor, 0}, Axis{"fsdp", parallel.shards, tensor, 1},
        Axis{"tp", tensor, 1, 2}, Axis{"ep", parallel.experts, 1, 3},
        Axis{"efsdp", parallel.expertShards(), parallel.experts, 4},
        Axis{"pp", parallel.pipeline, parallel.ranksOfStage(), 5}, Axis{"cp", parallel.context, tensor, 6}})
    if (axis.count > 1 && (axis.index != 4 || parallel.experts > 1))
      groups.push_back(groupOf(axis, parallel.world()));
  return groups;
}

} // namespace ccgraph::models

#include "models/parallelism.h"

#include "models/refusal.h"

namespace ccgraph::models {
namespace {

/// "32 heads", and by what they are divided.
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
      {"tokens of the sequence", shape.sequence, "--tp", parallel.tensor},
      {"tokens of the sequence", shape.sequence, "--loss-chunks", shape.lossChunks},
      {"heads, of which as many share one of keys and values", model.heads, "kv_heads", model.kvHeads},
      {"ranks of --fsdp", parallel.shards, "--ep", parallel.experts}};
  if (model.experts > 0) {
    shares.push_back({"experts", model.experts, "--ep", parallel.experts});
    shares.push_back({"places for tokens (tokens x experts of each)",
                      shape.batch * shape.sequence * model.expertsPerToken, "the number of experts", model.experts});
  }
  return shares;
}

/// Ranks `offset`, `offset + step`, ...: a line of the array of ranks.
std::vector<int64_t> line(int64_t offset, int64_t count, int64_t step) {
  std::vector<int64_t> ranks;
  for (int64_t i = 0; i != count; ++i)
    ranks.push_back(offset + i * step);
  return ranks;
}

/// An axis of the array: lines of `count` ranks that stand `step` apart, in all `world` of them.
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

llvm::Error checkParallelism(const ModelConfig &model, const Parallelism &parallel, const BatchShape &shape) {
  if (model.experts == 0 && parallel.experts > 1)
    return refusal("gen.split", model.name,
                   "--ep " + std::to_string(parallel.experts) + " shares experts out, and the model has none",
                   "leave --ep out, or take mixtral-8x7b or deepseek-v3-16b");
  if (model.positions > 0 && shape.sequence > model.positions)
    return refusal("gen.sequence", model.name,
                   "--seq " + std::to_string(shape.sequence) + " is more than the model has positions; expected " +
                       std::to_string(model.positions) + " or less",
                   "\"positions\" in a --config file sets how many there are");
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
        Axis{"tp", tensor, 1, 2}, Axis{"ep", parallel.experts, tensor, 3},
        Axis{"efsdp", parallel.expertShards(), parallel.experts * tensor, 4}})
    if (axis.count > 1 && (axis.index < 4 || parallel.experts > 1))
      groups.push_back(groupOf(axis, parallel.world()));
  return groups;
}

} // namespace ccgraph::models

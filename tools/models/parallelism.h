// Parallelism: over how many ranks a program is spread, and how: the numbers, what they demand of a model, and the groups.
//
// Ranks are laid out as an array of replicas x shards x tensor ranks, the last one varying fastest: with 2 replicas, 4
// shards and 2 tensor ranks, rank 5 is replica 0, shard 2, tensor rank 1. Groups are the lines of that array, by name:
//   replicate   holds the same weights, and sums their gradients (DDP, the outer axis of HSDP)
//   fsdp        shares each weight out by rows
//   tp          shares heads, features and vocabulary out, and between the blocks the sequence
//   ep          neighbours among the ranks of fsdp and tp, each with its own experts, whole
//   efsdp       ranks of fsdp and tp with the same experts, which share them out by rows
//
// With ep, a tensor rank sends the tokens of its own part of the sequence to the experts, as torchtitan's tensor ranks do: a token goes
// once. Without ep, tensor ranks share each expert's features out.
//
// Ownership: plain values. Failure: a diagnostic with the flag, what the model has and what it would have to have.
// Cost: linear in the ranks.
#pragma once

#include "models/model_config.h"

#include "ccgraph/ir/group_table.h"

namespace ccgraph::models {

struct Parallelism {
  int64_t replicas = 1;
  int64_t shards = 1;
  int64_t tensor = 1;
  /// a part of shards x tensor
  int64_t experts = 1;

  [[nodiscard]] int64_t world() const { return replicas * shards * tensor; }
  /// ranks that see other tokens
  [[nodiscard]] int64_t dataRanks() const { return replicas * shards; }
  /// shards of an expert's weights
  [[nodiscard]] int64_t expertShards() const { return shards * tensor / experts; }
  /// ranks among which an expert's features are shared out
  [[nodiscard]] int64_t expertTensor() const { return experts > 1 ? 1 : tensor; }
  /// ranks that each send tokens of their own to the experts, of one sequence
  [[nodiscard]] int64_t expertSenders() const { return experts > 1 ? tensor : 1; }
  /// The program differs by rank, since it knows which part of the vocabulary is its own.
  [[nodiscard]] bool isOfOneRank() const { return tensor > 1; }
};

/// Tokens that one rank sees, and how its loss is computed.
struct BatchShape {
  int64_t sequence = 0;
  int64_t batch = 1;
  /// pieces of the sequence whose losses are computed one after the other
  int64_t lossChunks = 1;
};

[[nodiscard]] llvm::Error checkParallelism(const ModelConfig &model, const Parallelism &parallel,
                                           const BatchShape &shape);

/// Those of more than one rank, in the order above.
[[nodiscard]] std::vector<Group> groupsOf(const Parallelism &parallel);

} // namespace ccgraph::models

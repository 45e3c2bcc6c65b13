// Parallelism describes over how many ranks a program is distributed and how: the numbers, their requirements on a
// model, and the groups.
//
// Ranks form an array of replicas x shards x tensor ranks, in which the last index varies fastest: with 2 replicas, 4
// shards and 2 tensor ranks, rank 5 is replica 0, shard 2, tensor rank 1. The groups are the lines of this array, by
// name:
//   replicate   has the same weights on each rank, and sums their gradients (DDP, the outer axis of HSDP)
//   fsdp        divides each weight by rows
//   tp          divides heads, features and vocabulary, and the sequence between the blocks
//   ep          neighbors among the ranks of fsdp and tp, each with its own whole experts
//   efsdp       ranks of fsdp and tp with the same experts, which are divided by rows
//   pp          ranks with the stages of one pipeline, in the order of the pipeline's ranks
//   cp          neighbors among the ranks of replicate and fsdp, which share sequences
//
// With a pipeline, there is one such array for each rank of the pipeline, the first array with the first ranks.
//
// With ep, a tensor rank sends only the tokens of its own part of the sequence to the experts, as in torchtitan, so
// each token is sent once. Without ep, the features of each expert are divided over the tensor ranks.
//
// With cp, a sequence is cut into twice as many pieces as there are ranks of cp, and rank r has pieces r and 2 cp - 1 -
// r, so that causal attention is the same work on each rank (PyTorch's context_parallel cuts a sequence in the same
// way).
//
// Ownership: plain values. Failure: a diagnostic with the flag, the model's value and the required value. Cost: linear
// in the ranks.
#pragma once

#include "models/model_config.h"

#include "ccgraph/ir/group_table.h"

namespace ccgraph::models {

struct Parallelism {
  int64_t replicas = 1;
  int64_t shards = 1;
  int64_t tensor = 1;
  /// a divisor of shards x tensor
  int64_t experts = 1;
  /// ranks that share a sequence; a divisor of replicas x shards
  int64_t context = 1;
  /// ranks of a pipeline
  int64_t pipeline = 1;

  [[nodiscard]] int64_t world() const { return pipeline * ranksOfStage(); }
  /// ranks of the array that one rank of the pipeline has
  [[nodiscard]] int64_t ranksOfStage() const { return replicas * shards * tensor; }
  /// ranks with different tokens
  [[nodiscard]] int64_t dataRanks() const { return replicas * shards; }
  /// ranks with different sequences
  [[nodiscard]] int64_t sequenceRanks() const { return dataRanks() / context; }
  /// shards of an expert's weights
  [[nodiscard]] int64_t expertShards() const { return shards * tensor / experts; }
  /// ranks over which an expert's features are divided
  [[nodiscard]] int64_t expertTensor() const { return experts > 1 ? 1 : tensor; }
  /// ranks that each send their own tokens of one sequence to the experts
  [[nodiscard]] int64_t expertSenders() const { return experts > 1 ? tensor : 1; }
  /// Returns true if the program differs by rank, since it contains the rank's part of the vocabulary or of a sequence.
  [[nodiscard]] bool isOfOneRank() const { return tensor > 1 || context > 1; }
};

/// The sequences of one rank, and how their loss is computed.
struct BatchShape {
  /// tokens of a sequence; in a program, those of the rank's pieces of it
  int64_t sequence = 0;
  int64_t batch = 1;
  /// pieces of the sequence whose losses are computed one after the other
  int64_t lossChunks = 1;
};

/// Returns the shape of a rank's tensors: with context parallel ranks, its pieces of each sequence.
[[nodiscard]] BatchShape shapeOfRank(const BatchShape &shape, const Parallelism &parallel);

[[nodiscard]] llvm::Error checkParallelism(const ModelConfig &model, const Parallelism &parallel,
                                           const BatchShape &shape);

/// Returns the groups of more than one rank, in the order above.
[[nodiscard]] std::vector<Group> groupsOf(const Parallelism &parallel);

} // namespace ccgraph::models

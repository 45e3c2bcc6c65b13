// Generates the program that a rank runs in one step of training a model.
//
//   generate(context, {.model = findModel("llama3-8b")->config,
//                      .parallel = {.shards = 64}, .shape = {.sequence = 8192}});
//
// Inputs: `tokens` and `targets`, i64[batch, sequence] (with context parallel ranks, this rank's pieces of the
// sequence), a placeholder for each parameter, and for a step with AdamW its
// two averages and the step count. The loss is this rank's part of the mean over the tokens of all ranks: the sum over
// the data ranks is this mean, and the gradients are its gradients. So N ranks compute what one rank would compute from
// all tokens.
//
//   part       results
//   joint      loss, then a gradient for this rank's part of each parameter
//   step       loss, then each parameter after the step (then its averages, and the count); without an optimizer, as
//              joint
//   forward    loss, then the values that the backward pass needs
//   backward   gradients, from the saved values of the forward pass, under the names of its results
//
// With a hook that has state, the state of each bucket is an input, and the new state follows the other results. With a
// sharded optimizer, each bucket of parameters has an input "shard_B" (this rank's part of its elements) and the
// optimizer's state for it; results are the loss, the parameters, then shards, averages, squares and the count.
//
// With accumulation, a step runs the joint program for all microbatches but the last, each with the results of the one
// before, and the step program for the last.
//
// Ownership: the graph is the caller's, and lives in the context. Failure: diagnostics about the request or from the
// trace. Cost: linear in the nodes, some microseconds each.
#pragma once

#include "models/parallelism.h"
#include "models/recompute.h"

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/type.h"
#include "ccgraph/tracer/trace.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph::models {

enum class Part : uint8_t { Joint, Forward, Backward, Step };
enum class Optimizer : uint8_t { None, Sgd, AdamW };

struct GenerateRequest {
  ModelConfig model;
  Parallelism parallel;
  BatchShape shape;
  /// dtype of the computation; parameters are f32
  DType dtype = DType::BF16;
  /// The matrices of the blocks, except those of experts and routers, are multiplied in float8 (float8_linear.h).
  bool hasFloat8Products = false;
  std::string device = "cuda:0";
  Optimizer optimizer = Optimizer::AdamW;
  double learningRate = 3e-4;
  Part part = Part::Joint;
  /// Name of the hook that reduces buckets of gradients over the replicas (tracer/gradient_hooks.h, "powersgd" or
  /// "batched-powersgd"); empty: each gradient has an all_reduce of its own.
  std::string hook;
  /// The optimizer is sharded over the replicas: ZeRO stage 1.
  bool shardsOptimizer = false;
  /// What the backward pass computes again. gathersWeightsAgain is ZeRO stage 3; without it, sharded weights stay
  /// gathered until the backward pass.
  RecomputePolicy recompute = {};
  /// The gradients of a step are scaled so that the norm of all of them together is at most this; 0: unchanged.
  double clipNorm = 0;
  /// The optimizer of a step has one call for all parameters (torch.optim's foreach form), instead of one for each.
  bool hasForeachOptimizer = false;
  /// Microbatches of a step. With several, the program is that of one microbatch: each gradient is added to an input
  /// "gradient_of_P", the sum over the microbatches before, and the loss is the microbatch's part of the mean over all.
  int64_t accumulation = 1;
  /// The rank of the program; absent: rank 0 if ranks differ, else every rank.
  std::optional<int64_t> rank = std::nullopt;

  [[nodiscard]] bool hasOptimizer() const { return part == Part::Step && optimizer != Optimizer::None; }
};

/// A device type of torch.device, and perhaps an index from 0 to 127, which is as far as PyTorch counts. Types for
/// other uses than training (opengl, ideep) are left out.
[[nodiscard]] bool isDeviceOfPyTorch(llvm::StringRef text);

/// Returns the names that GenerateRequest::hook accepts.
[[nodiscard]] std::vector<std::string> stepHooks();

/// Returns an error if sizes, parallelism, device and rank do not fit together.
[[nodiscard]] llvm::Error checkRequest(const GenerateRequest &request);

/// Returns the request with the shape of one rank's tensors (shapeOfRank).
[[nodiscard]] GenerateRequest requestOfRank(GenerateRequest request);

/// Begins the trace of a program, with its groups; of rank 0 if programs of ranks differ and the request names none.
[[nodiscard]] llvm::Expected<tracer::Trace> beginTrace(Context &context, const GenerateRequest &request);

[[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> generate(Context &context, const GenerateRequest &request);

} // namespace ccgraph::models

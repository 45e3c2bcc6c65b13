// Layout determines which rank stores which part of weights and activations, and moves them to the ranks that need
// them. It contains all the communication of a model. Blocks are written as for one rank, and request a weight or a
// whole sequence.
//
// A weight is stored as f32. Its rows are divided over the ranks of fsdp (the last ranks hold the remainder, as in
// PyTorch: rows are padded to a multiple of the ranks). It is gathered in the dtype of the computation. Its gradient is
// reduced as f32:
//   tp          summed in the computed dtype, if each tensor rank had the whole weight and a part of the gradient
//   fsdp        reduce_scatter
//   replicate   all_reduce
// Between blocks, a tensor rank has its part of the sequence (V. Korthikanti et al., "Reducing Activation
// Recomputation in Large Transformer Models", 2022).
//
// Ownership: refers to the trace, which must outlive it; must live until the gradients are recorded. Failure: see
// tensor.h. Cost: a few recorded nodes.
#pragma once

#include "models/float8.h"
#include "models/parallelism.h"

#include "ccgraph/tracer/tensor.h"
#include "ccgraph/tracer/trace.h"

#include <map>
#include <memory>

namespace ccgraph::models {

using tracer::Tensor;

/// The ranks over which a weight is divided.
enum class WeightKind : uint8_t {
  /// each tensor rank has its own part
  Split,
  /// each tensor rank has the whole weight, and a part of its gradient
  Shared,
  /// each rank of ep has its own experts
  Expert
};

/// The part of a parameter that a rank stores.
struct Parameter {
  /// name of its placeholder: "layers_0_attention_wo_weight"
  std::string name;
  Tensor shard;
  /// sizes of the part that a tensor rank has, in a rank's program
  std::vector<int64_t> sizes;
  WeightKind kind = WeightKind::Split;
};

struct LayoutOptions {
  Parallelism parallel;
  DType dtype = DType::BF16;
  std::string device = "cpu";
  /// the gradients of replicas are reduced in buckets later, not each by itself
  bool bucketsReplicas = false;
  /// A weight is gathered where it is used first, and every later use has the same tensor. The caller differentiates
  /// with respect to the gathered tensors, and reduces the sums once for all uses, as FSDP2 does with microbatches.
  bool gathersOnce = false;
  /// The blocks multiply by their weights in float8.
  bool float8 = false;
  /// A gathered weight is an input "gathered_P", not a gathered shard. Needs gathersOnce.
  bool weightsAreInputs = false;
};

class Layout {
public:
  Layout(tracer::Trace &trace, const LayoutOptions &options) : trace_(trace), options_(options) {}
  Layout(const Layout &) = delete;
  Layout &operator=(const Layout &) = delete;

  [[nodiscard]] const Parallelism &parallel() const { return options_.parallel; }
  [[nodiscard]] int64_t tensorRanks() const { return options_.parallel.tensor; }
  /// Returns this rank's position among the tensor ranks. The call makes the rank a guard of the program, which must
  /// then be the program of one rank (Parallelism::isOfOneRank).
  [[nodiscard]] static int64_t tensorRank();
  [[nodiscard]] int64_t contextRanks() const { return options_.parallel.context; }
  /// Returns this rank's position among the ranks that share its sequences; a guard, as tensorRank.
  [[nodiscard]] static int64_t contextRank();
  [[nodiscard]] DType dtype() const { return options_.dtype; }
  [[nodiscard]] bool usesFloat8() const { return options_.float8; }
  [[nodiscard]] bool gathersOnce() const { return options_.gathersOnce; }
  [[nodiscard]] const std::string &device() const { return options_.device; }

  /// Declares a new parameter of the current module. With gathersOnce, the parameter may be declared already.
  [[nodiscard]] const Parameter &declare(llvm::StringRef name, std::vector<int64_t> sizes,
                                         WeightKind kind = WeightKind::Split);
  /// Gathers the part that belongs to this tensor rank, in the dtype of the computation.
  [[nodiscard]] Tensor gather(const Parameter &parameter);
  /// Gathers the same part as float8 numbers, whose scale is that of the largest element on the ranks that share the
  /// weight. The result has no gradient: the caller records that of the shard. Not with gathersOnce.
  [[nodiscard]] Float8 gatherFloat8(const Parameter &parameter, DType dtype) const;
  /// Returns a tensor's rows as float8 numbers. Consecutive products of one tensor share its rows.
  [[nodiscard]] std::shared_ptr<SharedRows> rowsAsFloat8(const Tensor &tensor, DType dtype);
  /// Reduces the gradient of gather's result to the gradient of the shard. Differentiation with respect to a shard does
  /// this already; a caller that differentiates with respect to the gathered weight calls this function.
  [[nodiscard]] Tensor reduceGradient(const Parameter &parameter, const Tensor &gradient) const;
  /// Returns the sum of the squares of all elements of all gradients, each counted once: f32[]. `gradients` are those
  /// of the parameters' parts, in the order of parameters(), summed over all ranks.
  [[nodiscard]] Tensor sumOfSquares(const std::vector<Tensor> &gradients) const;
  /// With gathersOnce: returns the gathered tensor of a parameter that was gathered.
  [[nodiscard]] const Tensor &gathered(const Parameter &parameter) const { return gathered_.at(&parameter); }
  /// Declares and gathers a parameter.
  [[nodiscard]] Tensor weight(llvm::StringRef name, std::vector<int64_t> sizes, WeightKind kind = WeightKind::Split) {
    return gather(declare(name, std::move(sizes), kind));
  }
  /// Returns the parameters in the order of their declaration.
  [[nodiscard]] const std::vector<std::unique_ptr<Parameter>> &parameters() const { return parameters_; }

  /// Gathers [batch, a part of the sequence, dim] to the whole sequence.
  [[nodiscard]] Tensor gatherSequence(const Tensor &part) const;
  /// Adds the summands of the tensor ranks, and returns this rank's part of the sequence.
  [[nodiscard]] Tensor scatterSequence(const Tensor &summand) const;
  /// Returns the rows of this rank's two pieces of a sequence, of a table with a row for each token of the sequence.
  [[nodiscard]] Tensor rowsOfOwnPieces(const Tensor &table) const;
  /// Exchanges a tensor [ranks of ep, ...]: element r is sent to rank r, and replaced by the element that rank r sends.
  [[nodiscard]] Tensor exchange(const Tensor &parts) const;

  /// Returns the path of the current module: "layers.0.attention".
  [[nodiscard]] std::string &path() { return path_; }

private:
  [[nodiscard]] Tensor unshard(const Parameter &parameter, const Tensor &shard) const;
  /// Gathers the rows of a converted shard.
  [[nodiscard]] Tensor gatherRows(const Parameter &parameter, const Tensor &converted) const;
  [[nodiscard]] std::pair<const char *, int64_t> shardGroup(WeightKind kind) const;
  /// Returns the groups whose ranks have different elements of such a parameter.
  [[nodiscard]] std::vector<const char *> groupsOfElements(WeightKind kind) const;

  tracer::Trace &trace_;
  LayoutOptions options_;
  std::string path_;
  /// held by pointer, because gradients refer to them while more are declared
  std::vector<std::unique_ptr<Parameter>> parameters_;
  /// with gathersOnce; looked up, never iterated
  std::map<const Parameter *, Tensor> gathered_;
  /// the last argument and result of rowsAsFloat8
  Tensor converted_;
  std::shared_ptr<SharedRows> convertedRows_;
};

/// Sets the module of everything that is recorded and declared during its lifetime.
class Module {
public:
  Module(Layout &layout, const std::string &name) : layout_(layout), outer_(layout.path()), scope_(name) {
    layout.path() += (outer_.empty() ? "" : ".") + name;
  }
  ~Module() { layout_.path() = outer_; }
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

private:
  Layout &layout_;
  std::string outer_;
  tracer::ModuleScope scope_;
};

} // namespace ccgraph::models

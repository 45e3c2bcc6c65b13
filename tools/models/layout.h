// Layout: where weights and activations of a model lie, and how they come to where they are needed: the whole of the
// model's communication. Blocks are written as on one rank and ask for a weight, or for all of a sequence.
//
// A weight is stored as f32, its rows shared out over the ranks of fsdp (the last ones hold what is left, as in PyTorch: rows are
// padded to a multiple of the ranks); it is gathered in the dtype that is computed in. Its gradient goes back as f32:
//   tp          summed in the computed dtype, where each tensor rank had the whole weight and a part of the gradient
//   fsdp        reduce_scatter
//   replicate   all_reduce
// Between blocks, a tensor rank has its part of the sequence (V. Korthikanti et al., "Reducing Activation
// Recomputation in Large Transformer Models", 2022).
//
// Ownership: refers to the trace, which must outlive it; alive until the gradients are made. Failure: as tensor.h says.
// Cost: a few recorded nodes.
#pragma once

#include "models/parallelism.h"

#include "ccgraph/tracer/tensor.h"
#include "ccgraph/tracer/trace.h"

namespace ccgraph::models {

using tracer::Tensor;

/// Over which ranks a weight lies.
enum class WeightKind : uint8_t {
  /// each tensor rank has its own part
  Split,
  /// each tensor rank has all of it, and a part of its gradient
  Shared,
  /// each rank of ep has its own experts
  Expert
};

/// A parameter: what a rank stores of it.
struct Parameter {
  /// of its placeholder: "layers_0_attention_wo_weight"
  std::string name;
  Tensor shard;
  /// what a tensor rank has of it, in a rank's program
  std::vector<int64_t> sizes;
  WeightKind kind = WeightKind::Split;
};

struct LayoutOptions {
  Parallelism parallel;
  DType dtype = DType::BF16;
  std::string device = "cpu";
};

class Layout {
public:
  Layout(tracer::Trace &trace, const LayoutOptions &options) : trace_(trace), options_(options) {}
  Layout(const Layout &) = delete;
  Layout &operator=(const Layout &) = delete;

  [[nodiscard]] const Parallelism &parallel() const { return options_.parallel; }
  [[nodiscard]] int64_t tensorRanks() const { return options_.parallel.tensor; }
  /// This rank's place among them. Asking makes it a guard of the program, which must be one rank's
  /// (Parallelism::isOfOneRank).
  [[nodiscard]] static int64_t tensorRank();
  [[nodiscard]] DType dtype() const { return options_.dtype; }
  [[nodiscard]] const std::string &device() const { return options_.device; }

  /// A new parameter of the module that is open.
  [[nodiscard]] const Parameter &declare(llvm::StringRef name, std::vector<int64_t> sizes,
                                         WeightKind kind = WeightKind::Split);
  /// All of it that this tensor rank has, in the dtype that is computed in.
  [[nodiscard]] Tensor gather(const Parameter &parameter);
  /// From the gradient of what `gather` yields to that of the shard. `gather` does this where a shard is differentiated; a caller
  /// that differentiates by the gathered weight calls it.
  [[nodiscard]] Tensor reduceGradient(const Parameter &parameter, const Tensor &gradient) const;
  /// declare, then gather.
  [[nodiscard]] Tensor weight(llvm::StringRef name, std::vector<int64_t> sizes, WeightKind kind = WeightKind::Split) {
    return gather(declare(name, std::move(sizes), kind));
  }
  /// In the order in which they were declared.
  [[nodiscard]] const std::vector<std::unique_ptr<Parameter>> &parameters() const { return parameters_; }

  /// [batch, a part of the sequence, dim] -> all of the sequence.
  [[nodiscard]] Tensor gatherSequence(const Tensor &part) const;
  /// Of summands that lie on the tensor ranks: the sum's part of the sequence.
  [[nodiscard]] Tensor scatterSequence(const Tensor &summand) const;
  /// Of [ranks of ep, ...]: element r goes to rank r, and comes from there.
  [[nodiscard]] Tensor exchange(const Tensor &parts) const;

  /// The module that is open: "layers.0.attention".
  [[nodiscard]] std::string &path() { return path_; }

private:
  [[nodiscard]] Tensor unshard(const Parameter &parameter, const Tensor &shard) const;
  [[nodiscard]] std::pair<const char *, int64_t> shardGroup(WeightKind kind) const;

  tracer::Trace &trace_;
  LayoutOptions options_;
  std::string path_;
  /// by pointer, because gradients refer to them while more are declared
  std::vector<std::unique_ptr<Parameter>> parameters_;
};

/// While it lives, what is recorded and declared is of this module.
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

// PowerSGD: gradient buckets compressed to low-rank matrices (T. Vogels et al., "PowerSGD: Practical Low-Rank Gradient
// Compression for Distributed Optimization", 2019), with the details of torch.distributed's powerSGD_hook.
//
//   PowerSgd compress = cantFail(PowerSgd::create(trace, {.rank = 2, .startIteration = 10}, 100));
//   DataParallel ddp(trace.parameters(), {.hook = compress.hook()});
//   TensorList gradients = ddp.backward(loss);
//   for (const PowerSgd::State &state : compress.states()) ...     // results of the step, and inputs of the next one
//
// For each bucket, a gradient of two or more dimensions is a matrix M of size n x m: dimension 0, and the rest. It is
// compressed if (n + m) r minRate < n m, with r = min(n, m, rank); all other gradients are summed as they are.
//   M += error                    the error of the previous step, with error feedback
//   Q  = orthogonal columns of Q  of the previous step (warm start), or of random numbers
//   P  = M Q, summed over the ranks, then orthogonal columns of it
//   Q  = M^T P, mean over the ranks
//   M  = P Q^T; error = M before - M after
// `batched` treats the whole bucket as one square matrix, padded with zeros. A step sends (n + m) r elements for n m.
//
// The graph of a step belongs to one iteration. Iterations before `startIteration` reduce as allReduceHook does. State
// is passed explicitly: inputs of the trace that this class declares, and results that the caller returns from the
// trace. Names of inputs, for bucket B:
//   powersgd_error_B    the error, from the second compressed iteration on; flat
//   powersgd_q_B        Q, with warm start from the second compressed iteration on; all matrices, flat
//   powersgd_random_B   normal random numbers for Q, otherwise; equal on all ranks, flat
// The matrices of a bucket are ordered by shape in the order of first appearance, then by position.
//
// Ownership: shares its state with its hooks. Failure: create(), for options that PyTorch rejects, with PyTorch's text;
// see tensor.h for the hook. A gradient whose first size is 0 fails the hook, as in PyTorch. Cost: about 12 + 4 r nodes
// for each matrix, and three collectives for each bucket.
#pragma once

#include "ccgraph/tracer/gradient_hooks.h"
#include "ccgraph/tracer/trace.h"

#include <memory>

namespace ccgraph::tracer {

struct PowerSgdOptions {
  /// r; `matrix_approximation_rank`
  int64_t rank = 1;
  /// the first iteration, from 0, that compresses; more than 1 with error feedback or warm start
  int64_t startIteration = 1000;
  double minRate = 2;
  bool errorFeedback = true;
  bool warmStart = true;
  /// added to the norm of a column before the division. With 0, a column of zeros makes its matrix NaN, in this and
  /// (with warm start or error feedback) all later steps. `batched` ignores it.
  double epsilon = 0;
  bool batched = false;
};

class PowerSgd {
public:
  /// Compresses in the graph of this iteration. Fails with [hook.power-sgd] for a rank below 1 and for a
  /// `startIteration` that state forbids.
  [[nodiscard]] static llvm::Expected<PowerSgd> create(Trace &trace, const PowerSgdOptions &options, int64_t iteration);

  /// Returns the hook; buckets are those of one step.
  [[nodiscard]] CommHook hook() const;

  /// The state of a bucket after the step, to be returned from the trace; absent tensors where there is none.
  struct State {
    size_t bucket = 0;
    /// input powersgd_error_B of the next iteration
    Tensor error;
    /// all matrices P, flat
    Tensor p;
    /// input powersgd_q_B of the next iteration
    Tensor q;
  };
  [[nodiscard]] const std::vector<State> &states() const;

  /// Numbers of elements of all buckets, before and after the compression.
  struct Volume {
    int64_t before = 0;
    int64_t after = 0;
  };
  [[nodiscard]] Volume volume() const;

private:
  class Step;
  explicit PowerSgd(std::shared_ptr<Step> step) : step_(std::move(step)) {}
  std::shared_ptr<Step> step_;
};

/// Returns whether an n x m matrix is compressed to this rank: (n + m) rank minRate < n m.
[[nodiscard]] bool isCompressed(int64_t rows, int64_t columns, const PowerSgdOptions &options);

} // namespace ccgraph::tracer

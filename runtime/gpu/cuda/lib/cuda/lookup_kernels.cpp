#include "ccgraph/ir/strides.h"
#include "cuda/planner.h"

namespace ccgraph::runtime::cuda {
namespace {

using device::Matrix;

Matrix matrixOf(Planner &planner, const Tensor &tensor, int64_t rowStride, int64_t columnStride) {
  device::Strided begun = planner.begin(tensor);
  return {begun.data, begun.element, rowStride, columnStride};
}
Matrix matrixOf(Planner &planner, const Tensor &tensor) {
  return matrixOf(planner, tensor, tensor.stride(0), tensor.stride(1));
}
/// Of one dimension, or of one number.
Matrix rowOf(Planner &planner, const Tensor &tensor) {
  return matrixOf(planner, tensor, 0, tensor.rank() == 0 ? 0 : tensor.stride(0));
}

/// Rows one after another, as the indices are numbered.
bool checkRowMajor(Planner &planner, const Tensor &tensor) {
  return planner.args.check(tensor.isContiguous(), "got " + typeOf(tensor) + ", expected rows one after another");
}

/// (weight, indices, padding_idx, scale_grad_by_freq, sparse)
void embedding(Planner &planner) {
  const Tensor &weight = planner.args.tensor(0), &indices = planner.args.tensor(1);
  Tensor out = planner.result();
  if (planner.args.failed() || !planner.args.check(weight.rank() == 2, "got a weight " + typeOf(weight)) ||
      !checkRowMajor(planner, out))
    return;
  device::EmbeddingJob job;
  job.arithmetic = arithmeticOf(weight.dtype());
  job.indices = planner.over(indices.sizes(), {indices}, job.index);
  job.tableRows = weight.size(0);
  job.columns = weight.size(1);
  job.table = matrixOf(planner, weight);
  job.out = matrixOf(planner, out, weight.size(1), 1);
  if (job.indices.count != 0)
    planner.add(job);
}

/// (grad_output, indices, num_weights, padding_idx, scale_grad_by_freq)
void embeddingBackward(Planner &planner) {
  const Tensor &grad = planner.args.tensor(0), &indices = planner.args.tensor(1);
  Tensor out = planner.result();
  planner.args.check(!planner.args.boolean(4, false), "got scale_grad_by_freq, which kernels of cuda do not support");
  if (planner.args.failed() || !checkRowMajor(planner, grad))
    return;
  device::EmbeddingGradJob job;
  job.arithmetic = arithmeticOf(out.dtype());
  job.indices = planner.over(indices.sizes(), {indices}, job.index);
  job.tableRows = out.size(0);
  job.columns = out.size(1);
  job.padding = planner.args.integer(3, -1);
  job.grad = matrixOf(planner, grad, out.size(1), 1);
  job.table = matrixOf(planner, out);
  planner.add(job);
}

// --- Losses -------------------------------------------------------------------------------------------------

/// [N, C] of a batch or of a lone sample, whose classes are N numbers or one.
bool checkSamples(Planner &planner, const Tensor &samples, const Tensor &target) {
  bool fits = (samples.rank() == 2 && target.rank() == 1 && samples.size(0) == target.size(0)) ||
              (samples.rank() == 1 && target.rank() == 0);
  return planner.args.check(fits && isFloat(samples.dtype()),
                            "got " + typeOf(samples) + " and target " + typeOf(target) + ", expected [N, C] and [N]");
}
Tensor batchOf(const Tensor &samples) { return samples.rank() == 1 ? samples.unsqueeze(0) : samples; }

template <typename Job>
Job lossJob(Planner &planner, const Tensor &samples, unsigned targetIndex) {
  Job job;
  job.arithmetic = arithmeticOf(samples.dtype());
  int64_t reduction = planner.args.integer(targetIndex + 2, 1), ignored = planner.args.integer(targetIndex + 3, -100);
  planner.args.check(reduction >= 0 && reduction <= 2, "got reduction " + llvm::Twine(reduction));
  job.reduction = static_cast<device::LossReduction>(reduction);
  job.ignored = ignored;
  job.count = batchOf(samples).size(0);
  job.classes = batchOf(samples).size(1);
  job.target = rowOf(planner, planner.args.tensor(targetIndex));
  if (std::optional<Tensor> weight = planner.args.optionalTensor(targetIndex + 1))
    job.weight = rowOf(planner, *weight);
  return job;
}

/// (self, target, weight, reduction, ignore_index) -> (output, total_weight)
void classLoss(Planner &planner) {
  const Tensor &samples = planner.args.tensor(0);
  if (planner.args.failed() || !checkSamples(planner, samples, planner.args.tensor(1)))
    return;
  auto job = lossJob<device::ClassLossJob>(planner, samples, 1);
  job.samples = matrixOf(planner, batchOf(samples));
  std::optional<Tensor> out = planner.destination(0), total = planner.destination(1);
  if (out)
    job.out = rowOf(planner, *out);
  if (total)
    job.totalWeight = rowOf(planner, *total);
  // A lone sample is one number in any case.
  if (samples.rank() == 1 && job.reduction == device::LossReduction::None)
    job.reduction = device::LossReduction::Sum;
  if (out || total)
    planner.add(job);
}

/// (grad_output, self, target, weight, reduction, ignore_index, total_weight)
void classLossBackward(Planner &planner) {
  const Tensor &samples = planner.args.tensor(1);
  Tensor out = planner.result();
  if (planner.args.failed() || !checkSamples(planner, samples, planner.args.tensor(2)))
    return;
  auto job = lossJob<device::ClassLossGradJob>(planner, samples, 2);
  job.grad = rowOf(planner, planner.args.tensor(0));
  job.totalWeight = rowOf(planner, planner.args.tensor(6));
  job.out = matrixOf(planner, batchOf(out));
  if (job.count != 0)
    planner.add(job);
}

} // namespace

std::vector<DeviceOperator> lookupOperators() {
  return {
      {"aten.embedding.default", embedding},
      {"aten.embedding_dense_backward.default", embeddingBackward},
      {"aten.nll_loss_backward.default", classLossBackward},
      {"aten.nll_loss_forward.default", classLoss},
  };
}

} // namespace ccgraph::runtime::cuda

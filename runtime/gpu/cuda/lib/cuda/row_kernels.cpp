#include "cuda/planner.h"
#include "kernels/indexing.h"

#include <limits>

namespace ccgraph::runtime::cuda {
namespace {

using device::RowOp;
using Rows = Planner::Rows;

// --- Softmax ------------------------------------------------------------------------------------------------

void planAlong(Planner &planner, RowOp op, llvm::ArrayRef<Tensor> in, int64_t dim) {
  Tensor out = planner.result();
  if (planner.args.failed())
    return;
  for (const Tensor &tensor : in)
    planner.args.check(tensor.sizes() == out.sizes(), "got " + typeOf(tensor) + " for " + typeOf(out));
  bool isReal = planner.args.check(isFloat(in.front().dtype()) || isFloat(out.dtype()),
                                   "got " + typeOf(in.front()) + ", expected floats");
  if (planner.args.failed() || !isReal)
    return;
  llvm::SmallVector<Rows, 2> windows;
  for (const Tensor &tensor : in)
    windows.push_back(linesAlong(atLeastOneDim(tensor), dim));
  IntList rows = toIntList(atLeastOneDim(out).sizes());
  int64_t length = rows[static_cast<size_t>(dim)];
  rows.erase(rows.begin() + dim);
  device::RowJob job;
  job.op = op;
  job.arithmetic = arithmeticOf(out.dtype() == DType::F64 ? DType::F64 : in.front().dtype());
  if (job.arithmetic == device::Arithmetic::Whole)
    job.arithmetic = device::Arithmetic::Single;
  if (out.numElements() != 0)
    planner.rows(job, {rows, {length}}, windows, {linesAlong(atLeastOneDim(out), dim)});
}

/// (self, dim, ...): the call determines the result's dtype.
template <RowOp op>
void softmax(Planner &planner) {
  const Tensor &self = planner.args.tensor(0);
  planAlong(planner, op, {self}, planner.args.dim(1, self.rank()));
}
/// (grad_output, output, dim, input_dtype)
template <RowOp op>
void softmaxBackward(Planner &planner) {
  const Tensor &grad = planner.args.tensor(0), &output = planner.args.tensor(1);
  planAlong(planner, op, {grad, output}, planner.args.dim(2, grad.rank()));
}

// --- Norms --------------------------------------------------------------------------------------------------

/// The last dimensions are normalized, those before number the rows.
struct Norm {
  RowSizes sizes;

  static std::optional<Norm> of(Planner &planner, const Tensor &input, unsigned shapeIndex) {
    IntList shape = planner.args.integers(shapeIndex);
    bool fits = !shape.empty() && static_cast<int64_t>(shape.size()) <= input.rank() &&
                input.sizes().take_back(shape.size()) == IntListRef(shape) && isFloat(input.dtype());
    if (planner.args.failed() ||
        !planner.args.check(fits,
                            "got input " + typeOf(input) + ", expected floats whose last sizes are normalized_shape"))
      return std::nullopt;
    return Norm{{toIntList(input.sizes().drop_back(shape.size())), shape}};
  }

  /// Returns rows of a tensor with the input's sizes.
  [[nodiscard]] Rows whole(const std::optional<Tensor> &tensor) const {
    if (!tensor)
      return {};
    return {tensor, toIntList(tensor->strides().drop_back(sizes.inner.size())),
            toIntList(tensor->strides().take_back(sizes.inner.size()))};
  }
  /// Returns rows of a tensor with the normalized sizes, the same for each row.
  [[nodiscard]] Rows perElement(const std::optional<Tensor> &tensor) const {
    if (!tensor)
      return {};
    return {tensor, IntList(sizes.rows.size(), 0), toIntList(tensor->strides())};
  }
  /// Returns rows of a tensor with one number for each row; normalized dimensions are ones, or absent.
  [[nodiscard]] Rows perRow(const std::optional<Tensor> &tensor) const {
    if (!tensor)
      return {};
    return {tensor, toIntList(tensor->strides().take_front(sizes.rows.size())), IntList(sizes.inner.size(), 0)};
  }
};

device::RowJob rowJob(RowOp op, const Tensor &input, double number = 0) {
  device::RowJob job;
  job.op = op;
  job.arithmetic = arithmeticOf(input.dtype());
  job.number = number;
  return job;
}

/// (input, normalized_shape, weight, bias, eps) -> (out, mean, rstd)
void layerNorm(Planner &planner) {
  const Tensor &input = planner.args.tensor(0);
  std::optional<Norm> norm = Norm::of(planner, input, 1);
  std::optional<Tensor> weight = planner.args.optionalTensor(2), bias = planner.args.optionalTensor(3);
  double epsilon = planner.args.number(4, 1e-5);
  if (norm && !planner.args.failed())
    planner.rows(rowJob(RowOp::LayerNorm, input, epsilon), norm->sizes,
                 {norm->whole(input), norm->perElement(weight), norm->perElement(bias)},
                 {norm->whole(planner.destination(0)), norm->perRow(planner.destination(1)),
                  norm->perRow(planner.destination(2))});
}

/// (input, normalized_shape, weight, eps) -> (out, rstd)
void rmsNorm(Planner &planner) {
  const Tensor &input = planner.args.tensor(0);
  std::optional<Norm> norm = Norm::of(planner, input, 1);
  std::optional<Tensor> weight = planner.args.optionalTensor(2);
  double smallest = input.dtype() == DType::F64 ? std::numeric_limits<double>::epsilon()
                                                : double(std::numeric_limits<float>::epsilon());
  double epsilon = planner.args.number(3, smallest);
  if (norm && !planner.args.failed())
    planner.rows(rowJob(RowOp::RmsNorm, input, epsilon), norm->sizes, {norm->whole(input), norm->perElement(weight)},
                 {norm->whole(planner.destination(0)), norm->perRow(planner.destination(1))});
}

/// The operands of a norm's gradient.
struct NormGrad {
  Tensor grad, input;
  std::optional<Tensor> weight, mean;
  Tensor scale;
};

/// The sums over rows: of the weight's gradient, and the bias's.
void columnGrads(Planner &planner, const Norm &norm, const NormGrad &of) {
  auto turned = [](Rows rows) {
    std::swap(rows.rowStrides, rows.innerStrides);
    return rows;
  };
  RowSizes sizes{norm.sizes.inner, norm.sizes.rows};
  IntList none(norm.sizes.rows.size(), 0);
  if (std::optional<Tensor> out = planner.destination(1))
    planner.rows(rowJob(RowOp::WeightGrad, of.input), sizes,
                 {turned(norm.whole(of.grad)), turned(norm.whole(of.input)), turned(norm.perRow(of.mean)),
                  turned(norm.perRow(of.scale))},
                 {{out, toIntList(out->strides()), none}});
  if (std::optional<Tensor> out = planner.destination(2))
    planner.rows(rowJob(RowOp::Sum, of.input), sizes, {turned(norm.whole(of.grad))},
                 {{out, toIntList(out->strides()), none}});
}

/// (grad_out, input, normalized_shape, mean, rstd, weight, bias, output_mask)
void layerNormBackward(Planner &planner) {
  NormGrad of{planner.args.tensor(0), planner.args.tensor(1), planner.args.optionalTensor(5), planner.args.tensor(3),
              planner.args.tensor(4)};
  std::optional<Norm> norm = Norm::of(planner, of.input, 2);
  if (!norm || planner.args.failed())
    return;
  if (std::optional<Tensor> out = planner.destination(0))
    planner.rows(rowJob(RowOp::LayerNormGrad, of.input), norm->sizes,
                 {norm->whole(of.grad), norm->whole(of.input), norm->perElement(of.weight), norm->perRow(of.mean),
                  norm->perRow(of.scale)},
                 {norm->whole(out)});
  columnGrads(planner, *norm, of);
}

/// (grad_out, input, normalized_shape, rstd, weight, output_mask)
void rmsNormBackward(Planner &planner) {
  NormGrad of{planner.args.tensor(0), planner.args.tensor(1), planner.args.optionalTensor(4), std::nullopt,
              planner.args.tensor(3)};
  std::optional<Norm> norm = Norm::of(planner, of.input, 2);
  if (!norm || planner.args.failed())
    return;
  if (std::optional<Tensor> out = planner.destination(0))
    planner.rows(rowJob(RowOp::RmsNormGrad, of.input), norm->sizes,
                 {norm->whole(of.grad), norm->whole(of.input), norm->perElement(of.weight), norm->perRow(of.scale)},
                 {norm->whole(out)});
  columnGrads(planner, *norm, of);
}

} // namespace

std::vector<DeviceOperator> rowOperators() {
  return {
      {"aten._fused_rms_norm.default", rmsNorm},
      {"aten._fused_rms_norm_backward.default", rmsNormBackward},
      {"aten._log_softmax.default", softmax<RowOp::LogSoftmax>},
      {"aten._log_softmax_backward_data.default", softmaxBackward<RowOp::LogSoftmaxGrad>},
      {"aten._softmax.default", softmax<RowOp::Softmax>},
      {"aten._softmax_backward_data.default", softmaxBackward<RowOp::SoftmaxGrad>},
      {"aten.layer_norm.default", layerNorm},
      {"aten.log_softmax.int", softmax<RowOp::LogSoftmax>},
      {"aten.native_layer_norm.default", layerNorm},
      {"aten.native_layer_norm_backward.default", layerNormBackward},
      {"aten.rms_norm.default", rmsNorm},
      {"aten.softmax.int", softmax<RowOp::Softmax>},
  };
}

} // namespace ccgraph::runtime::cuda

#include "cuda/planner.h"

namespace ccgraph::runtime::cuda {
namespace {

using device::RowOp;

/// Dimensions of `self`: those that stay, and those that become one number.
struct Split {
  IntList kept, reduced;
};

IntList chosen(IntListRef from, const IntList &dims) {
  return IntList(llvm::map_range(dims, [&](int64_t d) { return from[static_cast<size_t>(d)]; }));
}

Split splitOf(const Tensor &self, const IntList &reduced) {
  Split split;
  for (int64_t d = 0; d < self.rank(); ++d)
    (llvm::is_contained(reduced, d) ? split.reduced : split.kept).push_back(d);
  return split;
}

/// Returns for each remaining dimension of `self` the stride of the result, which keeps the reduced dimensions as ones
/// or drops them.
std::optional<IntList> resultStrides(const Tensor &self, const Split &split, const Tensor &out) {
  bool keeps = out.rank() == self.rank();
  if (!keeps && out.rank() != static_cast<int64_t>(split.kept.size()))
    return std::nullopt;
  IntList strides;
  for (size_t i = 0; i < split.kept.size(); ++i)
    strides.push_back(out.stride(keeps ? split.kept[i] : static_cast<int64_t>(i)));
  return strides;
}

struct Reduction {
  RowOp op = RowOp::Sum;
  device::Arithmetic arithmetic = device::Arithmetic::Single;
  double number = 0;
};

void reduceInto(Planner &planner, const Tensor &out, const Reduction &reduction, const IntList &dims) {
  const Tensor &self = planner.args.tensor(0);
  if (planner.args.failed())
    return;
  bool known = reduction.arithmetic != device::Arithmetic::Whole || reduction.op <= RowOp::Any;
  Split split = splitOf(self, dims);
  std::optional<IntList> outStrides = resultStrides(self, split, out);
  if (!planner.args.check(known, "got a dtype which it does not compute with") ||
      !planner.args.check(outStrides.has_value(), "got a result " + typeOf(out).str() + " for " + typeOf(self).str()))
    return;
  device::RowJob job;
  job.op = reduction.op;
  job.arithmetic = reduction.arithmetic;
  job.number = reduction.number;
  planner.rows(job, {chosen(self.sizes(), split.kept), chosen(self.sizes(), split.reduced)},
               {{self, chosen(self.strides(), split.kept), chosen(self.strides(), split.reduced)}},
               {{out, *outStrides, IntList(split.reduced.size(), 0)}});
}

/// The type of the sum: the result's dtype, to which the elements are converted.
template <RowOp op>
void sumDims(Planner &planner) {
  Tensor out = planner.result();
  reduceInto(planner, out, {op, arithmeticOf(out.dtype())}, planner.args.dims(1, planner.args.tensor(0).rank()));
}
template <RowOp op>
void sumAll(Planner &planner) {
  Tensor out = planner.result();
  reduceInto(planner, out, {op, arithmeticOf(out.dtype())},
             planner.args.dims(noArgument, planner.args.tensor(0).rank()));
}
void productDim(Planner &planner) {
  Tensor out = planner.result();
  reduceInto(planner, out, {RowOp::Product, arithmeticOf(out.dtype())},
             {planner.args.dim(1, planner.args.tensor(0).rank())});
}

/// Computes in the dtype of the elements, whatever the result's.
void reduceElements(Planner &planner, RowOp op, unsigned dimsIndex) {
  const Tensor &self = planner.args.tensor(0);
  bool picks = op == RowOp::Max || op == RowOp::Min;
  planner.args.check(!picks || self.numElements() != 0, "got no elements, expected some");
  reduceInto(planner, planner.result(), {op, arithmeticOf(self.dtype())}, planner.args.dims(dimsIndex, self.rank()));
}
template <RowOp op>
void dimsOf(Planner &planner) {
  reduceElements(planner, op, 1);
}
template <RowOp op>
void all(Planner &planner) {
  reduceElements(planner, op, noArgument);
}

/// (a, dim) -> (the largest, the sum of exp(a - the largest)), the dimension kept as a one.
void prepareSoftmax(Planner &planner) {
  const Tensor &self = planner.args.tensor(0);
  Split split = splitOf(self, planner.args.dims(1, self.rank()));
  planner.args.check(self.numElements() != 0, "got no elements, expected some");
  auto result = [&](unsigned index) {
    std::optional<Tensor> out = planner.destination(index);
    std::optional<IntList> strides = out ? resultStrides(self, split, *out) : IntList();
    planner.args.check(strides.has_value() && isFloat(self.dtype()), "got " + typeOf(self).str());
    return Planner::Rows{out, strides.value_or(IntList()), IntList(split.reduced.size(), 0)};
  };
  Planner::Rows largest = result(0), sum = result(1);
  device::RowJob job;
  job.op = RowOp::SoftmaxSums;
  job.arithmetic = arithmeticOf(self.dtype());
  if (!planner.args.failed())
    planner.rows(job, {chosen(self.sizes(), split.kept), chosen(self.sizes(), split.reduced)},
                 {{self, chosen(self.strides(), split.kept), chosen(self.strides(), split.reduced)}}, {largest, sum});
}

/// (self, ord, dim, keepdim, dtype)
void vectorNorm(Planner &planner) {
  Tensor out = planner.result();
  bool isTwo = planner.args.number(1, 2) == 2;
  if (planner.args.check(isTwo,
                         "got ord " + planner.args.at(1).describe() + ", expected 2, which kernels of cuda support"))
    reduceInto(planner, out, {RowOp::Norm, arithmeticOf(out.dtype())},
               planner.args.dims(2, planner.args.tensor(0).rank()));
}

/// (self, dim, correction, keepdim)
void varianceInto(Planner &planner, const Tensor &out, RowOp op) {
  const Tensor &self = planner.args.tensor(0);
  reduceInto(planner, out, {op, arithmeticOf(self.dtype()), planner.args.number(2, 1)},
             planner.args.dims(1, self.rank()));
}
template <RowOp op>
void variance(Planner &planner) {
  varianceInto(planner, planner.result(), op);
}
void varianceAndMean(Planner &planner) {
  const Tensor &self = planner.args.tensor(0);
  if (std::optional<Tensor> out = planner.destination(0))
    varianceInto(planner, *out, RowOp::Variance);
  if (std::optional<Tensor> out = planner.destination(1))
    reduceInto(planner, *out, {RowOp::Mean, arithmeticOf(self.dtype())}, planner.args.dims(1, self.rank()));
}

// --- The squared error: (self, target, reduction) -----------------------------------------------------------

/// 0 none, 1 mean, 2 sum.
int64_t lossReduction(Planner &planner, unsigned index) {
  int64_t reduction = planner.args.integer(index, 1);
  planner.args.check(reduction >= 0 && reduction <= 2, "got reduction " + llvm::Twine(reduction));
  return reduction;
}

void squaredError(Planner &planner) {
  const Tensor &self = planner.args.tensor(0), &target = planner.args.tensor(1);
  int64_t reduction = lossReduction(planner, 2);
  Tensor out = planner.result();
  if (planner.args.failed())
    return;
  if (reduction == 0)
    return planner.map(out, {device::MapOp::SquaredDifference, arithmeticOf(out.dtype())}, {self, target});
  bool fits = self.sizes() == target.sizes() && isFloat(out.dtype());
  if (!planner.args.check(fits, "got " + typeOf(self) + " and " + typeOf(target) + ", expected floats of equal sizes"))
    return;
  device::RowJob job;
  job.op = RowOp::Distance;
  job.arithmetic = arithmeticOf(out.dtype());
  job.number = reduction == 1 ? static_cast<double>(self.numElements()) : 1;
  planner.rows(job, {{}, toIntList(self.sizes())},
               {{self, {}, toIntList(self.strides())}, {target, {}, toIntList(target.strides())}},
               {{out, {}, IntList(static_cast<size_t>(self.rank()), 0)}});
}

/// (grad_output, self, target, reduction)
void squaredErrorBackward(Planner &planner) {
  const Tensor &self = planner.args.tensor(1);
  bool isMean = lossReduction(planner, 3) == 1;
  Tensor out = planner.result();
  if (!planner.args.failed())
    planner.map(out, {device::MapOp::SquaredDifferenceGrad, arithmeticOf(out.dtype())},
                {planner.args.tensor(0), self, planner.args.tensor(2),
                 isMean ? 2.0 / static_cast<double>(self.numElements()) : 2.0});
}

} // namespace

std::vector<DeviceOperator> reductionOperators() {
  return {
      {"aten.all.default", all<RowOp::All>},
      {"aten.all.dim", dimsOf<RowOp::All>},
      {"aten.all.dims", dimsOf<RowOp::All>},
      {"aten.amax.default", dimsOf<RowOp::Max>},
      {"aten.amin.default", dimsOf<RowOp::Min>},
      {"aten.any.default", all<RowOp::Any>},
      {"aten.any.dim", dimsOf<RowOp::Any>},
      {"aten.any.dims", dimsOf<RowOp::Any>},
      {"aten.linalg_vector_norm.default", vectorNorm},
      {"aten.max.default", all<RowOp::Max>},
      {"aten.mean.default", sumAll<RowOp::Mean>},
      {"aten.mean.dim", sumDims<RowOp::Mean>},
      {"aten.min.default", all<RowOp::Min>},
      {"aten.mse_loss.default", squaredError},
      {"aten.mse_loss_backward.default", squaredErrorBackward},
      {"aten.prod.default", sumAll<RowOp::Product>},
      {"aten.prod.dim_int", productDim},
      {"aten.std.correction", variance<RowOp::Deviation>},
      {"aten.sum.default", sumAll<RowOp::Sum>},
      {"aten.sum.dim_IntList", sumDims<RowOp::Sum>},
      {"aten.var.correction", variance<RowOp::Variance>},
      {"aten.var_mean.correction", varianceAndMean},
      {"prims.prepare_softmax_online.default", prepareSoftmax},
  };
}

} // namespace ccgraph::runtime::cuda

#include "kernels/families.h"
#include "kernels/lines.h"
#include "kernels/loss_reduction.h"
#include "kernels/memory_format.h"
#include "kernels/pointwise.h"

#include <cmath>

namespace ccgraph::runtime {
namespace {

/// A new value for every element of a line of out, from the lines of the inputs.
using LineMap = llvm::function_ref<void(llvm::ArrayRef<Scratch<double>> in, llvm::MutableArrayRef<double> out)>;

Tensor mapLines(const Tensor &out, llvm::ArrayRef<Tensor> inputs, int64_t dim, LineMap map) {
  Tensors tensors{dimLast(out, dim)};
  for (const Tensor &input : inputs)
    tensors.push_back(dimLast(input, dim));
  Scratch<Scratch<double>> in(inputs.size());
  Scratch<double> result;
  forEachRow(tensors, [&](llvm::ArrayRef<Row> rows, int64_t count) {
    result.resize(static_cast<size_t>(count));
    for (size_t k = 0; k < in.size(); ++k) {
      in[k].resize(static_cast<size_t>(count));
      readRow<double>(inputs[k].dtype(), rows[k + 1], in[k]);
    }
    map(in, {result.data(), result.size()});
    writeRow<double>(out.dtype(), rows[0], result);
  });
  return out;
}

bool checkFloat(KernelArgs &args, const Tensor &self) {
  return args.check(isFloat(self.dtype()) && computable(self.dtype()), "got " + typeOf(self) + ", expected floats") &&
         !args.failed();
}

double largest(llvm::ArrayRef<double> line) {
  double best = -INFINITY;
  for (double value : line)
    best = std::isnan(value) || value > best ? value : best;
  return best;
}

void softmaxLine(llvm::ArrayRef<Scratch<double>> in, llvm::MutableArrayRef<double> out) {
  double shift = largest(in[0]);
  double sum = 0;
  for (size_t i = 0; i < out.size(); ++i)
    sum += out[i] = std::exp(in[0][i] - shift);
  for (double &value : out)
    value /= sum;
}

/// Zeros for a line of -inf alone: the query that a mask lets attend to nothing.
void safeSoftmaxLine(llvm::ArrayRef<Scratch<double>> in, llvm::MutableArrayRef<double> out) {
  softmaxLine(in, out);
  if (largest(in[0]) == -INFINITY)
    std::fill(out.begin(), out.end(), 0);
}

void logSoftmaxLine(llvm::ArrayRef<Scratch<double>> in, llvm::MutableArrayRef<double> out) {
  double shift = largest(in[0]);
  double sum = 0;
  for (double value : in[0])
    sum += std::exp(value - shift);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = in[0][i] - shift - std::log(sum);
}

/// grad * y - y * sum(grad * y), for y = softmax(x).
void softmaxGradLine(llvm::ArrayRef<Scratch<double>> in, llvm::MutableArrayRef<double> out) {
  double sum = 0;
  for (size_t i = 0; i < out.size(); ++i)
    sum += in[0][i] * in[1][i];
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = (in[0][i] - sum) * in[1][i];
}

/// grad - exp(y) * sum(grad), for y = log_softmax(x).
void logSoftmaxGradLine(llvm::ArrayRef<Scratch<double>> in, llvm::MutableArrayRef<double> out) {
  double sum = 0;
  for (double value : in[0])
    sum += value;
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = in[0][i] - std::exp(in[1][i]) * sum;
}

/// (self, dim, half_to_float): f16 becomes f32 where the flag is set.
Value softmaxOf(KernelArgs &args, LineMap map) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(1, self.rank());
  DType dtype = args.boolean(2, false) ? DType::F32 : self.dtype();
  if (!checkFloat(args, self))
    return {};
  return mapLines(args.result(dtype, self.sizes(), suggestedStrides(self.sizes(), self)), self, dim, map);
}
Value softmax(KernelArgs &args) { return softmaxOf(args, softmaxLine); }
Value logSoftmax(KernelArgs &args) { return softmaxOf(args, logSoftmaxLine); }

/// (self, dim, dtype): converts first.
Value typedSoftmaxOf(KernelArgs &args, LineMap map) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(1, self.rank());
  DType dtype = args.dtype(2, floatTypeOf(self.dtype()));
  if (args.failed() || !checkFloat(args, Tensor::zeros(dtype, {})))
    return {};
  return mapLines(args.result(dtype, self.sizes()), toDType(self, dtype), dim, map);
}
Value typedSoftmax(KernelArgs &args) { return typedSoftmaxOf(args, softmaxLine); }
Value safeSoftmax(KernelArgs &args) { return typedSoftmaxOf(args, safeSoftmaxLine); }
Value typedLogSoftmax(KernelArgs &args) { return typedSoftmaxOf(args, logSoftmaxLine); }

/// (grad_output, output, dim, input_dtype)
Value softmaxGradOf(KernelArgs &args, LineMap map) {
  const Tensor &grad = args.tensor(0);
  const Tensor &output = args.tensor(1);
  int64_t dim = args.dim(2, grad.rank());
  DType dtype = args.dtype(3, grad.dtype());
  args.check(grad.sizes() == output.sizes(),
             "got " + typeOf(grad) + " and " + typeOf(output) + ", expected equal sizes");
  if (!checkFloat(args, grad) || !checkFloat(args, output))
    return {};
  return mapLines(args.result(dtype, grad.sizes()), {grad, output}, dim, map);
}
Value softmaxBackward(KernelArgs &args) { return softmaxGradOf(args, softmaxGradLine); }
Value logSoftmaxBackward(KernelArgs &args) { return softmaxGradOf(args, logSoftmaxGradLine); }

// --- Losses ----------------------------------------------------------------------------------------------------------
constexpr PointwiseOp squaredDifference{.real = [](const double *x) { return (x[0] - x[1]) * (x[0] - x[1]); }};
/// grad * scale * (self - target)
constexpr PointwiseOp mseGrad{.real = [](const double *x) { return x[3] * (x[1] - x[2]) * x[0]; }, .promoting = 3};

Value mseLoss(KernelArgs &args) {
  LossReduction reduction = lossReduction(args, 2);
  return reduced(args, pointwise(args, operandsOf(args, 2), squaredDifference), reduction);
}

Value mseLossBackward(KernelArgs &args) {
  LossReduction reduction = lossReduction(args, 3);
  Operands operands = operandsOf(args, 3);
  double scale = reduction == LossReduction::Mean ? 2.0 / static_cast<double>(operands[1].tensor.numElements()) : 2.0;
  Tensor number = Tensor::zeros(DType::F64, {});
  writeElement<double>(DType::F64, number.data(), scale);
  operands.push_back({number, true});
  Tensor result = pointwise(args, operands, mseGrad);
  // PyTorch makes the result contiguous.
  return args.failed() ? Value() : Value(result.contiguous());
}

/// One class out of `classes` for each sample, with its weight; the ignored class weighs nothing.
class ClassTargets {
public:
  ClassTargets(KernelArgs &args, int64_t classes, const Tensor &target, std::optional<Tensor> weight, int64_t ignored)
      : weights_(static_cast<size_t>(classes), 1.0), ignored_(ignored) {
    args.check(classOf(target.dtype()) == DTypeClass::Integer && target.rank() <= 1,
               "got a target " + typeOf(target) + ", expected classes, at most 1 dimension");
    if (args.failed())
      return;
    if (weight && args.check(weight->numElements() == classes && weight->rank() == 1,
                             "got a weight " + typeOf(*weight) + " for " + llvm::Twine(classes) + " classes"))
      readRow<double>(weight->dtype(), {weight->data(), strideBytes(*weight, 0)}, weights_);
    classes_.resize(static_cast<size_t>(target.numElements()));
    readRow<int64_t>(target.dtype(), {target.data(), strideBytes(target, target.rank() - 1)}, classes_);
    for (int64_t label : classes_)
      args.check(label == ignored || (label >= 0 && label < classes),
                 "got class " + llvm::Twine(label) + " of " + llvm::Twine(classes));
  }

  [[nodiscard]] size_t count() const { return classes_.size(); }
  [[nodiscard]] bool isIgnored(size_t i) const { return classes_[i] == ignored_; }
  [[nodiscard]] int64_t label(size_t i) const { return classes_[i]; }
  [[nodiscard]] double weight(size_t i) const { return isIgnored(i) ? 0 : weights_[static_cast<size_t>(classes_[i])]; }
  [[nodiscard]] double totalWeight() const {
    double total = 0;
    for (size_t i = 0; i < count(); ++i)
      total += weight(i);
    return total;
  }

private:
  Scratch<double> weights_;
  Scratch<int64_t> classes_;
  int64_t ignored_;
};

/// [N, C] of a batch or of a lone sample.
std::optional<Tensor> samplesOf(KernelArgs &args, const Tensor &self, const Tensor &target) {
  bool fits = (self.rank() == 2 && target.rank() == 1 && self.size(0) == target.size(0)) ||
              (self.rank() == 1 && target.rank() == 0);
  if (!args.check(fits, "got " + typeOf(self) + " and target " + typeOf(target) + ", expected [N, C] and [N]") ||
      !checkFloat(args, self))
    return std::nullopt;
  return self.rank() == 1 ? self.unsqueeze(0) : self;
}

Tensor numberResult(KernelArgs &args, unsigned index, double value) {
  DType dtype = args.tensor(0).dtype();
  Tensor result = args.resultOf(index, dtype, {});
  writeElement<double>(dtype, result.data(), value);
  return result;
}

/// (self, target, weight, reduction, ignore_index) -> (output, total_weight)
Value nllForward(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  std::optional<Tensor> samples = samplesOf(args, self, args.tensor(1));
  LossReduction reduction = lossReduction(args, 3);
  int64_t ignored = args.integer(4, -100);
  if (args.failed())
    return {};
  ClassTargets targets(args, samples->size(1), args.tensor(1), args.optionalTensor(2), ignored);
  if (args.failed())
    return {};
  Scratch<double> losses(targets.count());
  double sum = 0;
  for (size_t i = 0; i < losses.size(); ++i) {
    if (targets.isIgnored(i))
      continue;
    Tensor chosen = samples->select(0, static_cast<int64_t>(i)).select(0, targets.label(i));
    losses[i] = -readElement<double>(self.dtype(), chosen.data()) * targets.weight(i);
    sum += losses[i];
  }
  if (reduction == LossReduction::None && self.rank() == 2) {
    Tensor output = args.resultOf(0, self.dtype(), args.tensor(1).sizes());
    writeRow<double>(output.dtype(), {output.data(), output.elementSize()}, losses);
    return Value::tensors({output, numberResult(args, 1, 0)});
  }
  double total = targets.totalWeight();
  Tensor output = numberResult(args, 0, reduction == LossReduction::Mean ? sum / total : sum);
  return Value::tensors({output, numberResult(args, 1, total)});
}

/// (grad_output, self, target, weight, reduction, ignore_index, total_weight)
Value nllBackward(KernelArgs &args) {
  const Tensor &grad = args.tensor(0);
  const Tensor &self = args.tensor(1);
  std::optional<Tensor> samples = samplesOf(args, self, args.tensor(2));
  LossReduction reduction = lossReduction(args, 4);
  int64_t ignored = args.integer(5, -100);
  const Tensor &total = args.tensor(6);
  bool whole = reduction != LossReduction::None;
  args.check(whole ? grad.numElements() == 1 : grad.sizes() == args.tensor(2).sizes(),
             "got grad_output " + typeOf(grad));
  args.check(total.numElements() == 1, "got total_weight " + typeOf(total));
  if (args.failed())
    return {};
  ClassTargets targets(args, samples->size(1), args.tensor(2), args.optionalTensor(3), ignored);
  if (args.failed())
    return {};
  Tensor result = args.zeroResult(self.dtype(), self.sizes());
  Tensor rows = self.rank() == 1 ? result.unsqueeze(0) : result;
  double divisor = reduction == LossReduction::Mean ? readElement<double>(total.dtype(), total.data()) : 1.0;
  for (size_t i = 0; i < targets.count(); ++i) {
    if (targets.isIgnored(i))
      continue;
    auto row = static_cast<int64_t>(i);
    const Tensor upstream = whole || grad.rank() == 0 ? grad : grad.select(0, row);
    double value = readElement<double>(grad.dtype(), upstream.data());
    writeElement<double>(result.dtype(), rows.select(0, row).select(0, targets.label(i)).data(),
                         -targets.weight(i) * value / divisor);
  }
  return result;
}

const Kernel lossTable[] = {
    {"aten._log_softmax.default", "self,dim,half_to_float", logSoftmax},
    {"aten._log_softmax_backward_data.default", "grad_output,output,dim,input_dtype", logSoftmaxBackward},
    {"aten._safe_softmax.default", "self,dim,dtype", safeSoftmax},
    {"aten._softmax.default", "self,dim,half_to_float", softmax},
    {"aten._softmax_backward_data.default", "grad_output,output,dim,input_dtype", softmaxBackward},
    {"aten.log_softmax.int", "self,dim,dtype", typedLogSoftmax},
    {"aten.mse_loss.default", "self,target,reduction", mseLoss},
    {"aten.mse_loss_backward.default", "grad_output,self,target,reduction", mseLossBackward},
    {"aten.nll_loss_backward.default", "grad_output,self,target,weight,reduction,ignore_index,total_weight",
     nllBackward},
    {"aten.nll_loss_forward.default", "self,target,weight,reduction,ignore_index", nllForward},
    {"aten.softmax.int", "self,dim,dtype", typedSoftmax},
};

} // namespace

llvm::ArrayRef<Kernel> lossKernels() { return lossTable; }

} // namespace ccgraph::runtime

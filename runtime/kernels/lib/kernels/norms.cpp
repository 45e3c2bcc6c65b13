#include "kernels/families.h"
#include "kernels/kernel_args.h"
#include "tensor/elements.h"

#include <cmath>
#include <limits>

namespace ccgraph::runtime {
namespace {

using Line = Scratch<double>;

/// A tensor seen as [outer, inner], inner being the normalized dimensions; `stats` are outer's sizes and ones.
struct Normalized {
  Tensor input; ///< contiguous
  int64_t outer = 1;
  int64_t inner = 1;
  IntList shape;
  IntList stats;

  [[nodiscard]] Line row(const Tensor &contiguous, int64_t i) const {
    Line line(static_cast<size_t>(inner));
    int64_t size = contiguous.elementSize();
    readRow<double>(contiguous.dtype(), {contiguous.data() + i * inner * size, size}, line);
    return line;
  }
  void setRow(const Tensor &contiguous, int64_t i, const Line &line) const {
    int64_t size = contiguous.elementSize();
    writeRow<double>(contiguous.dtype(), {contiguous.data() + i * inner * size, size}, line);
  }
};

Normalized normalizedOf(KernelArgs &args, unsigned inputIndex, unsigned shapeIndex) {
  const Tensor &input = args.tensor(inputIndex);
  IntList shape = args.integers(shapeIndex);
  Normalized result;
  auto rank = static_cast<int64_t>(shape.size());
  bool fits = rank > 0 && rank <= input.rank() && input.sizes().take_back(shape.size()) == IntListRef(shape) &&
              isFloat(input.dtype()) && computable(input.dtype());
  if (args.failed() || !args.check(fits, "got input " + typeOf(input) + " and normalized_shape " + dimsOf(shape) +
                                             ", expected its last sizes"))
    return result;
  result.input = input.contiguous();
  result.inner = productOf(shape);
  result.shape = shape;
  result.outer = productOf(input.sizes().drop_back(shape.size()));
  result.stats.assign(input.sizes().begin(), input.sizes().end() - rank);
  result.stats.append(shape.size(), 1);
  return result;
}

/// An optional weight or bias of `count` elements; `otherwise` where it is None.
Line coefficients(KernelArgs &args, unsigned index, int64_t count, double otherwise) {
  Line result(static_cast<size_t>(count), otherwise);
  std::optional<Tensor> tensor = args.optionalTensor(index);
  if (args.failed() || !tensor)
    return result;
  if (args.check(tensor->numElements() == count && computable(tensor->dtype()),
                 "got " + typeOf(*tensor) + ", expected " + llvm::Twine(count) + " elements"))
    result = readAll(*tensor);
  return result;
}

/// RMS norm keeps the statistics of f16 and bf16 inputs in f32; layer norm keeps them in the input's dtype, as PyTorch
/// does on a CPU.
DType statsType(DType dtype) { return dtype == DType::F64 ? DType::F64 : DType::F32; }

double meanOf(const Line &line) {
  double sum = 0;
  for (double value : line)
    sum += value;
  return sum / static_cast<double>(line.size());
}

double meanSquareAbout(const Line &line, double center) {
  double sum = 0;
  for (double value : line)
    sum += (value - center) * (value - center);
  return sum / static_cast<double>(line.size());
}

// --- Layer norm (J. Ba, J. Kiros, G. Hinton, 2016): (input, normalized_shape, weight, bias, eps) ----
Value layerNorms(KernelArgs &args) {
  Normalized view = normalizedOf(args, 0, 1);
  Line weight = coefficients(args, 2, view.inner, 1);
  Line bias = coefficients(args, 3, view.inner, 0);
  double epsilon = args.number(4, 1e-5);
  if (args.failed())
    return {};
  Tensor out = args.resultOf(0, view.input.dtype(), view.input.sizes());
  Tensor means = args.resultOf(1, out.dtype(), view.stats);
  Tensor scales = args.resultOf(2, out.dtype(), view.stats);
  for (int64_t i = 0; i < view.outer; ++i) {
    Line line = view.row(view.input, i);
    double mean = meanOf(line);
    double scale = 1 / std::sqrt(meanSquareAbout(line, mean) + epsilon);
    for (size_t k = 0; k < line.size(); ++k)
      line[k] = (line[k] - mean) * scale * weight[k] + bias[k];
    view.setRow(out, i, line);
    writeElement<double>(means.dtype(), means.data() + i * means.elementSize(), mean);
    writeElement<double>(scales.dtype(), scales.data() + i * scales.elementSize(), scale);
  }
  return Value::tensors({out, means, scales});
}

Value layerNorm(KernelArgs &args) {
  Value all = layerNorms(args);
  return args.failed() ? all : all.list().front();
}

double statAt(const Tensor &stats, int64_t i) {
  return readElement<double>(stats.dtype(), stats.data() + i * stats.elementSize());
}

/// The positions of a gradient operator's arguments, and whether its norm subtracts the mean.
struct GradientForm {
  std::optional<unsigned> mean;
  unsigned scale;
  unsigned weight;
  unsigned mask;
};

/// Element `i` of an output_mask; everything is wanted where it is left out.
bool wants(KernelArgs &args, const GradientForm &form, size_t i) {
  const Value &mask = args.at(form.mask);
  return !mask.is(Value::Kind::List) || i >= mask.list().size() || !mask.list()[i].is(Value::Kind::Bool) ||
         mask.list()[i].boolean();
}

struct Gradients {
  Tensor input;
  Line weight;
  Line bias;
};

/// Computes one row of the input's gradient, without mean(g) and the outer scale. With y = (x - mean) * scale and g =
/// grad * weight, the gradient is scale * (g - mean(g) - y * mean(g * y)), without mean(g) where the norm does not
/// subtract the mean. Returns mean(g), which the caller subtracts if needed.
double addRow(Gradients &sums, Line &grad, const Line &normal, const Line &weight) {
  double meanGrad = 0;
  double meanProduct = 0;
  for (size_t k = 0; k < grad.size(); ++k) {
    sums.weight[k] += grad[k] * normal[k];
    sums.bias[k] += grad[k];
    grad[k] *= weight[k];
    meanGrad += grad[k];
    meanProduct += grad[k] * normal[k];
  }
  auto count = static_cast<double>(grad.size());
  for (size_t k = 0; k < grad.size(); ++k)
    grad[k] -= normal[k] * meanProduct / count;
  return meanGrad / count;
}

std::optional<Gradients> gradientsOf(KernelArgs &args, const Normalized &view, const GradientForm &form) {
  const Tensor &grad = args.tensor(0);
  Line weight = coefficients(args, form.weight, view.inner, 1);
  Tensor scales = args.tensor(form.scale).contiguous();
  Tensor means = form.mean ? args.tensor(*form.mean).contiguous() : Tensor();
  bool fits = grad.sizes() == view.input.sizes() && computable(grad.dtype()) && scales.numElements() == view.outer &&
              (!form.mean || means.numElements() == view.outer);
  if (args.failed() || !args.check(fits, "got grad_out " + typeOf(grad) + " for input " + typeOf(view.input)))
    return std::nullopt;
  auto inner = static_cast<size_t>(view.inner);
  Gradients sums{args.resultOf(0, view.input.dtype(), view.input.sizes()), Line(inner), Line(inner)};
  Tensor upstream = grad.contiguous();
  for (int64_t i = 0; i < view.outer; ++i) {
    Line normal = view.row(view.input, i);
    double scale = statAt(scales, i);
    for (double &value : normal)
      value = (value - (form.mean ? statAt(means, i) : 0)) * scale;
    Line line = view.row(upstream, i);
    double meanGrad = addRow(sums, line, normal, weight);
    double shift = form.mean ? meanGrad : 0;
    for (double &value : line)
      value = scale * (value - shift);
    view.setRow(sums.input, i, line);
  }
  return sums;
}

/// A gradient of the normalized shape: result `index`.
Value columnGradient(KernelArgs &args, unsigned index, const Normalized &view, const Line &sums) {
  Tensor result = args.resultOf(index, view.input.dtype(), view.shape);
  writeRow<double>(result.dtype(), {result.data(), result.elementSize()}, sums);
  return result;
}

/// (grad_out, input, normalized_shape, mean, rstd, weight, bias, output_mask)
Value layerNormBackward(KernelArgs &args) {
  constexpr GradientForm form{3, 4, 5, 7};
  Normalized view = normalizedOf(args, 1, 2);
  std::optional<Gradients> sums = args.failed() ? std::nullopt : gradientsOf(args, view, form);
  if (!sums)
    return {};
  return Value::list({wants(args, form, 0) ? Value(sums->input) : Value(),
                      wants(args, form, 1) ? columnGradient(args, 1, view, sums->weight) : Value(),
                      wants(args, form, 2) ? columnGradient(args, 2, view, sums->bias) : Value()});
}

// --- RMS norm (B. Zhang, R. Sennrich, 2019): (input, normalized_shape, weight, eps) -------------------
/// The machine epsilon of the dtype that the norm computes in, where eps is None.
double defaultEpsilon(DType dtype) {
  return dtype == DType::F64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}

Value rmsNorms(KernelArgs &args) {
  Normalized view = normalizedOf(args, 0, 1);
  Line weight = coefficients(args, 2, view.inner, 1);
  if (args.failed())
    return {};
  double epsilon = args.number(3, defaultEpsilon(view.input.dtype()));
  Tensor out = args.resultOf(0, view.input.dtype(), view.input.sizes());
  Tensor scales = args.resultOf(1, statsType(out.dtype()), view.stats);
  for (int64_t i = 0; i < view.outer; ++i) {
    Line line = view.row(view.input, i);
    double scale = 1 / std::sqrt(meanSquareAbout(line, 0) + epsilon);
    for (size_t k = 0; k < line.size(); ++k)
      line[k] *= scale * weight[k];
    view.setRow(out, i, line);
    writeElement<double>(scales.dtype(), scales.data() + i * scales.elementSize(), scale);
  }
  return Value::tensors({out, scales});
}

Value rmsNorm(KernelArgs &args) {
  Value all = rmsNorms(args);
  return args.failed() ? all : all.list().front();
}

/// (grad_out, input, normalized_shape, rstd, weight, output_mask)
Value rmsNormBackward(KernelArgs &args) {
  constexpr GradientForm form{std::nullopt, 3, 4, 5};
  Normalized view = normalizedOf(args, 1, 2);
  std::optional<Gradients> sums = args.failed() ? std::nullopt : gradientsOf(args, view, form);
  if (!sums)
    return {};
  bool weighted = wants(args, form, 1) && args.has(4);
  return Value::list({wants(args, form, 0) ? Value(sums->input) : Value(),
                      weighted ? columnGradient(args, 1, view, sums->weight) : Value()});
}

const Kernel normTable[] = {
    {"aten._fused_rms_norm.default", "input,normalized_shape,weight,eps", rmsNorms},
    {"aten._fused_rms_norm_backward.default", "grad_out,input,normalized_shape,rstd,weight,output_mask",
     rmsNormBackward},
    {"aten.layer_norm.default", "input,normalized_shape,weight,bias,eps,cudnn_enable", layerNorm},
    {"aten.native_layer_norm.default", "input,normalized_shape,weight,bias,eps", layerNorms},
    {"aten.native_layer_norm_backward.default", "grad_out,input,normalized_shape,mean,rstd,weight,bias,output_mask",
     layerNormBackward},
    {"aten.rms_norm.default", "input,normalized_shape,weight,eps", rmsNorm},
};

} // namespace

llvm::ArrayRef<Kernel> normKernels() { return normTable; }

} // namespace ccgraph::runtime

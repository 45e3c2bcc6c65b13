#include "kernels/dense_values.h"
#include "kernels/families.h"
#include "kernels/memory_format.h"

#include <cmath>

namespace ccgraph::runtime {
namespace {

/// [N, C, ...] whose elements are normalized in sets: a channel of all samples (batch norm, S. Ioffe, C. Szegedy,
/// 2015), or some channels of one sample (group norm, Y. Wu, K. He, 2018).
struct Channels {
  Tensor input;
  int64_t samples = 0, channels = 0, plane = 0;
  int64_t groups = 0; ///< of one sample; 0 for batch norm

  [[nodiscard]] size_t sets() const { return static_cast<size_t>(groups ? samples * groups : channels); }
  [[nodiscard]] size_t channelOf(size_t i) const {
    return i / static_cast<size_t>(plane) % static_cast<size_t>(channels);
  }
  [[nodiscard]] size_t setOf(size_t i) const {
    return groups ? i / static_cast<size_t>(channels / groups * plane) : channelOf(i);
  }
  [[nodiscard]] double setSize() const {
    return static_cast<double>(input.numElements()) / static_cast<double>(sets());
  }
};

bool checkInput(KernelArgs &args, const Tensor &input) {
  return args.check(input.rank() >= 2 && isFloat(input.dtype()) && computable(input.dtype()),
                    "got " + typeOf(input) + ", expected floats [N, C, ...]") &&
         !args.failed();
}

Channels batchOf(KernelArgs &args, unsigned index) {
  Channels c{.input = args.tensor(index)};
  if (!checkInput(args, c.input))
    return c;
  c.samples = c.input.size(0);
  c.channels = c.input.size(1);
  c.plane = productOf(c.input.sizes().drop_front(2));
  return c;
}

Channels groupsOf(KernelArgs &args, unsigned index, int64_t groups) {
  Channels c = batchOf(args, index);
  c.groups = groups;
  args.check(groups > 0 && c.channels % groups == 0,
             "got " + llvm::Twine(groups) + " groups of " + llvm::Twine(c.channels) + " channels");
  return c;
}

/// An optional argument of one number a channel (or set).
Values perSet(KernelArgs &args, unsigned index, size_t count, double otherwise) {
  std::optional<Tensor> tensor = args.optionalTensor(index);
  if (args.failed() || !tensor || tensor->numElements() == 0)
    return Values(count, otherwise);
  bool fits = static_cast<size_t>(tensor->numElements()) == count && computable(tensor->dtype());
  return args.check(fits, "got " + typeOf(*tensor) + ", expected " + llvm::Twine(count) + " numbers")
             ? readAll(*tensor)
             : Values(count, otherwise);
}

/// Mean of each set, and its variance with n as divisor.
struct Moments {
  Values mean;
  Values variance;
};

Moments momentsOf(const Channels &c, const Values &x) {
  Moments m{Values(c.sets()), Values(c.sets())};
  for (size_t i = 0; i < x.size(); ++i)
    m.mean[c.setOf(i)] += x[i] / c.setSize();
  for (size_t i = 0; i < x.size(); ++i) {
    double off = x[i] - m.mean[c.setOf(i)];
    m.variance[c.setOf(i)] += off * off / c.setSize();
  }
  return m;
}

Values inverseRoots(const Values &variance, double epsilon) {
  Values result;
  for (double v : variance)
    result.push_back(1 / std::sqrt(v + epsilon));
  return result;
}

/// Weight and bias, argument `index` and the next.
struct Affine {
  Values weight;
  Values bias;
};

Affine affineOf(KernelArgs &args, unsigned index, const Channels &c) {
  auto count = static_cast<size_t>(c.channels);
  return {perSet(args, index, count, 1), perSet(args, index + 1, count, 0)};
}

Tensor normalized(const Channels &c, Values x, const Values &mean, const Values &scale, const Affine &affine) {
  for (size_t i = 0; i < x.size(); ++i) {
    size_t set = c.setOf(i), channel = c.channelOf(i);
    x[i] = (x[i] - mean[set]) * scale[set] * affine.weight[channel] + affine.bias[channel];
  }
  Tensor plain = tensorOf(x, c.input.dtype(), c.input.sizes());
  Tensor result = Tensor::zeros(c.input.dtype(), c.input.sizes(), suggestedStrides(c.input.sizes(), c.input));
  result.copyFrom(plain);
  return result;
}

// --- Batch norm ---------------------------------------------------------------------------------------
/// The form of a schema: 0 for running statistics means none. Arguments 0 to 2 are input, weight, bias.
struct BatchForm {
  unsigned running = 3;
  unsigned training = 5; ///< noArgument: `trains` holds
  unsigned momentum = 6;
  bool trains = false;
};

/// running * (1 - momentum) + now * momentum
Values blend(const Values &running, const Values &now, double momentum, double factor) {
  Values result = running;
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = running[i] * (1 - momentum) + now[i] * factor * momentum;
  return result;
}

/// The results of all batch norms; the running statistics are those after the call, where there are any.
struct BatchNorm {
  Tensor output, mean, scale;
  std::optional<Tensor> runningMean, runningVariance;
  bool training = false;
};

std::optional<Tensor> updated(const std::optional<Tensor> &running, const Values &now, double momentum, double factor) {
  if (!running || running->numElements() == 0)
    return std::nullopt;
  return tensorOf(blend(readAll(*running), now, momentum, factor), running->dtype(), running->sizes());
}

BatchNorm batchNorm(KernelArgs &args, const BatchForm &form) {
  Channels c = batchOf(args, 0);
  BatchNorm result{.training = form.training == noArgument ? form.trains : args.boolean(form.training, false)};
  double momentum = args.number(form.momentum, 0.1), epsilon = args.number(form.momentum + 1, 1e-5);
  if (args.failed())
    return result;
  Affine affine = affineOf(args, 1, c);
  unsigned none = form.running ? form.running : noArgument;
  unsigned noneAfter = form.running ? form.running + 1 : noArgument;
  Moments now{perSet(args, none, c.sets(), 0), perSet(args, noneAfter, c.sets(), 1)};
  if (args.failed() || !args.check(result.training || args.has(none), "got no running statistics to normalize with"))
    return result;
  Values x = readAll(c.input);
  if (result.training)
    now = momentsOf(c, x);
  Values scale = inverseRoots(now.variance, epsilon);
  result.output = normalized(c, x, now.mean, scale, affine);
  DType dtype = c.input.dtype();
  IntList kept{result.training ? c.channels : 0};
  result.mean = result.training ? tensorOf(now.mean, dtype, kept) : Tensor::zeros(dtype, kept);
  result.scale = result.training ? tensorOf(scale, dtype, kept) : Tensor::zeros(dtype, kept);
  if (args.has(none)) {
    double unbiased = c.setSize() / (c.setSize() - 1);
    result.runningMean =
        result.training ? updated(args.tensor(none), now.mean, momentum, 1) : args.tensor(none).clone();
    result.runningVariance = result.training ? updated(args.tensor(none + 1), now.variance, momentum, unbiased)
                                             : args.tensor(none + 1).clone();
  }
  return result;
}

void storeRunning(KernelArgs &args, const BatchForm &form, const BatchNorm &result) {
  if (args.failed() || !result.training || !result.runningMean || !result.runningVariance)
    return;
  args.tensor(form.running).copyFrom(*result.runningMean);
  args.tensor(form.running + 1).copyFrom(*result.runningVariance);
}

constexpr BatchForm plainForm{};
constexpr BatchForm statelessForm{.running = 0, .training = 3, .momentum = 4};
constexpr BatchForm inferenceForm{.training = noArgument, .momentum = 5};
constexpr BatchForm updatingForm{.training = noArgument, .momentum = 5, .trains = true};

/// (output, save_mean, save_invstd); running statistics are written where training.
template <const BatchForm &form>
Value batchNormInPlace(KernelArgs &args) {
  BatchNorm result = batchNorm(args, form);
  storeRunning(args, form, result);
  return args.failed() ? Value() : Value::tensors({result.output, result.mean, result.scale});
}

/// The output alone.
Value batchNormOutput(KernelArgs &args) {
  if (!args.failed() && args.tensor(0).numElements() == 0)
    return args.tensor(0).clone();
  Value all = batchNormInPlace<plainForm>(args);
  return args.failed() ? all : all.list().front();
}

/// The running statistics after the call are results.
Value batchNormFunctional(KernelArgs &args) {
  BatchNorm r = batchNorm(args, plainForm);
  if (args.failed() || !args.check(r.runningMean && r.runningVariance, "got no running statistics"))
    return {};
  return Value::tensors({r.output, r.mean, r.scale, *r.runningMean, *r.runningVariance});
}

/// The forms with a reserve, which is empty on a CPU.
template <const BatchForm &form>
Value batchNormWithReserve(KernelArgs &args) {
  BatchNorm r = batchNorm(args, form);
  storeRunning(args, form, r);
  return args.failed() ? Value() : Value::tensors({r.output, r.mean, r.scale, Tensor::zeros(DType::U8, {0})});
}
Value batchNormUpdateFunctional(KernelArgs &args) {
  BatchNorm r = batchNorm(args, updatingForm);
  if (args.failed() || !args.check(r.runningMean && r.runningVariance, "got no running statistics"))
    return {};
  return Value::tensors({r.output, r.mean, r.scale, Tensor::zeros(DType::U8, {0}), *r.runningMean, *r.runningVariance});
}

// --- Gradients ----------------------------------------------------------------------------------------
/// The values from which the gradient of a normalization is computed.
struct Backward {
  Channels channels;
  Values mean, scale, weight;
  bool constantStatistics = false; ///< the statistics did not come from the input
  unsigned mask = 0;
};

bool wants(KernelArgs &args, unsigned mask, size_t i) {
  const Value &flags = args.at(mask);
  return !flags.is(Value::Kind::List) || i >= flags.list().size() || !flags.list()[i].is(Value::Kind::Bool) ||
         flags.list()[i].boolean();
}

/// With y = (x - mean) * scale and g = grad * weight, the gradient over each set is scale * (g - mean(g) - y * mean(g *
/// y)).
Value gradientsOf(KernelArgs &args, const Backward &b) {
  const Channels &c = b.channels;
  if (args.failed() || !args.check(args.tensor(0).sizes() == c.input.sizes(),
                                   "got grad_out " + typeOf(args.tensor(0)) + " for " + typeOf(c.input)))
    return {};
  Values grad = readAll(args.tensor(0)), x = readAll(c.input);
  Values meanGrad(c.sets()), meanProduct(c.sets());
  auto channels = static_cast<size_t>(c.channels);
  Values weightGrad(channels), biasGrad(channels);
  for (size_t i = 0; i < x.size(); ++i) {
    size_t set = c.setOf(i), channel = c.channelOf(i);
    x[i] = (x[i] - b.mean[set]) * b.scale[set];
    weightGrad[channel] += grad[i] * x[i];
    biasGrad[channel] += grad[i];
    grad[i] *= b.weight[channel];
    meanGrad[set] += grad[i] / c.setSize();
    meanProduct[set] += grad[i] * x[i] / c.setSize();
  }
  for (size_t i = 0; i < x.size(); ++i) {
    size_t set = c.setOf(i);
    double through = b.constantStatistics ? 0 : meanGrad[set] + x[i] * meanProduct[set];
    grad[i] = b.scale[set] * (grad[i] - through);
  }
  Affine none{Values(channels, 1), Values(channels)};
  Values zero(c.sets()), one(c.sets(), 1);
  DType dtype = c.input.dtype();
  return Value::list({wants(args, b.mask, 0) ? Value(normalized(c, grad, zero, one, none)) : Value(),
                      wants(args, b.mask, 1) ? Value(tensorOf(weightGrad, dtype, {c.channels})) : Value(),
                      wants(args, b.mask, 2) ? Value(tensorOf(biasGrad, dtype, {c.channels})) : Value()});
}

/// (grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, train, eps, output_mask)
Value batchNormBackward(KernelArgs &args) {
  Backward b{.channels = batchOf(args, 1), .constantStatistics = !args.boolean(7, false), .mask = 9};
  if (args.failed())
    return {};
  size_t sets = b.channels.sets();
  b.weight = perSet(args, 2, sets, 1);
  b.mean = perSet(args, b.constantStatistics ? 3 : 5, sets, 0);
  b.scale = b.constantStatistics ? inverseRoots(perSet(args, 4, sets, 1), args.number(8)) : perSet(args, 6, sets, 1);
  return gradientsOf(args, b);
}

// --- Group norm ---------------------------------------------------------------------------------------
/// (input, weight, bias, groups, eps) at these places -> (output, mean, rstd)
Value groupNorms(KernelArgs &args, unsigned affineAt, unsigned groupsAt, unsigned epsilonAt) {
  Channels c = groupsOf(args, 0, args.integer(groupsAt));
  double epsilon = args.number(epsilonAt, 1e-5);
  if (args.failed())
    return {};
  Affine affine = affineOf(args, affineAt, c);
  if (args.failed())
    return {};
  Values x = readAll(c.input);
  Moments m = momentsOf(c, x);
  Values scale = inverseRoots(m.variance, epsilon);
  IntList sizes{c.samples, c.groups};
  DType dtype = c.input.dtype();
  return Value::tensors(
      {normalized(c, x, m.mean, scale, affine), tensorOf(m.mean, dtype, sizes), tensorOf(scale, dtype, sizes)});
}
Value nativeGroupNorm(KernelArgs &args) { return groupNorms(args, 1, 6, 7); }
Value groupNorm(KernelArgs &args) {
  Value all = groupNorms(args, 2, 1, 4);
  return args.failed() ? all : all.list().front();
}

/// (grad_out, input, mean, rstd, weight, N, C, HxW, group, output_mask)
Value groupNormBackward(KernelArgs &args) {
  Backward b{.channels = groupsOf(args, 1, args.integer(8)), .mask = 9};
  if (args.failed())
    return {};
  b.mean = perSet(args, 2, b.channels.sets(), 0);
  b.scale = perSet(args, 3, b.channels.sets(), 1);
  b.weight = perSet(args, 4, static_cast<size_t>(b.channels.channels), 1);
  return gradientsOf(args, b);
}

constexpr llvm::StringLiteral batchNames = "input,weight,bias,running_mean,running_var,training,momentum,eps";
constexpr llvm::StringLiteral reserveNames = "input,weight,bias,running_mean,running_var,momentum,eps";
constexpr llvm::StringLiteral batchGradNames =
    "grad_out,input,weight,running_mean,running_var,save_mean,save_invstd,train,eps,output_mask";

const Kernel channelNormTable[] = {
    {"aten._batch_norm_no_update.default", reserveNames, batchNormWithReserve<inferenceForm>},
    {"aten._batch_norm_with_update.default", reserveNames, batchNormWithReserve<updatingForm>},
    {"aten._batch_norm_with_update_functional.default", reserveNames, batchNormUpdateFunctional},
    {"aten._native_batch_norm_legit.default", batchNames, batchNormInPlace<plainForm>},
    {"aten._native_batch_norm_legit.no_stats", "input,weight,bias,training,momentum,eps",
     batchNormInPlace<statelessForm>},
    {"aten._native_batch_norm_legit_functional.default", batchNames, batchNormFunctional},
    {"aten._native_batch_norm_legit_no_training.default", reserveNames, batchNormInPlace<inferenceForm>},
    {"aten.batch_norm.default", "input,weight,bias,running_mean,running_var,training,momentum,eps,cudnn_enabled",
     batchNormOutput},
    {"aten.batch_norm_backward.default",
     "grad_out,input,weight,running_mean,running_var,save_mean,save_var,update,eps,output_mask,reserve",
     batchNormBackward},
    {"aten.group_norm.default", "input,num_groups,weight,bias,eps,cudnn_enabled", groupNorm},
    {"aten.native_batch_norm.default", batchNames, batchNormInPlace<plainForm>},
    {"aten.native_batch_norm_backward.default", batchGradNames, batchNormBackward},
    {"aten.native_group_norm.default", "input,weight,bias,N,C,HxW,group,eps", nativeGroupNorm},
    {"aten.native_group_norm_backward.default", "grad_out,input,mean,rstd,weight,N,C,HxW,group,output_mask",
     groupNormBackward},
};

} // namespace

llvm::ArrayRef<Kernel> channelNormKernels() { return channelNormTable; }

} // namespace ccgraph::runtime

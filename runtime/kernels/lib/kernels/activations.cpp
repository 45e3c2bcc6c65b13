#include "kernels/families.h"
#include "kernels/pointwise.h"

#include <array>
#include <cmath>

namespace ccgraph::runtime {
namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double clip(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

/// x tanh(softplus(x)), and its derivative.
double mish(double x) { return x * std::tanh(std::log1p(std::exp(x))); }
double mishSlope(double x) {
  double t = std::tanh(std::log1p(std::exp(x)));
  return t + x * logistic(x) * (1 - t * t);
}
double logit(double x) { return std::log(x / (1 - x)); }
/// Of buffer = exp(-|x|), which the forward operator kept.
double logSigmoidSlope(double x, double buffer) {
  double part = buffer / (1 + buffer);
  return x < 0 ? 1 - part : part;
}

// Operands are the tensors, in the schema's order, then its numbers: x[i] below is one element of each.
#define CCGRAPH_ACTIVATION(NAME, TENSORS, EXPRESSION)                                                                  \
  constexpr PointwiseOp NAME{.real = [](const double *x) -> double { return (EXPRESSION); }, .promoting = (TENSORS)};
CCGRAPH_ACTIVATION(leakyReluOp, 1, x[0] > 0 ? x[0] : x[0] * x[1])
CCGRAPH_ACTIVATION(leakyReluGradOp, 2, x[1] > 0 ? x[0] : x[0] * x[2])
CCGRAPH_ACTIVATION(eluOp, 1, x[0] <= 0 ? std::expm1(x[0] * x[3]) * x[1] * x[2] : x[0] * x[2])
CCGRAPH_ACTIVATION(celuOp, 1, x[0] <= 0 ? std::expm1(x[0] / x[1]) * x[1] : x[0])
CCGRAPH_ACTIVATION(eluGradOp, 2, x[1] <= 0 ? x[0] * x[4] * x[2] * x[3] * std::exp(x[1] * x[4]) : x[0] * x[3])
CCGRAPH_ACTIVATION(eluGradOfResultOp, 2, x[1] <= 0 ? x[0] * x[4] * (x[1] + x[2] * x[3]) : x[0] * x[3])
CCGRAPH_ACTIVATION(hardtanhGradOp, 2, x[1] <= x[2] || x[1] >= x[3] ? 0 : x[0])
CCGRAPH_ACTIVATION(hardsigmoidOp, 1, clip(x[0] + 3, 0, 6) / 6)
CCGRAPH_ACTIVATION(hardsigmoidGradOp, 2, x[1] > -3 && x[1] < 3 ? x[0] / 6 : 0)
CCGRAPH_ACTIVATION(hardswishOp, 1, x[0] * clip(x[0] + 3, 0, 6) / 6)
CCGRAPH_ACTIVATION(hardswishGradOp, 2, x[1] < -3 ? 0 : x[1] <= 3 ? x[0] * (x[1] / 3 + 0.5) : x[0])
CCGRAPH_ACTIVATION(mishOp, 1, mish(x[0]))
CCGRAPH_ACTIVATION(mishGradOp, 2, x[0] * mishSlope(x[1]))
CCGRAPH_ACTIVATION(softshrinkOp, 1, x[0] > x[1] ? x[0] - x[1] : x[0] < -x[1] ? x[0] + x[1] : x[0] * 0)
CCGRAPH_ACTIVATION(hardshrinkOp, 1, x[0] >= -x[1] && x[0] <= x[1] ? 0 : x[0])
CCGRAPH_ACTIVATION(shrinkGradOp, 2, x[1] >= -x[2] && x[1] <= x[2] ? 0 : x[0])
CCGRAPH_ACTIVATION(softplusGradOp, 2, x[1] * x[2] > x[3] ? x[0] : x[0] * logistic(x[1] * x[2]))
CCGRAPH_ACTIVATION(logSigmoidGradOp, 3, x[0] * logSigmoidSlope(x[1], x[2]))
CCGRAPH_ACTIVATION(gluOp, 2, x[0] * logistic(x[1]))
CCGRAPH_ACTIVATION(gluGateGradOp, 3, x[0] * x[1] * logistic(x[2]) * (1 - logistic(x[2])))
CCGRAPH_ACTIVATION(preluOp, 2, x[0] > 0 ? x[0] : x[0] * x[1])
CCGRAPH_ACTIVATION(preluSelfGradOp, 3, x[1] > 0 ? x[0] : x[0] * x[2])
CCGRAPH_ACTIVATION(preluWeightGradOp, 3, x[1] > 0 ? 0 : x[0] * x[1])
CCGRAPH_ACTIVATION(logitGradOp, 2, x[1]<0 || x[1]> 1 ? NAN : x[0] / (x[1] * (1 - x[1])))
CCGRAPH_ACTIVATION(clippedLogitGradOp, 2, x[1]<x[2] || x[1]> 1 - x[2] ? 0 : x[0] / (x[1] * (1 - x[1])))
#undef CCGRAPH_ACTIVATION
// Those whose result is a float whatever they are given.
constexpr PointwiseOp logitOp{.real = [](const double *x) { return logit(x[0]); }, .result = ResultType::Floating};
constexpr PointwiseOp clippedLogitOp{.real = [](const double *x) { return logit(clip(x[0], x[1], 1 - x[1])); },
                                     .result = ResultType::Floating,
                                     .promoting = 1};
// Those that take integers too.
constexpr PointwiseOp hardtanhOp{.real = [](const double *x) { return clip(x[0], x[1], x[2]); },
                                 .integer = [](const int64_t *x) { return std::min(std::max(x[0], x[1]), x[2]); },
                                 .promoting = 1};
constexpr PointwiseOp thresholdOp{.real = [](const double *x) { return x[0] <= x[1] ? x[2] : x[0]; },
                                  .integer = [](const int64_t *x) { return x[0] <= x[1] ? x[2] : x[0]; },
                                  .promoting = 1};

/// The numbers that follow the tensors where the call leaves them out.
using Defaults = std::array<double, 3>;
constexpr Defaults eluDefaults{1, 1, 1};
constexpr Defaults seluNumbers{1.6732632423543772848, 1.0507009873554804934, 1};
constexpr Defaults leakyDefaults{0.01};
constexpr Defaults hardtanhDefaults{-1, 1};
constexpr Defaults relu6Numbers{0, 6};
constexpr Defaults shrinkDefaults{0.5};
constexpr Defaults noDefaults{};

/// `tensors` operands, then `numbers` numbers from the arguments after them.
template <const PointwiseOp &op, unsigned tensors, unsigned numbers = 0, const Defaults &defaults = noDefaults>
Value activation(KernelArgs &args) {
  Operands operands = operandsOf(args, tensors);
  for (unsigned i = 0; i < numbers; ++i)
    operands.push_back(args.has(tensors + i) ? args.operand(tensors + i) : numberOperand(defaults[i]));
  return pointwise(args, operands, op);
}

/// (grad_output, alpha, scale, input_scale, is_result, self_or_result)
Value eluBackward(KernelArgs &args) {
  Operands operands{args.operand(0), args.operand(5), args.operand(1), args.operand(2), args.operand(3)};
  return pointwise(args, operands, args.boolean(4, false) ? eluGradOfResultOp : eluGradOp);
}

/// (self, eps) and (grad_output, self, eps): without eps nothing is clipped.
Value computeLogit(KernelArgs &args) {
  return args.has(1) ? activation<clippedLogitOp, 1, 1>(args) : activation<logitOp, 1>(args);
}
Value logitBackward(KernelArgs &args) {
  return args.has(2) ? activation<clippedLogitGradOp, 2, 1>(args) : activation<logitGradOp, 2>(args);
}

/// The two halves of a tensor along a dimension.
struct Halves {
  Tensor value;
  Tensor gate;
};

Halves halvesOf(KernelArgs &args, const Tensor &self, int64_t dim) {
  if (args.failed() || !args.check(self.rank() > 0 && self.size(dim) % 2 == 0,
                                   "got " + typeOf(self) + ", expected an even size of dimension " + llvm::Twine(dim)))
    return {};
  int64_t half = self.size(dim) / 2;
  return {self.slice(dim, 0, half), self.slice(dim, half, 2 * half)};
}

/// Gated linear unit: Y. Dauphin et al., "Language modeling with gated convolutional networks" (2017).
Value glu(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  Halves halves = halvesOf(args, self, args.dim(1, self.rank(), -1));
  return args.failed() ? Value() : Value(pointwise(args, {Operand{halves.value}, Operand{halves.gate}}, gluOp));
}

Value gluBackward(KernelArgs &args) {
  const Tensor &grad = args.tensor(0), &self = args.tensor(1);
  int64_t dim = args.dim(2, self.rank());
  Halves in = halvesOf(args, self, dim);
  Tensor result = Tensor::zeros(self.dtype(), self.sizes());
  Halves out = halvesOf(args, result, dim);
  if (args.failed())
    return {};
  pointwiseInto(args, out.value, {Operand{grad}, Operand{in.gate}}, gluOp);
  pointwiseInto(args, out.gate, {Operand{grad}, Operand{in.value}, Operand{in.gate}}, gluGateGradOp);
  return result;
}

Value preluBackward(KernelArgs &args) {
  Operands operands = operandsOf(args, 3);
  Tensor selfGrad = pointwise(args, operands, preluSelfGradOp);
  return Value::tensors({selfGrad, pointwise(args, operands, preluWeightGradOp)});
}

/// One weight, or one a channel, which is dimension 1.
Value prelu(KernelArgs &args) {
  const Tensor &self = args.tensor(0), &weight = args.tensor(1);
  bool perChannel = weight.numElements() > 1;
  if (args.failed() || !args.check(!perChannel || (self.rank() >= 2 && self.size(1) == weight.numElements()),
                                   "got " + typeOf(weight) + " for " + typeOf(self)))
    return {};
  Dims sizes(static_cast<size_t>(self.rank()), 1);
  if (perChannel)
    sizes[1] = weight.numElements();
  return pointwise(args, {Operand{self}, Operand{args.take(weight.contiguous().view(sizes))}}, preluOp);
}

const Kernel activationTable[] = {
    {"aten._prelu_kernel.default", "self,weight", activation<preluOp, 2>},
    {"aten._prelu_kernel_backward.default", "grad_output,self,weight", preluBackward},
    {"aten.celu.default", "self,alpha", activation<celuOp, 1, 1, eluDefaults>},
    {"aten.elu.default", "self,alpha,scale,input_scale", activation<eluOp, 1, 3, eluDefaults>},
    {"aten.elu_backward.default", "grad_output,alpha,scale,input_scale,is_result,self_or_result", eluBackward},
    {"aten.glu.default", "self,dim", glu},
    {"aten.glu_backward.default", "grad_output,self,dim", gluBackward},
    {"aten.hardshrink.default", "self,lambd", activation<hardshrinkOp, 1, 1, shrinkDefaults>},
    {"aten.hardshrink_backward.default", "grad_out,self,lambd", activation<shrinkGradOp, 2, 1>},
    {"aten.hardsigmoid.default", "self", activation<hardsigmoidOp, 1>},
    {"aten.hardsigmoid_backward.default", "grad_output,self", activation<hardsigmoidGradOp, 2>},
    {"aten.hardswish.default", "self", activation<hardswishOp, 1>},
    {"aten.hardswish_backward.default", "grad_output,self", activation<hardswishGradOp, 2>},
    {"aten.hardtanh.default", "self,min_val,max_val", activation<hardtanhOp, 1, 2, hardtanhDefaults>},
    {"aten.hardtanh_backward.default", "grad_output,self,min_val,max_val", activation<hardtanhGradOp, 2, 2>},
    {"aten.leaky_relu.default", "self,negative_slope", activation<leakyReluOp, 1, 1, leakyDefaults>},
    {"aten.leaky_relu_backward.default", "grad_output,self,negative_slope,self_is_result",
     activation<leakyReluGradOp, 2, 1>},
    {"aten.log_sigmoid_backward.default", "grad_output,self,buffer", activation<logSigmoidGradOp, 3>},
    {"aten.logit.default", "self,eps", computeLogit},
    {"aten.logit_backward.default", "grad_output,self,eps", logitBackward},
    {"aten.mish.default", "self", activation<mishOp, 1>},
    {"aten.mish_backward.default", "grad_output,self", activation<mishGradOp, 2>},
    {"aten.prelu.default", "self,weight", prelu},
    {"aten.relu6.default", "self", activation<hardtanhOp, 1, 2, relu6Numbers>},
    {"aten.selu.default", "self", activation<eluOp, 1, 3, seluNumbers>},
    {"aten.softplus_backward.default", "grad_output,self,beta,threshold", activation<softplusGradOp, 2, 2>},
    {"aten.softshrink.default", "self,lambd", activation<softshrinkOp, 1, 1, shrinkDefaults>},
    {"aten.softshrink_backward.default", "grad_output,self,lambd", activation<shrinkGradOp, 2, 1>},
    {"aten.threshold.default", "self,threshold,value", activation<thresholdOp, 1, 2>},
};

} // namespace

llvm::ArrayRef<Kernel> activationKernels() { return activationTable; }

} // namespace ccgraph::runtime

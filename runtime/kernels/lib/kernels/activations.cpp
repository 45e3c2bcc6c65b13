#include "kernels/families.h"
#include "kernels/pointwise.h"

#include <array>
#include <cmath>

namespace ccgraph::runtime {
namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
/// x tanh(softplus(x)), and its derivative.
double mish(double x) { return x * std::tanh(std::log1p(std::exp(x))); }
double mishSlope(double x) {
  double t = std::tanh(std::log1p(std::exp(x)));
  return t + x * logistic(x) * (1 - t * t);
}
/// NaN stays.
double between(double x, double low, double high) { return x < low ? low : x > high ? high : x; }
// Operands are the tensors, in the schema's order, then its numbers: x[i] below is one element of each.
#define CCGRAPH_ACTIVATION(NAME, TENSORS, EXPRESSION)                                                                  \
  constexpr PointwiseOp NAME{.real = [](const double *x) -> double { return (EXPRESSION); }, .promoting = (TENSORS)};
CCGRAPH_ACTIVATION(leakyReluOp, 1, x[0] > 0 ? x[0] : x[0] * x[1])
CCGRAPH_ACTIVATION(leakyReluGradOp, 2, x[1] > 0 ? x[0] : x[0] * x[2])
CCGRAPH_ACTIVATION(eluOp, 1, x[0] <= 0 ? std::expm1(x[0] * x[3]) * x[1] * x[2] : x[0] * x[2])
CCGRAPH_ACTIVATION(eluGradOp, 2, x[1] <= 0 ? x[0] * x[4] * x[2] * x[3] * std::exp(x[1] * x[4]) : x[0] * x[3])
CCGRAPH_ACTIVATION(eluGradOfResultOp, 2, x[1] <= 0 ? x[0] * x[4] * (x[1] + x[2] * x[3]) : x[0] * x[3])
CCGRAPH_ACTIVATION(mishOp, 1, mish(x[0]))
CCGRAPH_ACTIVATION(mishGradOp, 2, x[0] * mishSlope(x[1]))
CCGRAPH_ACTIVATION(softplusGradOp, 2, x[1] * x[2] > x[3] ? x[0] : x[0] * logistic(x[1] * x[2]))
// hardsigmoid, hardswish: A. Howard et al., "Searching for MobileNetV3" (2019). The sum is clamped so that NaN stays.
CCGRAPH_ACTIVATION(hardsigmoidOp, 1, between(x[0] + 3, 0, 6) / 6)
CCGRAPH_ACTIVATION(hardsigmoidGradOp, 2, x[1] > -3 && x[1] < 3 ? x[0] / 6 : 0)
CCGRAPH_ACTIVATION(hardswishOp, 1, x[0] * between(x[0] + 3, 0, 6) / 6)
CCGRAPH_ACTIVATION(hardswishGradOp, 2, x[1] <= -3 ? 0 : x[1] < 3 ? x[0] * (x[1] / 3 + 0.5) : x[0])
CCGRAPH_ACTIVATION(hardtanhGradOp, 2, x[1] <= x[2] || x[1] >= x[3] ? 0 : x[0])
CCGRAPH_ACTIVATION(hardshrinkOp, 1, x[0] >= -x[1] && x[0] <= x[1] ? 0 : x[0])
CCGRAPH_ACTIVATION(softshrinkOp, 1, x[0] > x[1] ? x[0] - x[1] : x[0] < -x[1] ? x[0] + x[1] : x[0] * 0)
CCGRAPH_ACTIVATION(shrinkGradOp, 2, x[1] >= -x[2] && x[1] <= x[2] ? 0 : x[0])
CCGRAPH_ACTIVATION(celuOp, 1, x[0] <= 0 ? std::expm1(x[0] / x[1]) * x[1] : x[0])
/// x[2]: the buffer of the forward pass, exp(-|x|).
CCGRAPH_ACTIVATION(logSigmoidGradOp, 3, x[0] * (x[1] < 0 ? 1 - x[2] / (1 + x[2]) : x[2] / (1 + x[2])))
CCGRAPH_ACTIVATION(preluOp, 2, x[0] > 0 ? x[0] : x[1] * x[0])
CCGRAPH_ACTIVATION(preluGradOp, 3, x[1] > 0 ? x[0] : x[2] * x[0])
CCGRAPH_ACTIVATION(preluWeightGradOp, 3, x[1] > 0 ? 0 : x[1] * x[0])
CCGRAPH_ACTIVATION(gluOp, 2, x[0] * logistic(x[1]))
/// The gradient of the gate: x[0] upstream, x[1] value, x[2] gate.
CCGRAPH_ACTIVATION(gluGateGradOp, 3, x[0] * x[1] * logistic(x[2]) * (1 - logistic(x[2])))
#undef CCGRAPH_ACTIVATION
constexpr PointwiseOp hardtanhOp{.real = [](const double *x) { return between(x[0], x[1], x[2]); },
                                 .integer = [](const int64_t *x) { return std::min(std::max(x[0], x[1]), x[2]); },
                                 .promoting = 1};
constexpr PointwiseOp thresholdOp{.real = [](const double *x) { return x[0] <= x[1] ? x[2] : x[0]; },
                                  .integer = [](const int64_t *x) { return x[0] <= x[1] ? x[2] : x[0]; },
                                  .promoting = 1};
/// The numbers that follow the tensors where the call leaves them out.
using Defaults = std::array<double, 3>;
constexpr Defaults eluDefaults{1, 1, 1};
constexpr Defaults leakyDefaults{0.01};
constexpr Defaults hardtanhDefaults{-1, 1};
constexpr Defaults shrinkDefaults{0.5};
constexpr Defaults celuDefaults{1};
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

/// (grad_output, self, weight) -> (gradient of self, gradient of weight), both of the broadcast sizes.
Value preluBackward(KernelArgs &args) {
  Operands operands = operandsOf(args, 3);
  return Value::tensors({pointwise(args, operands, preluGradOp), pointwise(args, operands, preluWeightGradOp)});
}

// --- glu: the first half of a dimension, gated by the second (Y. Dauphin et al., 2017) --------------------
struct Halves {
  Tensor value;
  Tensor gate;
};

Halves halvesOf(KernelArgs &args, const Tensor &self, int64_t dim) {
  bool fits = self.rank() > 0 && self.size(dim) % 2 == 0;
  if (args.failed() ||
      !args.check(fits, "got " + typeOf(self) + ", expected an even size on dimension " + llvm::Twine(dim)))
    return {};
  int64_t half = self.size(dim) / 2;
  return {self.slice(dim, 0, half), self.slice(dim, half, 2 * half)};
}

/// (self, dim)
Value glu(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  Halves halves = halvesOf(args, self, args.dim(1, self.rank(), -1));
  return args.failed() ? Value() : Value(pointwise(args, {{halves.value}, {halves.gate}}, gluOp));
}

/// (grad_output, self, dim)
Value gluBackward(KernelArgs &args) {
  const Tensor &grad = args.tensor(0), &self = args.tensor(1);
  int64_t dim = args.dim(2, self.rank());
  Halves halves = halvesOf(args, self, dim);
  if (args.failed() || !args.check(grad.sizes() == halves.value.sizes(),
                                   "got grad_output " + typeOf(grad) + " for " + typeOf(halves.value)))
    return {};
  Tensor result = Tensor::zeros(self.dtype(), self.sizes());
  Halves gradients = halvesOf(args, result, dim);
  pointwiseInto(args, gradients.value, {{grad}, {halves.gate}}, gluOp);
  pointwiseInto(args, gradients.gate, {{grad}, {halves.value}, {halves.gate}}, gluGateGradOp);
  return result;
}

const Kernel activationTable[] = {
    {"aten._prelu_kernel.default", "self,weight", pointwiseKernel<preluOp, 2>},
    {"aten._prelu_kernel_backward.default", "grad_output,self,weight", preluBackward},
    {"aten.celu.default", "self,alpha", activation<celuOp, 1, 1, celuDefaults>},
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
    {"aten.mish.default", "self", activation<mishOp, 1>},
    {"aten.mish_backward.default", "grad_output,self", activation<mishGradOp, 2>},
    {"aten.softplus_backward.default", "grad_output,self,beta,threshold", activation<softplusGradOp, 2, 2>},
    {"aten.softshrink.default", "self,lambd", activation<softshrinkOp, 1, 1, shrinkDefaults>},
    {"aten.softshrink_backward.default", "grad_output,self,lambd", activation<shrinkGradOp, 2, 1>},
    {"aten.threshold.default", "self,threshold,value", activation<thresholdOp, 1, 2>},
};

} // namespace

llvm::ArrayRef<Kernel> activationKernels() { return activationTable; }

} // namespace ccgraph::runtime

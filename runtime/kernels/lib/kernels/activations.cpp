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
#undef CCGRAPH_ACTIVATION
/// The numbers that follow the tensors where the call leaves them out.
using Defaults = std::array<double, 3>;
constexpr Defaults eluDefaults{1, 1, 1};
constexpr Defaults leakyDefaults{0.01};
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

const Kernel activationTable[] = {
    {"aten.elu.default", "self,alpha,scale,input_scale", activation<eluOp, 1, 3, eluDefaults>},
    {"aten.elu_backward.default", "grad_output,alpha,scale,input_scale,is_result,self_or_result", eluBackward},
    {"aten.leaky_relu.default", "self,negative_slope", activation<leakyReluOp, 1, 1, leakyDefaults>},
    {"aten.leaky_relu_backward.default", "grad_output,self,negative_slope,self_is_result",
     activation<leakyReluGradOp, 2, 1>},
    {"aten.mish.default", "self", activation<mishOp, 1>},
    {"aten.mish_backward.default", "grad_output,self", activation<mishGradOp, 2>},
    {"aten.softplus_backward.default", "grad_output,self,beta,threshold", activation<softplusGradOp, 2, 2>},
};

} // namespace

llvm::ArrayRef<Kernel> activationKernels() { return activationTable; }

} // namespace ccgraph::runtime

#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/lines.h"
#include "kernels/loss_reduction.h"
#include "kernels/pointwise.h"

#include <cmath>

namespace ccgraph::runtime {
namespace {

double clip(double x, double limit) { return x < -limit ? -limit : x > limit ? limit : x; }
double sign(double x) { return (x > 0) - (x < 0); }
double smoothL1(double z, double beta) { return z < beta ? 0.5 * z * z / beta : z - 0.5 * beta; }
/// Of the difference z = self - target.
double smoothL1Slope(double z, double beta) { return beta > 0 ? clip(z, beta) / beta : sign(z); }

/// log(sigmoid(x)) without overflow.
double logSigmoid(double x) { return std::min(x, 0.0) - std::log1p(std::exp(-std::fabs(x))); }
/// The logarithm of a probability, at least -100, so that a certain error stays finite.
double boundedLog(double log) { return std::max(log, -100.0); }
double huber(double z, double delta) { return z <= delta ? 0.5 * z * z : delta * (z - 0.5 * delta); }

// Losses: x[0] self, x[1] target, x[2] a number of the operator.
#define CCGRAPH_LOSS(NAME, EXPRESSION)                                                                                 \
  constexpr PointwiseOp NAME{.real = [](const double *x) -> double { return EXPRESSION; }, .promoting = 2};
CCGRAPH_LOSS(smoothL1Op, smoothL1(std::fabs(x[0] - x[1]), x[2]))
CCGRAPH_LOSS(huberOp, huber(std::fabs(x[0] - x[1]), x[2]))
CCGRAPH_LOSS(softMarginOp, std::log1p(std::exp(-x[1] * x[0])))
CCGRAPH_LOSS(crossEntropyOp, (x[1] - 1) * boundedLog(std::log1p(-x[0])) - x[1] * boundedLog(std::log(x[0])))
#undef CCGRAPH_LOSS
// Their gradients: x[0] upstream, x[1] self, x[2] target, x[3] the number, x[4] 1/n for a mean.
#define CCGRAPH_SLOPE(NAME, EXPRESSION)                                                                                \
  constexpr PointwiseOp NAME{.real = [](const double *x) -> double { return x[4] * x[0] * (EXPRESSION); },             \
                             .promoting = 3};
CCGRAPH_SLOPE(smoothL1GradOp, smoothL1Slope(x[1] - x[2], x[3]))
CCGRAPH_SLOPE(huberGradOp, clip(x[1] - x[2], x[3]))
CCGRAPH_SLOPE(softMarginGradOp, -x[2] * std::exp(-x[2] * x[1]) / (1 + std::exp(-x[2] * x[1])))
CCGRAPH_SLOPE(crossEntropyGradOp, (x[1] - x[2]) / std::max((1 - x[1]) * x[1], 1e-12))
#undef CCGRAPH_SLOPE
/// x[0] self, x[1] target.
constexpr PointwiseOp logitsOp{.real = [](const double *x) { return (1 - x[1]) * x[0] - logSigmoid(x[0]); }};
/// x[0] self, x[1] target, x[2] the weight of positive ones.
constexpr PointwiseOp weightedLogitsOp{
    .real = [](const double *x) { return (1 - x[1]) * x[0] - ((x[2] - 1) * x[1] + 1) * logSigmoid(x[0]); }};

/// (self, target, reduction), and a number as argument `number` of the schema.
Value lossOf(KernelArgs &args, const PointwiseOp &op, unsigned number) {
  Operands operands = operandsOf(args, 2);
  operands.push_back(numberOperand(args.number(number, 1)));
  LossReduction reduction = lossReduction(args, 2);
  return reduced(args, pointwise(args, operands, op), reduction);
}
template <const PointwiseOp &op, unsigned number = noArgument>
Value loss(KernelArgs &args) {
  return lossOf(args, op, number);
}

/// (grad_output, self, target), the argument `reductionAt`, and a number.
Tensor gradientOf(KernelArgs &args, const PointwiseOp &op, unsigned reductionAt, unsigned number) {
  Operands operands = operandsOf(args, 3);
  LossReduction reduction = lossReduction(args, reductionAt);
  if (args.failed())
    return {};
  auto count = static_cast<double>(operands[1].tensor.numElements());
  operands.push_back(numberOperand(args.number(number, 1)));
  operands.push_back(numberOperand(reduction == LossReduction::Mean ? 1 / count : 1));
  return pointwise(args, operands, op);
}
/// The result is contiguous.
template <const PointwiseOp &op, unsigned number = noArgument>
Value lossBackward(KernelArgs &args) {
  Tensor result = gradientOf(args, op, 3, number);
  return args.failed() ? Value() : Value(result.contiguous());
}

// --- Cross entropy of two classes -----------------------------------------------------------------------
/// The elements times the weights of argument `index`, if there are any.
Tensor weighted(KernelArgs &args, const Tensor &elements, unsigned index) {
  return args.has(index) && !args.failed() ? callForTensor(args, "aten.mul.Tensor", {elements, args.at(index)})
                                           : elements;
}

/// (self, target, weight, reduction): self holds probabilities.
Value crossEntropy(KernelArgs &args) {
  Operands operands = operandsOf(args, 2);
  LossReduction reduction = lossReduction(args, 3);
  if (args.failed() || !args.check(isFloat(operands[0].tensor.dtype()) && computable(operands[0].tensor.dtype()),
                                   "got " + typeOf(operands[0].tensor) + ", expected floats"))
    return {};
  for (double x : readAll(operands[0].tensor))
    if (!args.check(x >= 0 && x <= 1, llvm::formatv("got {0:f6}, expected probabilities, from 0 to 1", x)))
      return {};
  return reduced(args, weighted(args, pointwise(args, operands, crossEntropyOp), 2), reduction);
}
/// (grad_output, self, target, weight, reduction)
Value crossEntropyBackward(KernelArgs &args) {
  return weighted(args, gradientOf(args, crossEntropyGradOp, 4, noArgument), 3);
}
/// (self, target, weight, pos_weight, reduction): self holds logarithms of odds.
Value crossEntropyOfLogits(KernelArgs &args) {
  Operands operands = operandsOf(args, 2);
  if (args.has(3))
    operands.push_back(args.operand(3));
  LossReduction reduction = lossReduction(args, 4);
  Tensor losses = pointwise(args, operands, args.has(3) ? weightedLogitsOp : logitsOp);
  return reduced(args, weighted(args, losses, 2), reduction);
}

constexpr llvm::StringLiteral gradNames = "grad_output,self,target,reduction";

const Kernel elementLossTable[] = {
    {"aten.binary_cross_entropy.default", "self,target,weight,reduction", crossEntropy},
    {"aten.binary_cross_entropy_backward.default", "grad_output,self,target,weight,reduction", crossEntropyBackward},
    {"aten.binary_cross_entropy_with_logits.default", "self,target,weight,pos_weight,reduction", crossEntropyOfLogits},
    {"aten.huber_loss.default", "self,target,reduction,delta", loss<huberOp, 3>},
    {"aten.huber_loss_backward.default", "grad_output,self,target,reduction,delta", lossBackward<huberGradOp, 4>},
    {"aten.smooth_l1_loss.default", "self,target,reduction,beta", loss<smoothL1Op, 3>},
    {"aten.smooth_l1_loss_backward.default", "grad_output,self,target,reduction,beta", lossBackward<smoothL1GradOp, 4>},
    {"aten.soft_margin_loss.default", "self,target,reduction", loss<softMarginOp>},
    {"aten.soft_margin_loss_backward.default", gradNames, lossBackward<softMarginGradOp>},
};

} // namespace

llvm::ArrayRef<Kernel> elementLossKernels() { return elementLossTable; }

} // namespace ccgraph::runtime

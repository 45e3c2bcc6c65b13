#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/loss_reduction.h"
#include "kernels/lines.h"
#include "kernels/pointwise.h"

#include <cmath>

namespace ccgraph::runtime {
namespace {

double clip(double x, double limit) { return x < -limit ? -limit : x > limit ? limit : x; }
double sign(double x) { return (x > 0) - (x < 0); }
double smoothL1(double z, double beta) { return z < beta ? 0.5 * z * z / beta : z - 0.5 * beta; }
/// Of the difference z = self - target.
double smoothL1Slope(double z, double beta) { return beta > 0 ? clip(z, beta) / beta : sign(z); }

// x[0] self, x[1] target, x[2] beta.
constexpr PointwiseOp lossOp{.real = [](const double *x) { return smoothL1(std::fabs(x[0] - x[1]), x[2]); },
                             .promoting = 2};
// x[0] gradient, x[1] self, x[2] target, x[3] beta, x[4] 1/n for a mean.
constexpr PointwiseOp gradientOp{.real = [](const double *x) { return x[4] * x[0] * smoothL1Slope(x[1] - x[2], x[3]); },
                                 .promoting = 3};

/// (self, target, reduction, beta)
Value loss(KernelArgs &args) {
  Operands operands = operandsOf(args, 2);
  operands.push_back(numberOperand(args.number(3, 1)));
  LossReduction reduction = lossReduction(args, 2);
  return reduced(args, pointwise(args, operands, lossOp), reduction);
}

/// (grad_output, self, target, reduction, beta). The result is contiguous.
Value lossBackward(KernelArgs &args) {
  Operands operands = operandsOf(args, 3);
  LossReduction reduction = lossReduction(args, 3);
  if (args.failed())
    return {};
  auto count = static_cast<double>(operands[1].tensor.numElements());
  operands.push_back(numberOperand(args.number(4, 1)));
  operands.push_back(numberOperand(reduction == LossReduction::Mean ? 1 / count : 1));
  Tensor result = pointwise(args, operands, gradientOp);
  return args.failed() ? Value() : Value(result.contiguous());
}

const Kernel elementLossTable[] = {
    {"aten.smooth_l1_loss.default", "self,target,reduction,beta", loss},
    {"aten.smooth_l1_loss_backward.default", "grad_output,self,target,reduction,beta", lossBackward},
};

} // namespace

llvm::ArrayRef<Kernel> elementLossKernels() { return elementLossTable; }

} // namespace ccgraph::runtime

#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/lines.h"
#include "kernels/pointwise.h"

#include <cmath>

namespace ccgraph::runtime {
namespace {

/// How the elements of a loss become one, as every schema numbers it.
enum class LossReduction : uint8_t { None, Mean, Sum };

LossReduction lossReduction(KernelArgs &args, unsigned index) {
  int64_t number = args.integer(index, 1);
  args.check(number >= 0 && number <= 2,
             "got reduction " + llvm::Twine(number) + ", expected 0 (none), 1 (mean) or 2 (sum)");
  return static_cast<LossReduction>(number);
}

Value reduced(KernelArgs &args, const Tensor &elements, LossReduction reduction) {
  if (args.failed() || reduction == LossReduction::None)
    return elements;
  return foldedAll(args, elements, reduction == LossReduction::Mean);
}

double crossEntropy(double x, double y) {
  return -(y * std::max(std::log(x), -100.0) + (1 - y) * std::max(std::log1p(-x), -100.0));
}
double smoothL1(double z, double beta) { return z < beta ? 0.5 * z * z / beta : z - 0.5 * beta; }
double huber(double z, double delta) { return z <= delta ? 0.5 * z * z : delta * (z - 0.5 * delta); }
double clip(double x, double limit) { return x < -limit ? -limit : x > limit ? limit : x; }
double sign(double x) { return (x > 0) - (x < 0); }

// x[0] self, x[1] target, then the schema's weights or number.
#define CCGRAPH_LOSS(NAME, TENSORS, EXPRESSION)                                                                        \
  constexpr PointwiseOp NAME{.real = [](const double *x) -> double { return (EXPRESSION); }, .promoting = (TENSORS)};
CCGRAPH_LOSS(l1Op, 2, std::fabs(x[0] - x[1]))
CCGRAPH_LOSS(smoothL1Op, 2, smoothL1(std::fabs(x[0] - x[1]), x[2]))
CCGRAPH_LOSS(huberOp, 2, huber(std::fabs(x[0] - x[1]), x[2]))
CCGRAPH_LOSS(crossEntropyOp, 3, crossEntropy(x[0], x[1]) * x[2])
CCGRAPH_LOSS(divergenceOp, 2, (x[1] == 0 ? 0 : x[1] * std::log(x[1])) - x[1] * x[0])
CCGRAPH_LOSS(logDivergenceOp, 2, std::exp(x[1]) * (x[1] - x[0]))
// x[0] gradient, x[1] self, x[2] target, then the schema's weights or number, x[4] 1/n for a mean.
CCGRAPH_LOSS(smoothL1GradOp, 3, x[4] * x[0] * (x[3] > 0 ? clip(x[1] - x[2], x[3]) / x[3] : sign(x[1] - x[2])))
CCGRAPH_LOSS(huberGradOp, 3, x[4] * x[0] * clip(x[1] - x[2], x[3]))
CCGRAPH_LOSS(softMarginGradOp, 3, -x[4] * x[0] * x[2] / (1 + std::exp(x[1] * x[2])))
CCGRAPH_LOSS(crossEntropyGradOp, 4, x[4] * x[3] * x[0] * (x[1] - x[2]) / std::max((1 - x[1]) * x[1], 1e-12))
#undef CCGRAPH_LOSS

/// (self, target, reduction, number)
template <const PointwiseOp &op, bool takesNumber = false>
Value loss(KernelArgs &args) {
  Operands operands = operandsOf(args, 2);
  if (takesNumber)
    operands.push_back(numberOperand(args.number(3, 1)));
  LossReduction reduction = lossReduction(args, 2);
  return reduced(args, pointwise(args, operands, op), reduction);
}

/// An optional tensor operand that is 1 where left out; as a number it promotes nothing.
Operand weightOperand(KernelArgs &args, unsigned index) {
  return args.has(index) ? args.operand(index) : numberOperand(1);
}

/// (self, target, weight, reduction)
Value binaryCrossEntropy(KernelArgs &args) {
  Operands operands{args.operand(0), args.operand(1), weightOperand(args, 2)};
  LossReduction reduction = lossReduction(args, 3);
  return reduced(args, pointwise(args, operands, crossEntropyOp), reduction);
}

/// (self, target, weight, pos_weight, reduction): ((1 - target) self - (1 + (pos_weight - 1) target) log sigmoid(self))
/// weight, each step rounded, as PyTorch's are.
Value crossEntropyWithLogits(KernelArgs &args) {
  LossReduction reduction = lossReduction(args, 4);
  Value one = Value::integer(1);
  Value logs = callKernel(args, "aten.log_sigmoid_forward.default", {args.tensor(0)});
  if (args.failed())
    return {};
  Tensor log = logs.list().front().tensor();
  if (args.has(3)) {
    Tensor more = callForTensor(args, "aten.sub.Tensor", {args.tensor(3), one});
    Tensor scaled = callForTensor(args, "aten.mul.Tensor", {more, args.tensor(1)});
    log = callForTensor(args, "aten.mul.Tensor", {log, callForTensor(args, "aten.add.Tensor", {scaled, one})});
  }
  Tensor rest = callForTensor(args, "aten.rsub.Scalar", {args.tensor(1), one});
  Tensor loss = callForTensor(args, "aten.mul.Tensor", {rest, args.tensor(0)});
  loss = callForTensor(args, "aten.sub.Tensor", {loss, log});
  if (args.has(2))
    loss = callForTensor(args, "aten.mul.Tensor", {loss, args.tensor(2)});
  return reduced(args, loss, reduction);
}

/// (self, target, reduction): log(1 + exp(-self target)), each step rounded, so that it overflows as PyTorch's does.
Value softMargin(KernelArgs &args) {
  LossReduction reduction = lossReduction(args, 2);
  Tensor product =
      callForTensor(args, "aten.mul.Tensor", {callForTensor(args, "aten.neg.default", {args.at(0)}), args.at(1)});
  Tensor power = callForTensor(args, "aten.exp.default", {product});
  Tensor sum = callForTensor(args, "aten.add.Tensor", {power, Value::integer(1)});
  return reduced(args, callForTensor(args, "aten.log.default", {sum}), reduction);
}

/// (self, target, reduction, log_target)
Value divergence(KernelArgs &args) {
  return args.boolean(3, false) ? loss<logDivergenceOp>(args) : loss<divergenceOp>(args);
}

/// The gradient of `loss`: operands 0 to 2, `extra`, and the factor of a mean.
Value gradient(KernelArgs &args, Operand extra, LossReduction reduction, const PointwiseOp &op) {
  Operands operands = operandsOf(args, 3);
  if (args.failed())
    return {};
  auto count = static_cast<double>(operands[1].tensor.numElements());
  operands.push_back(std::move(extra));
  operands.push_back(numberOperand(reduction == LossReduction::Mean ? 1 / count : 1));
  return pointwise(args, operands, op);
}

/// (grad_output, self, target, reduction, number)
template <const PointwiseOp &op>
Value lossBackward(KernelArgs &args) {
  return gradient(args, numberOperand(args.number(4, 1)), lossReduction(args, 3), op);
}

/// Laid out anew.
template <const PointwiseOp &op>
Value plainBackward(KernelArgs &args) {
  Value result = lossBackward<op>(args);
  return args.failed() ? result : Value(result.tensor().contiguous());
}

/// (grad_output, self, target, weight, reduction)
Value binaryCrossEntropyBackward(KernelArgs &args) {
  return gradient(args, weightOperand(args, 3), lossReduction(args, 4), crossEntropyGradOp);
}

const Kernel elementLossTable[] = {
    {"aten.binary_cross_entropy.default", "self,target,weight,reduction", binaryCrossEntropy},
    {"aten.binary_cross_entropy_backward.default", "grad_output,self,target,weight,reduction",
     binaryCrossEntropyBackward},
    {"aten.binary_cross_entropy_with_logits.default", "self,target,weight,pos_weight,reduction",
     crossEntropyWithLogits},
    {"aten.huber_loss.default", "self,target,reduction,delta", loss<huberOp, true>},
    {"aten.huber_loss_backward.default", "grad_output,self,target,reduction,delta", plainBackward<huberGradOp>},
    {"aten.kl_div.default", "self,target,reduction,log_target", divergence},
    {"aten.l1_loss.default", "self,target,reduction", loss<l1Op>},
    {"aten.smooth_l1_loss.default", "self,target,reduction,beta", loss<smoothL1Op, true>},
    {"aten.smooth_l1_loss_backward.default", "grad_output,self,target,reduction,beta", plainBackward<smoothL1GradOp>},
    {"aten.soft_margin_loss.default", "self,target,reduction", softMargin},
    {"aten.soft_margin_loss_backward.default", "grad_output,self,target,reduction", lossBackward<softMarginGradOp>},
};

} // namespace

llvm::ArrayRef<Kernel> elementLossKernels() { return elementLossTable; }

} // namespace ccgraph::runtime

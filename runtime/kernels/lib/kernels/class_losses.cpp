#include "kernels/calls.h"
#include "kernels/families.h"

namespace ccgraph::runtime {
namespace {

Value integer(int64_t value) { return Value::integer(value); }

/// The argument as given, or a default.
Value given(KernelArgs &args, unsigned index, const Value &otherwise) {
  return args.has(index) ? args.at(index) : otherwise;
}

// --- [N, C, ...] becomes [M, C] --------------------------------------------------------------------------
Tensor classesLast(KernelArgs &args, const Tensor &self) {
  Dims order = allDims(self.rank());
  order.erase(order.begin() + 1);
  order.push_back(1);
  return args.take(self.permute(order).cloneContiguous().view({-1, self.size(1)}));
}
Tensor flat(KernelArgs &args, const Tensor &tensor) { return args.take(tensor.contiguous().view({-1})); }

bool checkPlanes(KernelArgs &args, const Tensor &self, const Tensor &target) {
  Dims expected = toDims(self.sizes());
  if (!expected.empty())
    expected.erase(expected.begin() + (self.rank() > 1));
  return !args.failed() &&
         args.check(self.rank() >= 3 && target.sizes() == DimsRef(expected),
                    "got " + typeOf(self) + " and target " + typeOf(target) + ", expected [N, C, ...] and [N, ...]");
}

/// (self, target, weight, reduction, ignore_index)
Value nllPlanes(KernelArgs &args) {
  const Tensor &self = args.tensor(0), &target = args.tensor(1);
  if (!checkPlanes(args, self, target))
    return {};
  Value both = callKernel(args, "aten.nll_loss_forward.default",
                          {classesLast(args, self), flat(args, target), args.at(2), args.at(3), args.at(4)});
  if (args.failed() || args.integer(3, 1) != 0)
    return both;
  return Value::tensors({args.take(both.list()[0].tensor().view(target.sizes())), both.list()[1].tensor()});
}

/// (grad_output, self, target, weight, reduction, ignore_index, total_weight)
Value nllPlanesBackward(KernelArgs &args) {
  const Tensor &grad = args.tensor(0), &self = args.tensor(1), &target = args.tensor(2);
  if (!checkPlanes(args, self, target))
    return {};
  Value upstream = grad.rank() ? Value(flat(args, grad)) : Value(grad);
  Tensor lines = callForTensor(
      args, "aten.nll_loss_backward.default",
      {upstream, classesLast(args, self), flat(args, target), args.at(3), args.at(4), args.at(5), args.at(6)});
  Dims sizes = toDims(target.sizes()), order = allDims(self.rank());
  sizes.push_back(self.size(1));
  order.pop_back();
  order.insert(order.begin() + 1, self.rank() - 1);
  return args.failed() ? Value() : Value(args.take(lines.view(sizes)).permute(order).cloneContiguous());
}

/// (self, target, weight, reduction, ignore_index), classes in dimension 1, or 0 of a lone sample.
Value nll(KernelArgs &args) {
  bool planes = args.tensor(0).rank() > 2;
  Value both =
      callKernel(args, planes ? "aten.nll_loss2d_forward.default" : "aten.nll_loss_forward.default",
                 {args.at(0), args.at(1), args.at(2), given(args, 3, integer(1)), given(args, 4, integer(-100))});
  return args.failed() ? both : both.list().front();
}

// --- Cross entropy: (self, target, weight, reduction, ignore_index, label_smoothing) ----------------------
/// The dimension of classes: 1, or 0 of a lone sample.
int64_t classDim(const Tensor &self) { return self.rank() > 1 ? 1 : 0; }

Tensor logProbabilities(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  return callForTensor(args, "aten.log_softmax.int", {self, integer(classDim(self))});
}

/// The weight of each class along the dimension of classes.
Tensor weightOf(KernelArgs &args, const Tensor &self) {
  Dims sizes(self.sizes().size(), 1);
  if (!sizes.empty())
    sizes[static_cast<size_t>(classDim(self))] = args.tensor(2).numElements();
  return args.take(args.tensor(2).contiguous().view(sizes));
}

/// -sum(weight * elements) over the classes; without a weight -sum(elements).
Tensor negatedClassSum(KernelArgs &args, Tensor elements) {
  if (args.has(2))
    elements = callForTensor(args, "aten.mul.Tensor", {elements, weightOf(args, elements)});
  Value dims = listOf({classDim(elements)});
  return callForTensor(args, "aten.neg.default", {callForTensor(args, "aten.sum.dim_IntList", {elements, dims})});
}

Tensor sumOf(KernelArgs &args, const Tensor &tensor) { return callForTensor(args, "aten.sum.default", {tensor}); }

/// -sum(p log q), p the probabilities that `target` holds.
Value ofProbabilities(KernelArgs &args, double smoothing, int64_t reduction) {
  Tensor logs = logProbabilities(args), target = args.tensor(1);
  if (args.failed())
    return {};
  int64_t classes = logs.size(classDim(logs));
  if (smoothing > 0) {
    Tensor kept = callForTensor(args, "aten.mul.Scalar", {target, Value::floating(1 - smoothing)});
    target = callForTensor(args, "aten.add.Scalar", {kept, Value::floating(smoothing / static_cast<double>(classes))});
  }
  Tensor losses = negatedClassSum(args, callForTensor(args, "aten.mul.Tensor", {logs, target}));
  if (reduction == 0)
    return losses;
  Tensor sum = sumOf(args, losses);
  auto samples = static_cast<double>(logs.numElements()) / static_cast<double>(std::max<int64_t>(classes, 1));
  return reduction == 2 ? Value(sum) : callKernel(args, "aten.div.Scalar", {sum, Value::floating(samples)});
}

/// What the losses of `classes` samples weigh together; ignored samples weigh nothing.
Tensor totalWeight(KernelArgs &args, const Tensor &ignored) {
  Tensor kept = callForTensor(args, "aten.logical_not.default", {ignored});
  if (!args.has(2))
    return sumOf(args, kept);
  Tensor labels = callForTensor(args, "aten.masked_fill.Scalar", {args.tensor(1), ignored, integer(0)});
  Tensor weights = callForTensor(args, "aten.take.default", {args.tensor(2), labels});
  return sumOf(args, callForTensor(args, "aten.masked_fill.Scalar", {weights, ignored, integer(0)}));
}

/// (1 - smoothing) * loss of the labels + smoothing / classes * loss of all classes alike.
Value smoothed(KernelArgs &args, double smoothing, int64_t reduction) {
  Tensor logs = logProbabilities(args);
  Tensor hard = callForTensor(args, "aten.nll_loss_nd.default", {logs, args.at(1), args.at(2), args.at(3), args.at(4)});
  Tensor ignored = callForTensor(args, "aten.eq.Scalar", {args.tensor(1), integer(args.integer(4, -100))});
  Tensor soft = callForTensor(args, "aten.masked_fill.Scalar", {negatedClassSum(args, logs), ignored, integer(0)});
  if (args.failed())
    return {};
  if (reduction != 0)
    soft = sumOf(args, soft);
  if (reduction == 1)
    soft = callForTensor(args, "aten.div.Tensor", {soft, totalWeight(args, ignored)});
  double share = smoothing / static_cast<double>(logs.size(classDim(logs)));
  return callKernel(args, "aten.add.Tensor",
                    {callForTensor(args, "aten.mul.Scalar", {hard, Value::floating(1 - smoothing)}),
                     callForTensor(args, "aten.mul.Scalar", {soft, Value::floating(share)})});
}

Value crossEntropy(KernelArgs &args) {
  double smoothing = args.number(5, 0);
  int64_t reduction = args.integer(3, 1);
  if (!args.failed() && isFloat(args.tensor(1).dtype()))
    return ofProbabilities(args, smoothing, reduction);
  if (smoothing > 0)
    return smoothed(args, smoothing, reduction);
  return callKernel(args, "aten.nll_loss_nd.default",
                    {logProbabilities(args), args.at(1), args.at(2), args.at(3), args.at(4)});
}

const Kernel classLossTable[] = {
    {"aten.cross_entropy_loss.default", "self,target,weight,reduction,ignore_index,label_smoothing", crossEntropy},
    {"aten.nll_loss.default", "self,target,weight,reduction,ignore_index", nll},
    {"aten.nll_loss2d_backward.default", "grad_output,self,target,weight,reduction,ignore_index,total_weight",
     nllPlanesBackward},
    {"aten.nll_loss2d_forward.default", "self,target,weight,reduction,ignore_index", nllPlanes},
    {"aten.nll_loss_nd.default", "self,target,weight,reduction,ignore_index", nll},
};

} // namespace

llvm::ArrayRef<Kernel> classLossKernels() { return classLossTable; }

} // namespace ccgraph::runtime

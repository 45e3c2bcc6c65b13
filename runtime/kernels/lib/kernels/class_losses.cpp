#include "kernels/calls.h"
#include "kernels/dense_values.h"
#include "kernels/families.h"
#include "kernels/loss_reduction.h"

#include <cmath>

// Losses of classes beside nll_loss: of images, and with margins.
namespace ccgraph::runtime {
namespace {

// --- nll_loss2d: one class for each pixel -----------------------------------------------------------------
/// [N, C, H, W] as one row of classes for each pixel.
Tensor pixelRows(const Tensor &self) {
  Tensor last = self.permute({0, 2, 3, 1}).contiguous();
  return last.reinterpret(
      last.dtype(),
      {{productOf(last.sizes().drop_back()), self.size(1)}, {std::max<int64_t>(self.size(1), 1), 1}, last.offset()});
}
Tensor flat(const Tensor &self) { return llvm::cantFail(self.contiguous().view(self.numElements())); }

bool checkImages(KernelArgs &args, const Tensor &self, const Tensor &target) {
  bool fits = self.rank() == 4 && target.rank() == 3 && self.size(0) == target.size(0) &&
              self.sizes().drop_front(2) == target.sizes().drop_front();
  return !args.failed() && args.check(fits, "got " + typeOf(self) + " and target " + typeOf(target) +
                                                ", expected [N, C, H, W] and [N, H, W]");
}

/// (self, target, weight, reduction, ignore_index) -> (output, total_weight)
Value imageLoss(KernelArgs &args) {
  const Tensor &self = args.tensor(0), &target = args.tensor(1);
  if (!checkImages(args, self, target))
    return {};
  Value both = callKernel(args, "aten.nll_loss_forward.default",
                          {pixelRows(self), flat(target), args.at(2), args.at(3), args.at(4)});
  bool each = lossReduction(args, 3) == LossReduction::None;
  if (args.failed() || !each)
    return both;
  return Value::list({llvm::cantFail(both.list()[0].tensor().view(target.sizes())), both.list()[1]});
}

/// (grad_output, self, target, weight, reduction, ignore_index, total_weight)
Value imageLossBackward(KernelArgs &args) {
  const Tensor &grad = args.tensor(0), &self = args.tensor(1), &target = args.tensor(2);
  if (!checkImages(args, self, target))
    return {};
  Tensor upstream = grad.rank() ? flat(grad) : grad;
  Tensor rows =
      callForTensor(args, "aten.nll_loss_backward.default",
                    {upstream, pixelRows(self), flat(target), args.at(3), args.at(4), args.at(5), args.at(6)});
  if (args.failed())
    return {};
  IntList sizes = {self.size(0), self.size(2), self.size(3), self.size(1)};
  return llvm::cantFail(rows.view(sizes)).permute({0, 3, 1, 2}).contiguous();
}

// --- Margins ------------------------------------------------------------------------------------------------
/// Samples of scores, [N, C] or [C], with `perSample` labels each.
struct Samples {
  Tensor self;
  int64_t count = 0, classes = 0;
  Values scores;
  Scratch<int64_t> labels;

  [[nodiscard]] const double *row(int64_t n) const { return scores.data() + n * classes; }
  [[nodiscard]] const int64_t *labelsOf(int64_t n, int64_t perSample) const { return labels.data() + n * perSample; }
};

/// `first`: the arguments self and target.
Samples samplesOf(KernelArgs &args, unsigned first, bool manyLabels) {
  const Tensor &self = args.tensor(first), &target = args.tensor(first + 1);
  Samples s{
      .self = self, .count = self.rank() == 2 ? self.size(0) : 1, .classes = self.rank() ? self.sizes().back() : 1};
  int64_t labels = manyLabels ? s.count * s.classes : s.count;
  bool fits = self.rank() <= 2 && isFloat(self.dtype()) && computable(self.dtype()) && target.numElements() == labels &&
              target.dtype() == DType::I64;
  if (args.failed() || !args.check(fits, "got " + typeOf(self) + " and target " + typeOf(target)))
    return s;
  s.scores = readAll(self);
  for (double label : readAll(target))
    s.labels.push_back(static_cast<int64_t>(label));
  for (int64_t label : s.labels)
    args.check(label >= (manyLabels ? -1 : 0) && label < s.classes,
               "got class " + llvm::Twine(label) + " of " + llvm::Twine(s.classes));
  return s;
}

/// The gradient of the scores: the slopes of each sample's loss, times its upstream gradient, argument 0.
Value upstreamTimes(KernelArgs &args, const Samples &s, Values slopes, LossReduction reduction) {
  Values grad = readAll(args.tensor(0));
  if (!args.check(grad.size() == 1 || grad.size() == static_cast<size_t>(s.count),
                  "got grad_output " + typeOf(args.tensor(0))))
    return {};
  for (size_t i = 0; i < slopes.size(); ++i) {
    double upstream = grad[grad.size() == 1 ? 0 : i / static_cast<size_t>(s.classes)];
    slopes[i] *= upstream / static_cast<double>(reduction == LossReduction::Mean ? s.count : 1);
  }
  return tensorOf(slopes, s.self.dtype(), s.self.sizes());
}

Value reducedSamples(KernelArgs &args, const Samples &s, const Values &losses, LossReduction reduction) {
  Tensor each = tensorOf(losses, s.self.dtype(), s.self.rank() == 2 ? IntList{s.count} : IntList{});
  return reduced(args, each, reduction);
}

/// multi_margin_loss: the score of the class exceeds each other score by a margin (J. Weston, C. Watkins, 1999).
struct Margin {
  double power, margin;
  Values weights;
};
/// `first`: the arguments p, margin, weight.
Margin marginOf(KernelArgs &args, unsigned first, int64_t classes) {
  Margin m{args.number(first, 1), args.number(first + 1, 1), Values(static_cast<size_t>(classes), 1.0)};
  args.check(m.power == 1 || m.power == 2, "got p other than 1 and 2");
  if (std::optional<Tensor> weight = args.optionalTensor(first + 2))
    if (args.check(weight->numElements() == classes, "got a weight " + typeOf(*weight)))
      m.weights = readAll(*weight);
  return m;
}

/// Calls body(sample, its class, another class, by how much its score comes too close) where it does.
template <typename Body>
void forEachViolation(const Samples &s, double margin, Body body) {
  for (int64_t n = 0; n < s.count; ++n) {
    int64_t label = s.labels[static_cast<size_t>(n)];
    for (int64_t c = 0; c < s.classes; ++c)
      if (double z = margin - s.row(n)[label] + s.row(n)[c]; c != label && z > 0)
        body(n, label, c, z);
  }
}

/// (self, target, p, margin, weight, reduction)
Value multiMargin(KernelArgs &args) {
  Samples s = samplesOf(args, 0, false);
  Margin m = marginOf(args, 2, s.classes);
  LossReduction reduction = lossReduction(args, 5);
  if (args.failed())
    return {};
  Values losses(static_cast<size_t>(s.count));
  forEachViolation(s, m.margin, [&](int64_t n, int64_t label, int64_t, double z) {
    losses[static_cast<size_t>(n)] +=
        std::pow(z, m.power) * m.weights[static_cast<size_t>(label)] / static_cast<double>(s.classes);
  });
  return reducedSamples(args, s, losses, reduction);
}
/// (grad_output, self, target, p, margin, weight, reduction)
Value multiMarginBackward(KernelArgs &args) {
  Samples s = samplesOf(args, 1, false);
  Margin m = marginOf(args, 3, s.classes);
  LossReduction reduction = lossReduction(args, 6);
  if (args.failed())
    return {};
  Values slopes(s.scores.size());
  forEachViolation(s, m.margin, [&](int64_t n, int64_t label, int64_t c, double z) {
    double share = m.weights[static_cast<size_t>(label)] / static_cast<double>(s.classes) * (m.power == 1 ? 1 : 2 * z);
    slopes[static_cast<size_t>(n * s.classes + c)] += share;
    slopes[static_cast<size_t>(n * s.classes + label)] -= share;
  });
  return upstreamTimes(args, s, std::move(slopes), reduction);
}

/// multilabel_margin_loss: the labels of a sample are those before the first -1. Calls body(sample, a label, a class
/// that is none) where the scores are less than 1 apart.
template <typename Body>
void forEachLabelViolation(const Samples &s, Body body) {
  for (int64_t n = 0; n < s.count; ++n) {
    const int64_t *labels = s.labelsOf(n, s.classes), *end = std::find(labels, labels + s.classes, -1);
    for (const int64_t *label = labels; label != end; ++label)
      for (int64_t c = 0; c < s.classes; ++c)
        if (double z = 1 - s.row(n)[*label] + s.row(n)[c]; std::find(labels, end, c) == end && z > 0)
          body(n, *label, c, z);
  }
}

/// (self, target, reduction) -> (output, is_target)
Value multiLabelMargin(KernelArgs &args) {
  Samples s = samplesOf(args, 0, true);
  LossReduction reduction = lossReduction(args, 2);
  if (args.failed())
    return {};
  Values losses(static_cast<size_t>(s.count)), isTarget(s.scores.size());
  forEachLabelViolation(s, [&](int64_t n, int64_t, int64_t, double z) {
    losses[static_cast<size_t>(n)] += z / static_cast<double>(s.classes);
  });
  for (int64_t n = 0; n < s.count; ++n)
    for (const int64_t *label = s.labelsOf(n, s.classes); label != s.labelsOf(n + 1, s.classes) && *label >= 0; ++label)
      isTarget[static_cast<size_t>(n * s.classes + *label)] = 1;
  return Value::list(
      {reducedSamples(args, s, losses, reduction), tensorOf(isTarget, s.self.dtype(), args.tensor(1).sizes())});
}
/// (grad_output, self, target, reduction, is_target)
Value multiLabelMarginBackward(KernelArgs &args) {
  Samples s = samplesOf(args, 1, true);
  LossReduction reduction = lossReduction(args, 3);
  if (args.failed())
    return {};
  Values slopes(s.scores.size());
  forEachLabelViolation(s, [&](int64_t n, int64_t label, int64_t c, double) {
    double share = 1 / static_cast<double>(s.classes);
    slopes[static_cast<size_t>(n * s.classes + c)] += share;
    slopes[static_cast<size_t>(n * s.classes + label)] -= share;
  });
  return upstreamTimes(args, s, std::move(slopes), reduction);
}

const Kernel classLossTable[] = {
    {"aten.multi_margin_loss.default", "self,target,p,margin,weight,reduction", multiMargin},
    {"aten.multi_margin_loss_backward.default", "grad_output,self,target,p,margin,weight,reduction",
     multiMarginBackward},
    {"aten.multilabel_margin_loss_backward.default", "grad_output,self,target,reduction,is_target",
     multiLabelMarginBackward},
    {"aten.multilabel_margin_loss_forward.default", "self,target,reduction", multiLabelMargin},
    {"aten.nll_loss2d_backward.default", "grad_output,self,target,weight,reduction,ignore_index,total_weight",
     imageLossBackward},
    {"aten.nll_loss2d_forward.default", "self,target,weight,reduction,ignore_index", imageLoss},
};

} // namespace

llvm::ArrayRef<Kernel> classLossKernels() { return classLossTable; }

} // namespace ccgraph::runtime

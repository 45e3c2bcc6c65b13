#include "kernels/families.h"
#include "kernels/kernel_args.h"
#include "tensor/elements.h"

#include <cmath>

// Losses of a sample's classes that come closer than a margin to the right ones.
namespace ccgraph::runtime {
namespace {

/// [samples, classes] of a batch or of a lone sample.
struct Samples {
  Tensor input;
  int64_t count = 0;
  int64_t classes = 0;
  Scratch<double> x;
  Scratch<int64_t> targets;

  [[nodiscard]] double at(int64_t sample, int64_t c) const { return x[static_cast<size_t>(sample * classes + c)]; }
};

/// A sample has one target, or with `targetEachClass` as many as there are classes, where -1 ends the list of the right
/// ones (torch.nn.MultiLabelMarginLoss).
std::optional<Samples> samplesOf(KernelArgs &args, unsigned index, bool targetEachClass) {
  Samples s{.input = args.tensor(index)};
  const Tensor &target = args.tensor(index + 1);
  bool fits =
      s.input.rank() <= 2 && isFloat(s.input.dtype()) && computable(s.input.dtype()) && target.dtype() == DType::I64;
  if (args.failed() || !args.check(fits, "got " + typeOf(s.input) + " and target " + typeOf(target)))
    return std::nullopt;
  s.count = s.input.rank() == 2 ? s.input.size(0) : 1;
  s.classes = s.input.rank() == 0 ? 1 : s.input.sizes().back();
  s.x = readAll(s.input);
  Tensor labels = target.contiguous();
  s.targets.resize(static_cast<size_t>(labels.numElements()));
  if (!s.targets.empty())
    readRow<int64_t>(DType::I64, {labels.data(), labels.elementSize()}, s.targets);
  int64_t wanted = s.count * (targetEachClass ? s.classes : 1);
  bool known = llvm::all_of(s.targets, [&](int64_t t) { return t < s.classes && t >= (targetEachClass ? -1 : 0); });
  if (!args.check(labels.numElements() == wanted && known,
                  "got target " + typeOf(target) + " for " + typeOf(s.input) + ", or classes that it lacks"))
    return std::nullopt;
  return s;
}

Tensor tensorOf(llvm::ArrayRef<double> values, DType dtype, DimsRef sizes) {
  Tensor result = Tensor::zeros(dtype, sizes);
  writeRow<double>(dtype, {result.data(), result.elementSize()}, values);
  return result;
}

enum class Reduce : uint8_t { None, Mean, Sum };

/// The losses of samples, as argument `reduction` joins them.
Tensor joined(const Samples &s, llvm::ArrayRef<double> losses, Reduce reduction, DimsRef sizes) {
  if (reduction == Reduce::None)
    return tensorOf(losses, s.input.dtype(), sizes);
  double sum = 0;
  for (double loss : losses)
    sum += loss;
  return tensorOf(reduction == Reduce::Mean ? sum / static_cast<double>(s.count) : sum, s.input.dtype(), {});
}

Reduce reductionOf(KernelArgs &args, unsigned index) {
  int64_t number = args.integer(index, 1);
  args.check(number >= 0 && number <= 2, "got reduction " + llvm::Twine(number));
  return static_cast<Reduce>(number);
}

/// The slopes of a loss times its gradient, divided as the reduction says. Slopes of 0 are multiplied, too.
Value timesUpstream(KernelArgs &args, const Samples &s, Reduce reduction, Scratch<double> slopes) {
  Scratch<double> grad = readAll(args.tensor(0));
  auto count = static_cast<size_t>(s.count);
  if (grad.size() == 1)
    grad.resize(count, grad[0]);
  if (args.failed() || !args.check(grad.size() == count, "got grad_output " + typeOf(args.tensor(0))))
    return {};
  auto divisor = static_cast<double>(reduction == Reduce::Mean ? s.count * s.classes : s.classes);
  for (size_t i = 0; i < slopes.size(); ++i)
    slopes[i] *= grad[i / static_cast<size_t>(s.classes)] / divisor;
  return tensorOf(slopes, s.input.dtype(), s.input.sizes());
}

// --- One right class: max(0, margin - x[right] + x[c])^p, weighted by the right class -----------------------
struct Margin {
  double p;
  double margin;
  Scratch<double> weights; ///< empty where all are 1

  [[nodiscard]] double weight(int64_t c) const { return weights.empty() ? 1 : weights[static_cast<size_t>(c)]; }
};

/// p, margin and weight, from argument `first` on.
Margin marginOf(KernelArgs &args, unsigned first, const Samples &s) {
  Margin m{args.number(first, 1), args.number(first + 1, 1), {}};
  args.check(m.p == 1 || m.p == 2, "got p = " + std::to_string(m.p) + ", expected 1 or 2");
  if (std::optional<Tensor> weight = args.optionalTensor(first + 2)) {
    m.weights = readAll(*weight);
    args.check(static_cast<int64_t>(m.weights.size()) == s.classes, "got weight " + typeOf(*weight));
  }
  return m;
}

/// (self, target, p, margin, weight, reduction)
Value marginLoss(KernelArgs &args) {
  std::optional<Samples> s = samplesOf(args, 0, false);
  Reduce reduction = reductionOf(args, 5);
  if (!s)
    return {};
  Margin m = marginOf(args, 2, *s);
  if (args.failed())
    return {};
  Scratch<double> losses;
  for (int64_t i = 0; i < s->count; ++i) {
    int64_t right = s->targets[static_cast<size_t>(i)];
    double sum = 0;
    for (int64_t c = 0; c < s->classes; ++c)
      if (double z = m.margin - s->at(i, right) + s->at(i, c); c != right && z > 0)
        sum += (m.p == 1 ? z : z * z) * m.weight(right);
    losses.push_back(sum / static_cast<double>(s->classes));
  }
  return joined(*s, losses, reduction, args.tensor(1).sizes());
}

/// (grad_output, self, target, p, margin, weight, reduction)
Value marginLossBackward(KernelArgs &args) {
  std::optional<Samples> s = samplesOf(args, 1, false);
  Reduce reduction = reductionOf(args, 6);
  if (!s)
    return {};
  Margin m = marginOf(args, 3, *s);
  Scratch<double> result(s->x.size());
  if (args.failed())
    return {};
  for (int64_t i = 0; i < s->count; ++i) {
    int64_t right = s->targets[static_cast<size_t>(i)];
    for (int64_t c = 0; c < s->classes; ++c) {
      double z = m.margin - s->at(i, right) + s->at(i, c);
      if (c == right || !(z > 0))
        continue;
      double share = m.weight(right) * (m.p == 1 ? 1 : 2 * z);
      result[static_cast<size_t>(i * s->classes + c)] += share;
      result[static_cast<size_t>(i * s->classes + right)] -= share;
    }
  }
  return timesUpstream(args, *s, reduction, std::move(result));
}

// --- Several right classes, a list that -1 ends: max(0, 1 - x[right] + x[c]) for each right and each other class ---
/// 1 where a class is right, as the forward operator keeps it.
Scratch<double> rightOf(const Samples &s) {
  Scratch<double> right(s.x.size());
  for (int64_t i = 0; i < s.count; ++i)
    for (int64_t k = 0; k < s.classes && s.targets[static_cast<size_t>(i * s.classes + k)] >= 0; ++k)
      right[static_cast<size_t>(i * s.classes + s.targets[static_cast<size_t>(i * s.classes + k)])] = 1;
  return right;
}

/// Calls body(sample, right class, other class, how far within the margin) for each two that are too close.
template <typename Body>
void forEachClose(const Samples &s, llvm::ArrayRef<double> right, Body body) {
  for (int64_t i = 0; i < s.count; ++i)
    for (int64_t k = 0; k < s.classes; ++k) {
      int64_t t = s.targets[static_cast<size_t>(i * s.classes + k)];
      if (t < 0)
        break;
      for (int64_t c = 0; c < s.classes; ++c)
        if (double z = 1 - s.at(i, t) + s.at(i, c); right[static_cast<size_t>(i * s.classes + c)] == 0 && z > 0)
          body(i, t, c, z);
    }
}

/// (self, target, reduction) -> (output, is_target)
Value multilabelLoss(KernelArgs &args) {
  std::optional<Samples> s = samplesOf(args, 0, true);
  Reduce reduction = reductionOf(args, 2);
  if (!s || args.failed())
    return {};
  Scratch<double> right = rightOf(*s), losses(static_cast<size_t>(s->count));
  forEachClose(*s, right, [&](int64_t i, int64_t, int64_t, double z) {
    losses[static_cast<size_t>(i)] += z / static_cast<double>(s->classes);
  });
  Dims sizes;
  if (s->input.rank() == 2)
    sizes.push_back(s->count);
  return Value::tensors(
      {joined(*s, losses, reduction, sizes), tensorOf(right, s->input.dtype(), args.tensor(1).sizes())});
}

/// (grad_output, self, target, reduction, is_target)
Value multilabelLossBackward(KernelArgs &args) {
  std::optional<Samples> s = samplesOf(args, 1, true);
  Reduce reduction = reductionOf(args, 3);
  if (!s)
    return {};
  Scratch<double> right = readAll(args.tensor(4)), result(s->x.size());
  if (args.failed() || !args.check(right.size() == result.size(), "got is_target " + typeOf(args.tensor(4))))
    return {};
  forEachClose(*s, right, [&](int64_t i, int64_t t, int64_t c, double) {
    result[static_cast<size_t>(i * s->classes + t)] -= 1;
    result[static_cast<size_t>(i * s->classes + c)] += 1;
  });
  return timesUpstream(args, *s, reduction, std::move(result));
}

const Kernel marginLossTable[] = {
    {"aten.multi_margin_loss.default", "self,target,p,margin,weight,reduction", marginLoss},
    {"aten.multi_margin_loss_backward.default", "grad_output,self,target,p,margin,weight,reduction",
     marginLossBackward},
    {"aten.multilabel_margin_loss_backward.default", "grad_output,self,target,reduction,is_target",
     multilabelLossBackward},
    {"aten.multilabel_margin_loss_forward.default", "self,target,reduction", multilabelLoss},
};

} // namespace

llvm::ArrayRef<Kernel> marginLossKernels() { return marginLossTable; }

} // namespace ccgraph::runtime

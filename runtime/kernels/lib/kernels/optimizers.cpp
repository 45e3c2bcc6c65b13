#include "kernels/families.h"
#include "kernels/kernel_args.h"
#include "tensor/elements.h"

#include <array>
#include <cassert>
#include <cmath>

namespace ccgraph::runtime {
namespace {

/// Of one parameter: the parameter, its gradient, two averages, and the largest second average.
constexpr size_t mostTensors = 5;

// --- AdamW (I. Loshchilov, F. Hutter, "Decoupled Weight Decay Regularization", 2019), as torch.optim fuses it ---
struct AdamSettings {
  double rate;
  double beta1;
  double beta2;
  double decay;
  double epsilon;
  bool amsgrad;
  bool maximize;
  double gradScale;
  bool decoupled; ///< AdamW; Adam adds the decay to the gradient
};

/// Elements of one parameter, and of what belongs to it, widened while `step` changes them. The first `written` are
/// stored again.
void changeElements(llvm::ArrayRef<Tensor> tensors, size_t written,
                    llvm::function_ref<void(llvm::ArrayRef<llvm::MutableArrayRef<double>> lines)> step) {
  // A fixed array: no step of a plan allocates, and GCC notes an old change of its ABI for a SmallVector of aligned
  // blocks.
  std::array<Block<double>, mostTensors> blocks;
  assert(tensors.size() <= mostTensors && "more tensors than an optimizer has for one parameter");
  llvm::SmallVector<llvm::MutableArrayRef<double>, 5> lines(tensors.size());
  forEachBlock(tensors, [&](llvm::ArrayRef<Row> rows, int64_t count) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      lines[i] = blocks[i].first(count);
      readRow<double>(tensors[i].dtype(), rows[i], lines[i]);
    }
    step(lines);
    for (size_t i = 0; i < written; ++i)
      writeRow<double>(tensors[i].dtype(), rows[i], lines[i]);
  });
}

/// Some elements of one parameter; `largest` is empty without amsgrad.
struct AdamLines {
  llvm::MutableArrayRef<double> param, grad, average, square, largest;
};

void adamStep(AdamLines lines, const AdamSettings &s, double step) {
  double stepSize = s.rate / (1 - std::pow(s.beta1, step));
  double root = std::sqrt(1 - std::pow(s.beta2, step));
  for (size_t i = 0; i < lines.param.size(); ++i) {
    double &param = lines.param[i];
    double grad = lines.grad[i] / s.gradScale;
    lines.grad[i] = grad;
    grad = s.maximize ? -grad : grad;
    if (s.decoupled)
      param -= s.rate * s.decay * param;
    else
      grad += s.decay * param;
    lines.average[i] += (1 - s.beta1) * (grad - lines.average[i]);
    lines.square[i] = s.beta2 * lines.square[i] + (1 - s.beta2) * grad * grad;
    double square = lines.square[i];
    if (s.amsgrad)
      square = lines.largest[i] = std::max(lines.largest[i], square);
    param -= stepSize * lines.average[i] / (std::sqrt(square) / root + s.epsilon);
  }
}

AdamSettings adamSettings(KernelArgs &args, bool decoupled) {
  std::optional<Tensor> scale = args.optionalTensor(13);
  return {args.has(6) && args.at(6).is(Value::Kind::Tensor) ? readAll(args.tensor(6)).front() : args.number(6),
          args.number(7),
          args.number(8),
          args.number(9),
          args.number(10),
          args.boolean(11, false),
          args.boolean(12, false),
          scale && scale->numElements() == 1 ? readAll(*scale).front() : 1.0,
          decoupled};
}

/// (self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, ...); all lists but max_exp_avg_sqs are equally
/// long.
Value fusedAdam(KernelArgs &args, bool decoupled) {
  Tensors lists[6];
  for (unsigned i = 0; i < 6; ++i)
    lists[i] = args.tensors(i);
  AdamSettings settings = adamSettings(args, decoupled);
  size_t length = lists[0].size();
  for (unsigned k = 0; k < 6; ++k) {
    bool optional = k == 4 && !settings.amsgrad;
    args.check(optional || lists[k].size() == length,
               "got lists of " + llvm::Twine(length) + " and " + llvm::Twine(lists[k].size()));
    for (size_t i = 0; i < lists[k].size() && !args.failed() && k < 4; ++i)
      args.check(isFloat(lists[k][i].dtype()) && computable(lists[k][i].dtype()) &&
                     lists[k][i].sizes() == lists[0][i].sizes(),
                 "got " + typeOf(lists[k][i]) + " for " + typeOf(lists[0][i]));
  }
  std::optional<Tensor> skip = args.optionalTensor(14);
  if (args.failed() || (skip && readAll(*skip).front() != 0))
    return {};
  for (size_t i = 0; i < length; ++i) {
    llvm::SmallVector<Tensor, 5> tensors{lists[0][i], lists[2][i], lists[3][i]};
    if (settings.amsgrad)
      tensors.push_back(lists[4][i]);
    tensors.push_back(lists[1][i]);
    double step = readAll(lists[5][i]).front();
    changeElements(tensors, tensors.size() - (settings.gradScale == 1), [&](auto lines) {
      llvm::MutableArrayRef<double> none;
      adamStep({lines[0], lines.back(), lines[1], lines[2], settings.amsgrad ? lines[3] : none}, settings, step);
    });
  }
  return {};
}
Value fusedAdamW(KernelArgs &args) { return fusedAdam(args, true); }
Value fusedAdamPlain(KernelArgs &args) { return fusedAdam(args, false); }

// --- SGD with momentum (I. Sutskever et al., 2013) ------------------------------------------------------------
struct SgdSettings {
  double decay, momentum, rate, dampening;
  bool nesterov, maximize, first;
  double gradScale;
};

double numberOrTensor(KernelArgs &args, unsigned index) {
  return args.at(index).is(Value::Kind::Tensor) ? readAll(args.tensor(index)).front() : args.number(index);
}

/// A buffer starts as the first gradient; without momentum there is none.
void sgdStep(llvm::ArrayRef<llvm::MutableArrayRef<double>> lines, const SgdSettings &s) {
  llvm::MutableArrayRef<double> param = lines.front(), grads = lines.back();
  llvm::MutableArrayRef<double> buffer = lines.size() > 2 ? lines[1] : llvm::MutableArrayRef<double>();
  for (size_t i = 0; i < param.size(); ++i) {
    double grad = grads[i] /= s.gradScale;
    grad = (s.maximize ? -grad : grad) + s.decay * param[i];
    if (!buffer.empty()) {
      buffer[i] = s.first ? grad : s.momentum * buffer[i] + (1 - s.dampening) * grad;
      grad = s.nesterov ? grad + s.momentum * buffer[i] : buffer[i];
    }
    param[i] -= s.rate * grad;
  }
}

/// (self, grads, momentum_buffer_list, weight_decay, momentum, lr, dampening, nesterov, maximize, is_first_step,
/// grad_scale, found_inf)
Value fusedSgd(KernelArgs &args) {
  Tensors params = args.tensors(0), grads = args.tensors(1), buffers = args.tensors(2);
  std::optional<Tensor> scale = args.optionalTensor(10), skip = args.optionalTensor(11);
  SgdSettings settings{args.number(3),          args.number(4),
                       numberOrTensor(args, 5), args.number(6),
                       args.boolean(7, false),  args.boolean(8, false),
                       args.boolean(9, false),  scale && scale->numElements() == 1 ? readAll(*scale).front() : 1.0};
  bool fits = grads.size() == params.size() && (buffers.empty() || buffers.size() == params.size());
  for (size_t i = 0; fits && i < params.size(); ++i)
    fits = isFloat(params[i].dtype()) && computable(params[i].dtype()) && grads[i].sizes() == params[i].sizes() &&
           computable(grads[i].dtype()) && (buffers.empty() || buffers[i].sizes() == params[i].sizes());
  if (args.failed() ||
      !args.check(fits,
                  "got lists that differ, expected a gradient, and a buffer or none, of each parameter's sizes") ||
      (skip && readAll(*skip).front() != 0))
    return {};
  for (size_t i = 0; i < params.size(); ++i) {
    llvm::SmallVector<Tensor, 3> tensors{params[i]};
    if (!buffers.empty())
      tensors.push_back(buffers[i]);
    tensors.push_back(grads[i]);
    changeElements(tensors, tensors.size() - (settings.gradScale == 1), [&](auto lines) { sgdStep(lines, settings); });
  }
  return {};
}

constexpr llvm::StringRef sgdParameters = "self,grads,momentum_buffer_list,weight_decay,momentum,lr,dampening,nesterov,"
                                          "maximize,is_first_step,grad_scale,found_inf";

constexpr llvm::StringRef adamParameters =
    "self,grads,exp_avgs,exp_avg_sqs,max_exp_avg_sqs,state_steps,lr,beta1,beta2,weight_decay,eps,"
    "amsgrad,maximize,grad_scale,found_inf";

const Kernel optimizerTable[] = {
    {"aten._fused_adam_.default", adamParameters, fusedAdamPlain},
    {"aten._fused_adam_.tensor_lr", adamParameters, fusedAdamPlain},
    {"aten._fused_adamw_.default", adamParameters, fusedAdamW},
    {"aten._fused_adamw_.tensor_lr", adamParameters, fusedAdamW},
    {"aten._fused_sgd_.default", sgdParameters, fusedSgd},
    {"aten._fused_sgd_.tensor_lr", sgdParameters, fusedSgd},
};

} // namespace

llvm::ArrayRef<Kernel> optimizerKernels() { return optimizerTable; }

} // namespace ccgraph::runtime

#include "kernels/elements.h"
#include "kernels/families.h"
#include "kernels/kernel_args.h"

#include <cmath>

namespace ccgraph::runtime {
namespace {

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

/// One parameter's elements; `largest` is empty without amsgrad.
struct AdamLines {
  Scratch<double> param, grad, average, square, largest;
};

void adamStep(AdamLines &lines, const AdamSettings &s, double step) {
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

void writeAll(const Tensor &tensor, const Scratch<double> &values) {
  Tensor flat = Tensor::zeros(tensor.dtype(), tensor.sizes());
  writeRow<double>(flat.dtype(), {flat.data(), flat.elementSize()}, values);
  tensor.copyFrom(flat);
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
  std::vector<Tensor> lists[6];
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
                 "got " + lists[k][i].typeText() + " for " + lists[0][i].typeText());
  }
  std::optional<Tensor> skip = args.optionalTensor(14);
  if (args.failed() || (skip && readAll(*skip).front() != 0))
    return {};
  for (size_t i = 0; i < length; ++i) {
    AdamLines lines{readAll(lists[0][i]), readAll(lists[1][i]), readAll(lists[2][i]), readAll(lists[3][i]),
                    settings.amsgrad ? readAll(lists[4][i]) : Scratch<double>()};
    adamStep(lines, settings, readAll(lists[5][i]).front());
    writeAll(lists[0][i], lines.param);
    writeAll(lists[2][i], lines.average);
    writeAll(lists[3][i], lines.square);
    if (settings.amsgrad)
      writeAll(lists[4][i], lines.largest);
    if (settings.gradScale != 1)
      writeAll(lists[1][i], lines.grad);
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
void sgdStep(Scratch<double> &param, Scratch<double> &grads, Scratch<double> &buffer, const SgdSettings &s) {
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
  std::vector<Tensor> params = args.tensors(0), grads = args.tensors(1), buffers = args.tensors(2);
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
    Scratch<double> param = readAll(params[i]), grad = readAll(grads[i]);
    Scratch<double> buffer = buffers.empty() ? Scratch<double>() : readAll(buffers[i]);
    sgdStep(param, grad, buffer, settings);
    writeAll(params[i], param);
    if (!buffers.empty())
      writeAll(buffers[i], buffer);
    if (settings.gradScale != 1)
      writeAll(grads[i], grad);
  }
  return {};
}

constexpr llvm::StringRef sgdParameters = "self,grads,momentum_buffer_list,weight_decay,momentum,lr,dampening,nesterov,"
                                          "maximize,is_first_step,grad_scale,found_inf";

constexpr llvm::StringRef adamParameters =
    "self,grads,exp_avgs,exp_avg_sqs,max_exp_avg_sqs,state_steps,lr,beta1,beta2,weight_decay,eps,"
    "amsgrad,maximize,grad_scale,found_inf";

const Kernel kernels[] = {
    {"aten._fused_adam_.default", adamParameters, fusedAdamPlain},
    {"aten._fused_adam_.tensor_lr", adamParameters, fusedAdamPlain},
    {"aten._fused_adamw_.default", adamParameters, fusedAdamW},
    {"aten._fused_adamw_.tensor_lr", adamParameters, fusedAdamW},
    {"aten._fused_sgd_.default", sgdParameters, fusedSgd},
    {"aten._fused_sgd_.tensor_lr", sgdParameters, fusedSgd},
};

} // namespace

llvm::ArrayRef<Kernel> optimizerKernels() { return kernels; }

} // namespace ccgraph::runtime

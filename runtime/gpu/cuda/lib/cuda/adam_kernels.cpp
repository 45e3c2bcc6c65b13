#include "cuda/planner.h"

namespace ccgraph::runtime::cuda {
namespace {

device::Number numberOf(Planner &planner, const Tensor &tensor) {
  device::Strided begun = planner.begin(tensor);
  planner.args.check(tensor.numElements() == 1, "got " + typeOf(tensor) + ", expected one number");
  return {begun.data, begun.element, 0};
}
/// Argument `index`, a number or a tensor of one.
device::Number numberAt(Planner &planner, unsigned index, double otherwise) {
  if (planner.args.at(index).is(Value::Kind::Tensor))
    return numberOf(planner, planner.args.tensor(index));
  return {nullptr, device::Element::F32, planner.args.number(index, otherwise)};
}

/// The settings that the parameters of a call share: (self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps,
/// lr, beta1, beta2, weight_decay, eps, amsgrad, maximize, grad_scale, found_inf).
device::AdamJob settingsOf(Planner &planner, bool decoupled) {
  device::AdamJob job;
  job.rate = numberAt(planner, 6, 0);
  job.beta1 = planner.args.number(7);
  job.beta2 = planner.args.number(8);
  job.decay = planner.args.number(9);
  job.epsilon = planner.args.number(10);
  job.maximizes = planner.args.boolean(12, false);
  job.gradScale = numberAt(planner, 13, 1);
  job.foundInf = numberAt(planner, 14, 0);
  job.writesGrad = planner.args.has(13);
  job.decoupled = decoupled;
  return job;
}

void adam(Planner &planner, bool decoupled) {
  Tensors lists[6];
  for (unsigned i = 0; i < 6; ++i)
    lists[i] = planner.args.tensors(i);
  bool amsgrad = planner.args.boolean(11, false);
  device::AdamJob job = settingsOf(planner, decoupled);
  for (unsigned k = 0; k < 6; ++k)
    planner.args.check((k == 4 && !amsgrad) || lists[k].size() == lists[0].size(),
                       "got lists of " + llvm::Twine(lists[0].size()) + " and " + llvm::Twine(lists[k].size()));
  for (size_t i = 0; i < lists[0].size() && !planner.args.failed(); ++i) {
    llvm::SmallVector<Tensor, 5> tensors = {lists[0][i], lists[1][i], lists[2][i], lists[3][i]};
    if (amsgrad)
      tensors.push_back(lists[4][i]);
    for (const Tensor &tensor : tensors)
      planner.args.check(isFloat(tensor.dtype()) && tensor.sizes() == tensors.front().sizes(),
                         "got " + typeOf(tensor) + " for " + typeOf(tensors.front()));
    device::Strided windows[5];
    job.arithmetic = arithmeticOf(tensors.front().dtype());
    job.shape = planner.over(tensors.front().sizes(), tensors,
                             llvm::MutableArrayRef<device::Strided>(windows).take_front(tensors.size()));
    job.param = windows[0];
    job.grad = windows[1];
    job.average = windows[2];
    job.square = windows[3];
    job.largest = windows[4];
    job.step = numberOf(planner, lists[5][i]);
    if (job.shape.count != 0)
      planner.add(job);
  }
}
void adamPlain(Planner &planner) { adam(planner, false); }
void adamW(Planner &planner) { adam(planner, true); }

} // namespace

std::vector<DeviceOperator> adamOperators() {
  return {
      {"aten._fused_adam_.default", adamPlain},
      {"aten._fused_adam_.tensor_lr", adamPlain},
      {"aten._fused_adamw_.default", adamW},
      {"aten._fused_adamw_.tensor_lr", adamW},
  };
}

} // namespace ccgraph::runtime::cuda

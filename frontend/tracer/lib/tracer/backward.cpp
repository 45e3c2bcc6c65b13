#include "ccgraph/tracer/backward.h"

#include "tracer/recorder.h"

namespace ccgraph::tracer {
namespace {

using detail::problem;
using detail::Recorder;

llvm::Expected<std::vector<Tensor>> gradientsOf(const Tensor &loss, const std::vector<Tensor> &parameters,
                                                const Tensor &gradient) {
  detail::Mode *mode = detail::Mode::current();
  Recorder *recorder = mode ? mode->recorder() : nullptr;
  if (!recorder)
    return makeError(detail::noModeProblem("backward"));
  if (loss.isAbsent() || llvm::any_of(parameters, [](const Tensor &tensor) { return tensor.isAbsent(); }))
    return makeError(problem("trace.absent", "backward", "is given a tensor that was never given a value"));
  return recorder->backward(loss, parameters, gradient);
}

} // namespace

TensorList backward(const Tensor &loss, const std::vector<Tensor> &parameters, const Tensor &gradient) {
  llvm::Expected<std::vector<Tensor>> gradients = gradientsOf(loss, parameters, gradient);
  if (gradients)
    return TensorList(std::move(*gradients));
  Diagnostic why = detail::firstOf(gradients.takeError());
  (void)detail::fail(why);
  return TensorList::failed(std::move(why));
}

} // namespace ccgraph::tracer

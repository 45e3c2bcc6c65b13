#include "ccgraph/tracer/autograd_function.h"

#include "tracer/recorder.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::tracer {

Tensor apply(const AutogradFunction &function, const Tensor &input) {
  return apply(AutogradListFunction{[&](const std::vector<Tensor> &inputs) { return function.forward(inputs.front()); },
                                    [backward = function.backward](const Tensor &gradient) {
                                      return std::vector<Tensor>{backward(gradient)};
                                    }},
               {input});
}

Tensor apply(const AutogradListFunction &function, const std::vector<Tensor> &inputs) {
  Tensor result = function.forward(inputs);
  detail::Mode *mode = detail::Mode::current();
  const bool isValid = llvm::all_of(inputs, [](const Tensor &input) { return input.isValid(); });
  if (!mode || !mode->recorder() || !isValid || !result.isValid())
    return result;
  // A function that returns an input needs a value of its own, to which a gradient can be attached.
  if (llvm::any_of(inputs, [&](const Tensor &input) { return input.state()->node == result.state()->node; }))
    result = call("aten.alias.default", {result});
  mode->recorder()->giveGradient(result, inputs, function.backward);
  return result;
}

} // namespace ccgraph::tracer

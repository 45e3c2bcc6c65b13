#include "ccgraph/tracer/autograd_function.h"

#include "tracer/recorder.h"

namespace ccgraph::tracer {

Tensor apply(const AutogradFunction &function, const Tensor &input) {
  Tensor result = function.forward(input);
  detail::Mode *mode = detail::Mode::current();
  if (!mode || !mode->recorder() || !input.isValid() || !result.isValid())
    return result;
  // A function that returns its input needs a value of its own, to which a gradient can be attached.
  if (result.state()->node == input.state()->node)
    result = call("aten.alias.default", {result});
  mode->recorder()->giveGradient(result, input, function.backward);
  return result;
}

} // namespace ccgraph::tracer

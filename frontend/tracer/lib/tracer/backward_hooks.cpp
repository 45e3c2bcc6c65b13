#include "ccgraph/tracer/backward_hooks.h"

#include "ccgraph/tracer/autograd_function.h"
#include "tracer/recorder.h"

namespace ccgraph::tracer {
namespace {

using detail::Recorder;

constexpr llvm::StringLiteral callTarget = "torch._dynamo.external_utils.call_module_hooks_from_backward_state";

Recorder *recorderHere() {
  detail::Mode *mode = detail::Mode::current();
  return mode ? mode->recorder() : nullptr;
}

/// One call of a list of hooks; its result is the first of `gradients`, or its replacement by the hooks.
class HookCall {
public:
  HookCall(const ModuleHooks &hooks, const std::string &list) : hooks_(hooks), list_(list) {}

  [[nodiscard]] Tensor record(const std::vector<Tensor> &gradients) const {
    Recorder *recorder = recorderHere();
    if (!recorder)
      return detail::fail(detail::noModeProblem("backward hook"));
    llvm::Expected<Node *> call = recordCall(*recorder, gradients);
    if (!call)
      return detail::fail(detail::firstOf(call.takeError()));
    CallSpec element{.target = "operator.getitem", .args = {*call, int64_t{0}}};
    return recorder->tensorOf(recorder->append(element, gradients.front().type()));
  }

private:
  llvm::Expected<Node *> recordCall(Recorder &recorder, const std::vector<Tensor> &gradients) const {
    CallSpec spec{.target = callTarget, .args = {Actual::none()}, .name = "call_module_hooks_from_backward_state"};
    for (const Tensor &gradient : gradients) {
      llvm::Expected<Node *> node = recorder.nodeOf(gradient, list_);
      if (!node)
        return node.takeError();
      spec.args.push_back(Actual::tuple({Actual(*node)}));
    }
    llvm::Expected<Node *> state = recorder.nodeOf(hooks_.state.object(), list_);
    if (!state)
      return state.takeError();
    spec.kwargs = {{"bw_state", Actual(*state)}, {"hooks_name", Actual(list_)}, {"module_name", Actual(hooks_.module)}};
    return recorder.append(spec, recorder.graph().context().list({gradients.front().type()}));
  }

  const ModuleHooks &hooks_;
  const std::string &list_;
};

Tensor passedOn(const Tensor &tensor) { return tensor; }

} // namespace

BackwardState BackwardState::input(llvm::StringRef name) {
  if (!detail::Mode::current())
    return BackwardState(Tensor::failed(detail::noModeProblem(name)));
  // An eager session has no backward, so it never uses it.
  Recorder *recorder = recorderHere();
  if (!recorder)
    return BackwardState(Tensor());
  return BackwardState(recorder->input(name, static_cast<const Type *>(nullptr)));
}

// The gradient of the result comes first, since the backward runs in reverse order.
Tensor withHooks(const ModuleHooks &hooks, const Tensor &input, const std::function<Tensor(const Tensor &)> &module) {
  auto ofResult = std::make_shared<Tensor>();
  auto after = [hooks, ofResult](const Tensor &gradient) {
    return hooks.hooks.empty() ? gradient : HookCall(hooks, hooks.hooks).record({gradient, *ofResult});
  };
  auto before = [hooks, ofResult](const Tensor &gradient) {
    *ofResult = hooks.preHooks.empty() ? gradient : HookCall(hooks, hooks.preHooks).record({gradient});
    return *ofResult;
  };
  return apply({passedOn, before}, module(apply({passedOn, after}, input)));
}

} // namespace ccgraph::tracer

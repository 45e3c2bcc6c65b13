// Hooks of a module in the backward: calls of user functions, which a graph cannot contain, at their places in it.
//
//   BackwardState state = BackwardState::input();
//   Tensor y = withHooks({state, .module = "mod0", .preHooks = "hook1", .hooks = "hook2"}, x,
//                        [&](const Tensor &in) { return relu(mm(in, w)); });
//   TensorList gradients = backward(sum(y), {x});
//
// A full backward pre-hook (torch.nn.Module) receives the gradient of the module's result, before anything of the
// module is differentiated, and may replace it. A full backward hook receives the gradient of the module's input, and
// that of its result after the pre-hooks; it may replace the gradient of the input. Functions, lists of functions and
// modules are not values of a graph. They are attributes of an object that is an input of the graph, its *backward
// state*; a hook is a call that reads them there by name. PyTorch's compiler records the same call:
//
//   pre  = call_module_hooks_from_backward_state(None, (g,), bw_state=bw_state, hooks_name='hook1', module_name='mod0')
//          ... the gradient of the module, from pre[0] ...
//   post = call_module_hooks_from_backward_state(None, (gx,), (pre[0],), bw_state=bw_state, hooks_name='hook2', ...)
//
// (of torch._dynamo.external_utils). The effect of such a function is unknown, so passes keep it in place, and an
// engine without a kernel for it rejects the graph and names the function. An engine runs it where its schema is
// declared and a kernel provider supports it (docs/tracing.md).
//
// Ownership: handles; the state belongs to its trace. Failure: see tensor.h; outside a trace [trace.none]. An Eager
// session has no backward: the module is computed, and no hook is called. Cost: a view on each side of the module, and
// two nodes a call.
#pragma once

#include "ccgraph/tracer/tensor.h"

#include <functional>

namespace ccgraph::tracer {

/// The object that holds modules and their hooks.
class BackwardState {
public:
  /// Adds a placeholder to the open trace.
  [[nodiscard]] static BackwardState input(llvm::StringRef name = "bw_state");
  /// The handle of that placeholder, for recording code.
  [[nodiscard]] const Tensor &object() const { return object_; }

private:
  explicit BackwardState(Tensor object) : object_(std::move(object)) {}
  Tensor object_;
};

/// The names of the hooks' attributes in the state.
struct ModuleHooks {
  BackwardState state;
  std::string module = "mod0";
  /// lists of functions; empty: there are none
  std::string preHooks;
  std::string hooks;
};

/// Returns the result of a module with one input and records its hooks in the backward. The hooks are called where the
/// gradient of the input is computed, the pre-hooks where the gradient of any value in the module is.
[[nodiscard]] Tensor withHooks(const ModuleHooks &hooks, const Tensor &input,
                               const std::function<Tensor(const Tensor &)> &module);

} // namespace ccgraph::tracer

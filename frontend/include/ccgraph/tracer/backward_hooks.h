// Hooks of a module in the backward: functions of the user's, which no graph can hold, at their places in it.
//
//   BackwardState state = BackwardState::input();
//   Tensor y = withHooks({state, .module = "mod0", .preHooks = "hook1", .hooks = "hook2"}, x,
//                        [&](const Tensor &in) { return relu(mm(in, w)); });
//   TensorList gradients = backward(sum(y), {x});
//
// What torch.nn.Module calls full backward pre-hooks gets the gradient of the module's result, before anything of the
// module is differentiated, and may give another one; full backward hooks get the gradient of its input, and that of its
// result after the pre-hooks, and may give another gradient of the input. Functions, lists of them and modules are no
// values of a graph: they are attributes of an object that the program is given, its *backward state*, and a hook is a
// call that reads them there by name. It is the call that PyTorch's compiler records:
//
//   pre  = call_module_hooks_from_backward_state(None, (g,), bw_state=bw_state, hooks_name='hook1', module_name='mod0')
//          ... the gradient of the module, from pre[0] ...
//   post = call_module_hooks_from_backward_state(None, (gx,), (pre[0],), bw_state=bw_state, hooks_name='hook2', ...)
//
// (of torch._dynamo.external_utils). Nothing is known of what such a function does, so passes keep it where it is, and
// whoever has no kernel for it refuses to run the graph by its name. An engine runs it where its schema is declared and a
// provider has it (docs/tracing.md).
//
// Ownership: handles; the state belongs to its trace. Failure: as tensor.h says; outside of a trace [trace.none]. Eager,
// there is no backward: the module is computed, and no hook is called. Cost: a view on each side of the module, and two
// nodes a call.
#pragma once

#include "ccgraph/tracer/tensor.h"

#include <functional>

namespace ccgraph::tracer {

/// The object that holds modules and their hooks.
class BackwardState {
public:
  /// A placeholder of the open trace.
  [[nodiscard]] static BackwardState input(llvm::StringRef name = "bw_state");
  /// For what records: the handle of that placeholder.
  [[nodiscard]] const Tensor &object() const { return object_; }

private:
  explicit BackwardState(Tensor object) : object_(std::move(object)) {}
  Tensor object_;
};

/// Names of attributes of the state.
struct ModuleHooks {
  BackwardState state;
  std::string module = "mod0";
  /// lists of functions; empty: there are none
  std::string preHooks;
  std::string hooks;
};

/// What a module of one input yields, with its hooks in the backward. The hooks are called where the gradient of the
/// input is asked for; the pre-hooks, where that of anything in the module is.
[[nodiscard]] Tensor withHooks(const ModuleHooks &hooks, const Tensor &input,
                               const std::function<Tensor(const Tensor &)> &module);

} // namespace ccgraph::tracer

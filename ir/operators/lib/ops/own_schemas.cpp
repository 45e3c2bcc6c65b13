#include "ops/knowledge.h"
#include "ops/schema.h"

namespace ccgraph {
namespace {

/// Targets that share one signature.
struct SignatureGroup {
  llvm::StringLiteral signature;
  llvm::StringLiteral targets; ///< separated by blanks
};

constexpr SignatureGroup groups[] = {
    // Python, as FX prints it: on numbers and symbolic integers, at times on tensors.
    {"(Any(a) a, Any b) -> Any(a)", "operator.getitem"},
    {"(Any(a) a) -> Any(a)", "operator.pos"},
    // Calls in traces of in-place collectives: outputs paired with their Work, and the wait on one of them.
    {"(Any(a) comm_result) -> Any(a)",
     "torch.distributed._spmd.comm_tensor._wrap_comm_result torch.distributed._spmd.comm_tensor._wait_comm"},
    {"(Any a) -> Any",
     "operator.neg operator.abs operator.not_ operator.inv operator.invert operator.truth operator.index "
     "math.ceil math.floor math.trunc math.sqrt math.log2 math.exp math.cos math.sin math.tan math.tanh "
     "builtins.abs builtins.int builtins.float builtins.bool builtins.round builtins.len "
     "torch.sym_int torch.sym_float torch.sym_not torch.sym_sum torch._sym_sqrt torch.sym_sqrt torch._sym_log2"},
    {"(Any a, Any b) -> Any",
     "operator.add operator.sub operator.mul operator.truediv operator.floordiv operator.mod operator.pow "
     "operator.matmul operator.eq operator.ne operator.lt operator.le operator.gt operator.ge operator.and_ "
     "operator.or_ operator.xor operator.lshift operator.rshift operator.is_ operator.is_not math.pow "
     "torch.sym_max torch.sym_min builtins.max builtins.min"},
    {"(Any a, Any b, Any c) -> Any", "torch.sym_ite"},
    {"(Any(a!) a, Any b) -> Any(a!)",
     "operator.iadd operator.isub operator.imul operator.itruediv operator.ifloordiv operator.imod "
     "operator.ipow operator.iand operator.ior operator.ixor operator.ilshift operator.irshift"},
    {"(Any(a!) a, Any b, Any c) -> ()", "operator.setitem"},
    // Higher-order: what these subgraphs may contain is pure.
    {"(Any args, ...) -> Any", "higher_order.flex_attention higher_order.flex_attention_backward"},
    // Higher-order: what these do is what their subgraphs do, or the operator that they are given.
    {"(Any args, ...) -> Any",
     "higher_order.associative_scan higher_order.auto_functionalized higher_order.auto_functionalized_v2 "
     "higher_order.cond higher_order.foreach_map higher_order.graphsafe_run_with_rng_state higher_order.hints_wrapper "
     "higher_order.invoke_subgraph higher_order.local_map_hop higher_order.map_impl higher_order.out_dtype "
     "higher_order.run_and_save_rng_state higher_order.run_dtensor_rng_op higher_order.run_with_rng_state "
     "higher_order.scan higher_order.strict_mode higher_order.switch higher_order.tag_activation_checkpoint "
     "higher_order.while_loop higher_order.while_loop_stack_output higher_order.with_effects higher_order.wrap "
     "higher_order.wrap_activation_checkpoint higher_order.wrap_with_autocast "
     "higher_order.wrap_with_set_grad_enabled"},
    {"(Any deps, Any subgraph, Any args, ...) -> Any", "higher_order.control_deps"},
    // Marks of the profiler.
    {"(str name, str? args=None) -> Any",
     "profiler._record_function_enter.default profiler._record_function_enter_new.default"},
    {"(Any handle) -> ()", "profiler._record_function_exit.default profiler._record_function_exit._RecordFunction"},
};

} // namespace

OwnSchema findOwnSchema(llvm::StringRef key) {
  for (const SignatureGroup &group : groups) {
    llvm::StringRef rest = group.targets;
    while (!rest.empty()) {
      auto [target, tail] = rest.split(' ');
      if (operatorKey(target) == key)
        return {target.str(), (target + group.signature).str()};
      rest = tail;
    }
  }
  return {};
}

void forEachOwnTarget(llvm::function_ref<void(llvm::StringRef target)> visit) {
  for (const SignatureGroup &group : groups) {
    llvm::SmallVector<llvm::StringRef, 32> targets;
    llvm::StringRef(group.targets).split(targets, ' ');
    for (llvm::StringRef target : targets)
      visit(target);
  }
}

} // namespace ccgraph

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

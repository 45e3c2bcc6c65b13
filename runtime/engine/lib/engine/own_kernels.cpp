#include "engine/own_kernels.h"

#include "ccgraph/ir/op_def.h"
#include "kernels/builtin_provider.h"
#include "kernels/families.h"
#include "kernels/python_operators.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {

std::string kernelTarget(const KernelStep &step) {
  std::string target = step.op->target.str().str();
  auto isTensor = [](const PlanOperand &operand) { return operand.value.kind == PlanValue::Kind::Tensor; };
  if (llvm::none_of(step.operands, isTensor))
    return target;
  std::optional<llvm::StringRef> onTensors = tensorOperator(target);
  return onTensors ? onTensors->str() : target;
}

const ProvidedKernel *findOwnKernel(llvm::StringRef target) {
  const Kernel *kernel = findKernel(target);
  if (!kernel)
    return nullptr;
  auto isIt = [&](const Kernel &other) { return other.target == kernel->target; };
  bool own = llvm::any_of(hostKernels(), isIt) || llvm::any_of(bucketingKernels(), isIt);
  return own ? builtinProvider().find(target) : nullptr;
}

} // namespace ccgraph::runtime

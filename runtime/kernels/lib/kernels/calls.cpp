#include "kernels/calls.h"

namespace ccgraph::runtime {

Value callKernel(KernelArgs &args, llvm::StringRef target, Value::List positional) {
  const Kernel *kernel = findKernel(target);
  if (args.failed() || !args.check(kernel != nullptr, "needs " + target + ", which has no kernel"))
    return {};
  llvm::Expected<Value> result = callWithinRun(*kernel, {std::move(positional), {}});
  return result ? std::move(*result) : args.fail(llvm::toString(result.takeError()));
}

Tensor callForTensor(KernelArgs &args, llvm::StringRef target, Value::List positional) {
  Value result = callKernel(args, target, std::move(positional));
  return result.is(Value::Kind::Tensor) ? result.tensor() : Tensor();
}

Value listOf(IntListRef integers) {
  Value::List list;
  for (int64_t number : integers)
    list.push_back(Value::integer(number));
  return Value::list(std::move(list));
}

} // namespace ccgraph::runtime

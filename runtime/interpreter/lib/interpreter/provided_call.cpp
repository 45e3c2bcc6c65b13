#include "interpreter/provided_call.h"

#include "ccgraph/ir/op_def.h"
#include "kernels/kernel_args.h"

namespace ccgraph::runtime {
namespace {

/// Merges the arguments by position and by keyword into one list in the order of the kernel's parameters.
llvm::Expected<Value::List> byPosition(llvm::StringRef parameters, const Node &node, KernelCall call) {
  llvm::StringRef target = node.target().str();
  size_t most = parameters.empty() ? 0 : parameters.count(',') + 1;
  if (call.positional.size() > most)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   target + ": got " + llvm::Twine(call.positional.size()) +
                                       " arguments, expected at most " + llvm::Twine(most));
  Value::List values = std::move(call.positional);
  values.resize(most);
  for (auto &[name, value] : call.keywords) {
    llvm::Expected<unsigned> index = parameterIndex(target, parameters, name);
    if (!index)
      return index.takeError();
    values[*index] = std::move(value);
  }
  return values;
}

} // namespace

const ProvidedKernel *findProvided(const Providers &providers, llvm::StringRef target) {
  for (const KernelProvider *provider : providers)
    if (const ProvidedKernel *kernel = provider->find(target); kernel && kernel->isOnHost())
      return kernel;
  return nullptr;
}

llvm::Expected<Value> callProvided(const ProvidedKernel &kernel, const Node &node, KernelCall call) {
  llvm::Expected<Value::List> values = byPosition(kernel.parameters(), node, std::move(call));
  if (!values)
    return values.takeError();
  llvm::Expected<Value> result = kernel.compute(*values, {});
  std::optional<size_t> yielded = node.op()->yieldedParameter();
  if (result && node.op()->results.size() == 1 && yielded && *yielded < values->size())
    return (*values)[*yielded];
  return result;
}

} // namespace ccgraph::runtime

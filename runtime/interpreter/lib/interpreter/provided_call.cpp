#include "interpreter/provided_call.h"

#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace ccgraph::runtime {
namespace {

llvm::Error wrong(const Node &node, const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), node.target().str() + ": " + message);
}

llvm::Expected<Value::List> byPosition(llvm::StringRef parameters, const Node &node, KernelCall call) {
  llvm::SmallVector<llvm::StringRef, 8> names;
  parameters.split(names, ',', -1, /*KeepEmpty=*/false);
  if (call.positional.size() > names.size())
    return wrong(node, "got " + llvm::Twine(call.positional.size()) + " arguments, expected at most " +
                           llvm::Twine(names.size()));
  Value::List values = std::move(call.positional);
  values.resize(names.size());
  for (auto &[name, value] : call.keywords) {
    const auto *at = llvm::find(names, name);
    if (at == names.end())
      return wrong(node, "got the argument '" + name + "', expected one of: " + parameters);
    values[static_cast<size_t>(at - names.begin())] = std::move(value);
  }
  return values;
}

/// The parameter whose tensor the operator writes and yields; none: it yields other tensors.
std::optional<size_t> yieldedParameter(const OpDef &op) {
  if (op.results.size() != 1 || op.results.front().alias == 0)
    return std::nullopt;
  for (size_t i = 0; i < op.params.size(); ++i)
    if (op.params[i].writes && op.params[i].alias == op.results.front().alias)
      return i;
  return std::nullopt;
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
  std::optional<size_t> yielded = yieldedParameter(*node.op());
  if (result && yielded && *yielded < values->size())
    return (*values)[*yielded];
  return result;
}

} // namespace ccgraph::runtime

// Kernel providers: who computes the steps of a plan.
//
// A provider has a name and kernels, one an operator. A request names the providers that it wants (engine.h), and each operator is
// computed by the first that has it. There are
//   builtin   our own kernels, which the interpreter has too (kernels.h)
//   torch     PyTorch's, through its dispatcher; a module, which is loaded when it is first asked for
// and those that a program registers. Random operators are the engine's own, whoever computes the others, so that all engines draw the same
// numbers.
//
// A kernel is called by position: `values` are the arguments in the order of parameters(), None where the call leaves one out. A result
// goes where the plan says: `destinations` has a window for each result, a default-made tensor where there is none. A kernel that
// writes its result to such a window returns that tensor; one that cannot returns a tensor of its own, which is copied there. What a
// destination holds before is not said, and it may be an argument's own memory where the operator works element by element.
//
// Ownership: providers live until the program ends, and their kernels as long. Failure: a kernel's error ends the run
// (run.kernel). Thread-safe: find() and compute() are called by all ranks' threads at once. Cost: find() is called once a step when a
// plan is prepared, compute() each time.
#pragma once

#include "ccgraph/runtime/value.h"

#include "llvm/ADT/ArrayRef.h"

namespace ccgraph::runtime {

/// What one operator does.
class ProvidedKernel {
public:
  virtual ~ProvidedKernel() = default;
  /// Names in the order of the schema, comma-separated: "self,other,alpha".
  [[nodiscard]] virtual llvm::StringRef parameters() const = 0;
  /// Several results are a list. May throw std::bad_alloc, and nothing else.
  [[nodiscard]] virtual llvm::Expected<Value> compute(llvm::ArrayRef<Value> values,
                                                      llvm::ArrayRef<Tensor> destinations) const = 0;
};

class KernelProvider {
public:
  virtual ~KernelProvider() = default;
  [[nodiscard]] virtual llvm::StringRef name() const = 0;
  /// Error: what this provider needs and this machine lacks. Asked before find().
  [[nodiscard]] virtual llvm::Error checkAvailable() const { return llvm::Error::success(); }
  /// Of an operator as plans name it, "aten.add.Tensor"; null where this provider has none.
  [[nodiscard]] virtual const ProvidedKernel *find(llvm::StringRef target) const = 0;
};

/// Null where there is none of this name.
[[nodiscard]] const KernelProvider *findKernelProvider(llvm::StringRef name);
/// Sorted.
[[nodiscard]] std::vector<std::string> kernelProviderNames();
/// From now on there is this one too. Error: there is another one of its name. Not thread-safe: before the first run.
[[nodiscard]] llvm::Error registerKernelProvider(const KernelProvider &provider);

} // namespace ccgraph::runtime

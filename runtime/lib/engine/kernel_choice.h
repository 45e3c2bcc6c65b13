// KernelChoice: whose kernel computes a step: the first provider's that has one, else the engine's own (own_kernels.h).
//
// Ownership: refers to providers, which live on. Failure: rule run.request where a provider does not exist or cannot start, and
// run.no-kernel. Cost: a look-up in each provider.
#pragma once

#include "ccgraph/ir/plan.h"
#include "ccgraph/runtime/kernel_provider.h"

namespace ccgraph::runtime {

class KernelChoice {
public:
  /// By name, in the order in which they are asked.
  [[nodiscard]] static llvm::Expected<KernelChoice> of(llvm::ArrayRef<std::string> providers);
  /// Null where none has it.
  [[nodiscard]] const ProvidedKernel *find(const KernelStep &step) const;
  /// Error: some steps have no kernel; names the operators, all at once, at the first such step.
  [[nodiscard]] llvm::Error check(const Plan &plan, int64_t rank) const;

private:
  [[nodiscard]] std::string names() const;
  std::vector<const KernelProvider *> providers_;
};

} // namespace ccgraph::runtime

// KernelChoice: whose kernel computes a step: the first provider's that has one, else the engine's own (own_kernels.h).
//
// A step of a rank on a device may have a device's kernel; one of the host's stream, and every step elsewhere, the host's alone.
//
// Ownership: refers to providers, which live on. Failure: rule run.request where a provider does not exist or cannot start, and
// run.no-kernel. Cost: a look-up in each provider.
#pragma once

#include "ccgraph/ir/plan.h"
#include "ccgraph/runtime/kernel_provider.h"

namespace ccgraph::runtime {

class KernelChoice {
public:
  /// Where the ranks' memory is.
  enum class Memory : uint8_t { Host, Device };
  /// By name, in the order in which they are asked.
  [[nodiscard]] static llvm::Expected<KernelChoice> of(llvm::ArrayRef<std::string> providers, Memory memory);
  /// Of a kernel step. Null where none has it.
  [[nodiscard]] const ProvidedKernel *find(const PlanStep &step) const;
  /// Error: some steps have no kernel; names the operators, all at once, at the first such step.
  [[nodiscard]] llvm::Error check(const Plan &plan, int64_t rank) const;
  /// Joined by commas.
  [[nodiscard]] std::string names() const;

private:
  [[nodiscard]] std::string repairOf(llvm::ArrayRef<std::string> missing) const;
  std::vector<const KernelProvider *> providers_;
  Memory memory_ = Memory::Host;
};

} // namespace ccgraph::runtime

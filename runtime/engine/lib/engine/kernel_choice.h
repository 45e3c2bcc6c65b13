// KernelChoice: whose kernel computes a step: the first provider's that has one, else the engine's own (own_kernels.h).
//
// A step of a rank on a device may have a device's kernel; one of the host's stream, and every step elsewhere, the
// host's alone. Nor has a step that yields a number: a device's kernel only writes to memory.
//
// Ownership: refers to providers, which live on. Failure: rule run.request where a provider does not exist or cannot
// start, and run.no-kernel. Cost: a look-up in each provider.
#pragma once

#include "ccgraph/ir/plan.h"
#include "ccgraph/runtime/kernel_provider.h"

namespace ccgraph::runtime {

struct ChosenKernel {
  /// null: no provider supports the operator
  const ProvidedKernel *kernel = nullptr;
  /// not null: the step is the device's
  const DeviceKernel *device = nullptr;
};

class KernelChoice {
public:
  /// Where the ranks' memory is; SimulatedDevice: a device that the CPU acts.
  enum class Memory : uint8_t { Host, Device, SimulatedDevice };
  /// By name, in the order in which they are asked.
  [[nodiscard]] static llvm::Expected<KernelChoice> of(llvm::ArrayRef<std::string> providers, Memory memory);
  /// Returns the kernel of a kernel step.
  [[nodiscard]] ChosenKernel find(const PlanStep &step) const;
  /// Returns the allocators of all kernels of the plan's steps.
  [[nodiscard]] llvm::SmallVector<const DeviceAllocator *, 1> allocatorsOf(const Plan &plan) const;
  /// Fails if some steps have no kernel; the error names all such operators, at the first such step.
  [[nodiscard]] llvm::Error check(const Plan &plan, int64_t rank) const;
  /// Joined by commas.
  [[nodiscard]] std::string names() const;

private:
  [[nodiscard]] const DeviceKernel *deviceKernelOf(const ProvidedKernel &kernel, const PlanStep &step) const;
  [[nodiscard]] std::string repairOf(llvm::ArrayRef<std::string> missing) const;
  std::vector<const KernelProvider *> providers_;
  Memory memory_ = Memory::Host;
};

} // namespace ccgraph::runtime

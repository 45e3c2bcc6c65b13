#include "engine/kernel_choice.h"

#include "ccgraph/ir/op_def.h"
#include "engine/own_kernels.h"
#include "engine/step_place.h"
#include "kernels/named_providers.h"
#include "kernels/random.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace ccgraph::runtime {
namespace {

llvm::SmallVector<DType, 4> dtypesOf(const KernelStep &step) {
  llvm::SmallVector<DType, 4> dtypes;
  auto add = [&](const PlanWindow &window) { dtypes.push_back(window.type->dtype()); };
  for (const PlanOperand &operand : step.operands)
    forEachWindow(operand.value, add);
  forEachWindow(step.result, add);
  return dtypes;
}

bool yieldsNumber(const PlanValue &value) {
  return value.kind == PlanValue::Kind::Number || llvm::any_of(value.elements, yieldsNumber);
}

} // namespace

llvm::Expected<KernelChoice> KernelChoice::of(llvm::ArrayRef<std::string> providers, Memory memory) {
  llvm::Expected<std::vector<const KernelProvider *>> named = namedProviders(providers);
  if (!named)
    return named.takeError();
  KernelChoice choice;
  choice.memory_ = memory;
  choice.providers_ = std::move(*named);
  for (const KernelProvider *provider : choice.providers_)
    if (llvm::Error error = memory == Memory::Device ? provider->checkOnDevice() : llvm::Error::success())
      return unavailable(std::move(error));
  return choice;
}

ChosenKernel KernelChoice::find(const PlanStep &step) const {
  std::string target = kernelTarget(*step.kernel());
  for (const KernelProvider *provider : providers_) {
    const ProvidedKernel *kernel = provider->find(target);
    const DeviceKernel *device = kernel ? deviceKernelOf(*kernel, step) : nullptr;
    if (kernel && (device || kernel->isOnHost()))
      return {kernel, device};
  }
  return {findOwnKernel(target), nullptr};
}

const DeviceKernel *KernelChoice::deviceKernelOf(const ProvidedKernel &kernel, const PlanStep &step) const {
  if (memory_ == Memory::Host || step.stream == Plan::hostStream || yieldsNumber(step.kernel()->result))
    return nullptr;
  const DeviceKernel *device = kernel.onDevice();
  if (!device || (memory_ == Memory::SimulatedDevice && !device->canBeSimulated()) ||
      !device->takes(dtypesOf(*step.kernel())))
    return nullptr;
  return device;
}

llvm::SmallVector<const DeviceAllocator *, 1> KernelChoice::allocatorsOf(const Plan &plan) const {
  llvm::SmallVector<const DeviceAllocator *, 1> found;
  for (const PlanStep &step : plan.steps) {
    const DeviceKernel *device = step.kernel() ? find(step).device : nullptr;
    const DeviceAllocator *allocator = device ? device->allocator() : nullptr;
    if (allocator && !llvm::is_contained(found, allocator))
      found.push_back(allocator);
  }
  return found;
}

llvm::Error KernelChoice::check(const Plan &plan, int64_t rank) const {
  const PlanStep *first = nullptr;
  std::vector<std::string> missing;
  for (const PlanStep &step : plan.steps) {
    const KernelStep *kernel = step.kernel();
    if (!kernel || findRandomOp(kernel->op->target.str()) || find(step).kernel)
      continue;
    first = first ? first : &step;
    if (std::string target = kernelTarget(*kernel); !llvm::is_contained(missing, target))
      missing.push_back(std::move(target));
  }
  if (!first)
    return llvm::Error::success();
  return StepPlace{rank, first->name}.error(
      "run.no-kernel", "no kernel of " + names() + " computes " + llvm::join(missing, ", "), repairOf(missing));
}

std::string KernelChoice::repairOf(llvm::ArrayRef<std::string> missing) const {
  for (const KernelProvider *provider : providers_)
    if (memory_ == Memory::Host && llvm::any_of(missing, [&](const std::string &target) {
          const ProvidedKernel *kernel = provider->find(target);
          return kernel && !kernel->isOnHost();
        }))
      return "kernels of " + provider->name().str() +
             " compute on a device: take an engine that has one (--engine nccl, or nccl-recorded), or name a provider "
             "of the host "
             "besides (--kernels)";
  return "--kernels torch computes every operator that PyTorch has; kernels of your own can be registered "
         "(ccgraph/runtime/kernel_provider.h)";
}

std::string KernelChoice::names() const {
  return llvm::join(llvm::map_range(providers_, [](const KernelProvider *provider) { return provider->name().str(); }),
                    ", ");
}

} // namespace ccgraph::runtime

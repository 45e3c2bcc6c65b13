#include "engine/kernel_choice.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/op_def.h"
#include "engine/own_kernels.h"
#include "engine/step_place.h"
#include "interpreter/random.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace ccgraph::runtime {
namespace {

llvm::Error wrongRequest(const llvm::Twine &message) {
  Diagnostic diagnostic;
  diagnostic.rule = "run.request";
  diagnostic.message = message.str();
  return makeError(std::move(diagnostic));
}

} // namespace

llvm::Expected<KernelChoice> KernelChoice::of(llvm::ArrayRef<std::string> providers) {
  KernelChoice choice;
  for (const std::string &name : providers) {
    const KernelProvider *provider = findKernelProvider(name);
    if (!provider)
      return wrongRequest("kernels: got '" + name + "', expected one of: " + llvm::join(kernelProviderNames(), ", "));
    if (llvm::Error error = provider->checkAvailable())
      return wrongRequest(llvm::toString(std::move(error)));
    choice.providers_.push_back(provider);
  }
  return choice;
}

const ProvidedKernel *KernelChoice::find(const KernelStep &step) const {
  std::string target = kernelTarget(step);
  for (const KernelProvider *provider : providers_)
    if (const ProvidedKernel *kernel = provider->find(target))
      return kernel;
  return findOwnKernel(target);
}

llvm::Error KernelChoice::check(const Plan &plan, int64_t rank) const {
  const PlanStep *first = nullptr;
  std::vector<std::string> missing;
  for (const PlanStep &step : plan.steps) {
    const KernelStep *kernel = step.kernel();
    if (!kernel || findRandomOp(kernel->op->target.str()) || find(*kernel))
      continue;
    first = first ? first : &step;
    if (std::string target = kernelTarget(*kernel); !llvm::is_contained(missing, target))
      missing.push_back(std::move(target));
  }
  if (!first)
    return llvm::Error::success();
  return StepPlace{rank, first->name}.error(
      "run.no-kernel", "no kernel of " + names() + " computes " + llvm::join(missing, ", "),
      "name a provider that has them (--kernels), or register one (ccgraph/runtime/kernel_provider.h)");
}

std::string KernelChoice::names() const {
  return llvm::join(llvm::map_range(providers_, [](const KernelProvider *provider) { return provider->name().str(); }),
                    ", ");
}

} // namespace ccgraph::runtime

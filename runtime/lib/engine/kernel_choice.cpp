#include "engine/kernel_choice.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/op_def.h"
#include "engine/step_place.h"
#include "interpreter/random.h"

#include "llvm/ADT/SetVector.h"
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

const ProvidedKernel *KernelChoice::find(llvm::StringRef target) const {
  for (const KernelProvider *provider : providers_)
    if (const ProvidedKernel *kernel = provider->find(target))
      return kernel;
  return nullptr;
}

llvm::Error KernelChoice::check(const Plan &plan, int64_t rank) const {
  const PlanStep *first = nullptr;
  llvm::SetVector<llvm::StringRef> missing;
  for (const PlanStep &step : plan.steps) {
    const KernelStep *kernel = step.kernel();
    if (!kernel || findRandomOp(kernel->op->target.str()) || find(kernel->op->target.str()))
      continue;
    first = first ? first : &step;
    missing.insert(kernel->op->target.str());
  }
  if (!first)
    return llvm::Error::success();
  return StepPlace{rank, first->name}.error("run.no-kernel",
                                            "no kernel computes " + llvm::join(missing.getArrayRef(), ", "));
}

} // namespace ccgraph::runtime

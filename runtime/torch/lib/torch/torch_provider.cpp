#include "torch/torch_provider.h"

#include "process/loaded_module.h"
#include "torch/torch_allocator.h"
#include "torch/torch_kernel.h"
#include "torch/torch_prims.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <map>
#include <mutex>

namespace ccgraph::runtime {
namespace {

constexpr ModuleSource torchModule = {
    "libccgraph_torch.so", "ccgraphTorchCalls", ModuleSymbols::Own, "kernel provider torch",
    "configure with -DCCGRAPH_TORCH_PYTHON=PATH, a Python that has PyTorch, and build again"};

class TorchProvider final : public KernelProvider {
public:
  [[nodiscard]] llvm::StringRef name() const override { return "torch"; }

  [[nodiscard]] llvm::Error checkAvailable() const override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (calls_)
      return llvm::Error::success();
    llvm::Expected<TorchCalls *> calls = loadModule<TorchModuleEntry>(torchModule, TorchCalls::version);
    if (!calls)
      return calls.takeError();
    calls_ = *calls;
    return llvm::Error::success();
  }

  [[nodiscard]] llvm::Error checkOnDevice() const override {
    std::string problem = calls_->deviceProblem();
    if (problem.empty())
      return llvm::Error::success();
    auto [what, repair] = llvm::StringRef(problem).split('\n');
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "kernel provider torch cannot compute on a device: " + what + "\n  note: " + repair);
  }

  [[nodiscard]] const ProvidedKernel *find(llvm::StringRef target) const override {
    std::lock_guard<std::mutex> lock(mutex_);
    target.consume_front("torch.ops.");
    return calls_ ? findKernel(target) : nullptr;
  }

private:
  [[nodiscard]] const ProvidedKernel *findKernel(llvm::StringRef target) const {
    // PyTorch receives windows and no storages: it can neither find the place of a tensor in its storage, nor give a
    // tensor another one.
    if (target.startswith("aten.as_strided") || target.startswith("aten.set_data"))
      return nullptr;
    std::unique_ptr<ProvidedKernel> &kernel = kernels_[target.str()];
    if (!kernel)
      kernel = makeKernel(target);
    return kernel.get();
  }

  [[nodiscard]] std::unique_ptr<ProvidedKernel> makeKernel(llvm::StringRef target) const {
    if (const TorchOperator *op = findOperator(target))
      return std::make_unique<TorchKernel>(target.str(), *op, allocator_);
    return makePrimKernel(target, [&](llvm::StringRef part) { return findKernel(part); });
  }

  /// "aten.add.Tensor": namespace, name, overload.
  [[nodiscard]] const TorchOperator *findOperator(llvm::StringRef target) const {
    auto [space, rest] = target.split('.');
    auto [base, overload] = rest.split('.');
    std::string name = (space + "::" + base).str();
    // torch resolves an operator without overload by its arguments, and these overloads have the arguments of the bare
    // name.
    llvm::SmallVector<llvm::StringRef, 5> candidates = {overload == "default" ? "" : overload};
    if (overload.empty())
      candidates.append({"Tensor", "int", "self", "dim_IntList"});
    for (llvm::StringRef candidate : candidates)
      if (const TorchOperator *op = calls_->find(name.c_str(), candidate.str().c_str()))
        return op;
    return nullptr;
  }

  TorchAllocator allocator_{[this]() -> TorchCalls & { return *calls_; }};
  mutable std::mutex mutex_;
  mutable TorchCalls *calls_ = nullptr;
  mutable std::map<std::string, std::unique_ptr<ProvidedKernel>> kernels_;
};

} // namespace

const KernelProvider &torchProvider() {
  static const TorchProvider provider;
  return provider;
}

} // namespace ccgraph::runtime

#include "torch/torch_provider.h"

#include "ccgraph/ir/strides.h"
#include "loaded_module.h"
#include "torch/torch_prims.h"
#include "torch/torch_values.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <atomic>
#include <map>
#include <mutex>

namespace ccgraph::runtime {
namespace {

/// By address, because a plan may lay two buffers over the same bytes.
bool overlap(const Tensor &a, const Tensor &b) {
  if (!a.storage() || !b.storage())
    return false;
  auto endOf = [](const Tensor &t) { return t.data() + extentOf(t.sizes(), t.strides()) * t.elementSize(); };
  return a.data() < endOf(b) && b.data() < endOf(a);
}

bool overlapsAny(const Tensor &tensor, llvm::ArrayRef<Tensor> others) {
  return llvm::any_of(others, [&](const Tensor &other) { return overlap(tensor, other); });
}

class TorchKernel final : public ProvidedKernel {
public:
  TorchKernel(std::string target, const TorchOperator &op) : target_(std::move(target)), op_(&op) {}
  [[nodiscard]] llvm::StringRef parameters() const override { return op_->parameters(); }

  [[nodiscard]] llvm::Expected<Value> compute(llvm::ArrayRef<Value> values,
                                              llvm::ArrayRef<Tensor> destinations) const override {
    TorchArguments arguments(values);
    if (arguments.unknown())
      return wrong("got " + arguments.unknown()->describe() + ", which PyTorch's dispatcher does not take");
    std::string error;
    if (mayWriteTo(destinations, arguments.tensors())) {
      llvm::SmallVector<TorchTensor, 4> outputs;
      for (const Tensor &destination : destinations)
        outputs.push_back(torchTensor(destination));
      ResultValues results(destinations, arguments.tensors());
      if (call(arguments, outputs.data(), results, error))
        return valueOf(results);
      // Because some operators work in what they are to fill and make it larger for that (mse_loss), which this memory is not: they
      // have read all that they need, and are asked again without.
      refusesOutputs_ = true;
    }
    ResultValues results(destinations, arguments.tensors());
    return call(arguments, nullptr, results, error) ? valueOf(results) : wrong(error);
  }

private:
  [[nodiscard]] bool call(const TorchArguments &arguments, const TorchTensor *outputs, ResultValues &results,
                          std::string &error) const {
    llvm::ArrayRef<TorchArgument> given = arguments.arguments();
    return op_->call(given.data(), given.size(), outputs, results, error);
  }

  [[nodiscard]] llvm::Expected<Value> valueOf(ResultValues &results) const {
    if (results.unknownDType() >= 0)
      return wrong("yields a tensor of PyTorch's dtype " + llvm::Twine(results.unknownDType()) +
                   ", of which nothing is known here");
    return results.take();
  }

  [[nodiscard]] llvm::Error wrong(const llvm::Twine &message) const {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), target_ + ": " + message);
  }

  /// An operator that is told to write over what it reads may read it again.
  [[nodiscard]] bool mayWriteTo(llvm::ArrayRef<Tensor> destinations, llvm::ArrayRef<Tensor> arguments) const {
    return !refusesOutputs_ && op_->outputs() != 0 && op_->outputs() == destinations.size() &&
           llvm::all_of(destinations, [&](const Tensor &destination) {
             return destination.storage() && torchDType(destination.dtype()) && !overlapsAny(destination, arguments);
           });
  }

  std::string target_;
  const TorchOperator *op_;
  mutable std::atomic<bool> refusesOutputs_ = false;
};

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

  [[nodiscard]] const ProvidedKernel *find(llvm::StringRef target) const override {
    std::lock_guard<std::mutex> lock(mutex_);
    target.consume_front("torch.ops.");
    return calls_ ? findKernel(target) : nullptr;
  }

private:
  [[nodiscard]] const ProvidedKernel *findKernel(llvm::StringRef target) const {
    // Because PyTorch is given windows and no storages: it cannot know where in one a tensor lies, nor give a tensor another one.
    if (target.startswith("aten.as_strided") || target.startswith("aten.set_data"))
      return nullptr;
    std::unique_ptr<ProvidedKernel> &kernel = kernels_[target.str()];
    if (!kernel)
      kernel = makeKernel(target);
    return kernel.get();
  }

  [[nodiscard]] std::unique_ptr<ProvidedKernel> makeKernel(llvm::StringRef target) const {
    if (const TorchOperator *op = findOperator(target))
      return std::make_unique<TorchKernel>(target.str(), *op);
    return makePrimKernel(target, [&](llvm::StringRef part) { return findKernel(part); });
  }

  /// "aten.add.Tensor": namespace, name, overload.
  [[nodiscard]] const TorchOperator *findOperator(llvm::StringRef target) const {
    auto [space, rest] = target.split('.');
    auto [base, overload] = rest.split('.');
    std::string name = (space + "::" + base).str();
    // Because torch resolves an operator without overload by its arguments, and these overloads take what the bare name takes.
    llvm::SmallVector<llvm::StringRef, 5> candidates = {overload == "default" ? "" : overload};
    if (overload.empty())
      candidates.append({"Tensor", "int", "self", "dim_IntList"});
    for (llvm::StringRef candidate : candidates)
      if (const TorchOperator *op = calls_->find(name.c_str(), candidate.str().c_str()))
        return op;
    return nullptr;
  }

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

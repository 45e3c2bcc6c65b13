#include "kernels/builtin_provider.h"

#include "ccgraph/runtime/kernels.h"
#include "kernels/kernel_args.h"

namespace ccgraph::runtime {
namespace {

class BuiltinKernel final : public ProvidedKernel {
public:
  explicit BuiltinKernel(const Kernel &kernel) : kernel_(&kernel) {}
  [[nodiscard]] llvm::StringRef parameters() const override { return kernel_->parameters; }
  [[nodiscard]] llvm::Expected<Value> compute(llvm::ArrayRef<Value> values,
                                              llvm::ArrayRef<Tensor> destinations) const override {
    KernelArgs args(*kernel_, values, destinations);
    Value value;
    if (!args.failed())
      value = kernel_->compute(args);
    if (llvm::Error error = args.error())
      return error;
    return value;
  }

private:
  const Kernel *kernel_;
};

class BuiltinProvider final : public KernelProvider {
public:
  BuiltinProvider() : kernels_(allKernels().begin(), allKernels().end()) {}
  [[nodiscard]] llvm::StringRef name() const override { return "builtin"; }
  [[nodiscard]] const ProvidedKernel *find(llvm::StringRef target) const override {
    const Kernel *kernel = findKernel(target);
    return kernel ? &kernels_[static_cast<size_t>(kernel - allKernels().data())] : nullptr;
  }

private:
  /// in the order of allKernels()
  std::vector<BuiltinKernel> kernels_;
};

} // namespace

const KernelProvider &builtinProvider() {
  static const BuiltinProvider provider;
  return provider;
}

} // namespace ccgraph::runtime

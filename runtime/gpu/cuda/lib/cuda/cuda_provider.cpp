#include "cuda/cuda_provider.h"

#include "calls/gpu_calls.h"
#include "cuda/planner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace ccgraph::runtime {
namespace {

class CudaKernel final : public ProvidedKernel, public DeviceKernel {
public:
  CudaKernel(const Kernel &kernel, cuda::DeviceOperator op) : kernel_(&kernel), op_(std::move(op)) {}
  [[nodiscard]] llvm::StringRef parameters() const override { return kernel_->parameters; }
  [[nodiscard]] bool isOnHost() const override { return false; }
  [[nodiscard]] const DeviceKernel *onDevice() const override { return this; }
  [[nodiscard]] llvm::Expected<Value> compute(llvm::ArrayRef<Value>, llvm::ArrayRef<Tensor>) const override {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), kernel_->target + ": computes on a device");
  }

  [[nodiscard]] bool takes(llvm::ArrayRef<DType> dtypes) const override { return cuda::takes(op_.takes, dtypes); }
  [[nodiscard]] llvm::Error enqueue(llvm::ArrayRef<Value> values, llvm::ArrayRef<Tensor> destinations,
                                    const DeviceQueue &queue) const override {
    llvm::Expected<std::vector<device::Job>> jobs = jobsOf(values, destinations);
    if (!jobs)
      return jobs.takeError();
    for (const device::Job &job : *jobs)
      if (int code = queue.calls->compute(kernel_->target, job, {queue.stream}))
        return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                       kernel_->target + ": " + queue.calls->errorText(code));
    return llvm::Error::success();
  }

  [[nodiscard]] llvm::Expected<std::vector<device::Job>> jobsOf(llvm::ArrayRef<Value> values,
                                                                llvm::ArrayRef<Tensor> destinations) const {
    cuda::Planner planner(*kernel_, values, destinations);
    if (!planner.args.failed())
      op_.plan(planner);
    if (llvm::Error error = planner.args.error())
      return error;
    return planner.takeJobs();
  }

private:
  const Kernel *kernel_;
  cuda::DeviceOperator op_;
};

class CudaProvider final : public KernelProvider {
public:
  CudaProvider() {
    for (const std::vector<cuda::DeviceOperator> &family :
         {cuda::mapOperators(), cuda::copyOperators(), cuda::reductionOperators(), cuda::rowOperators(),
          cuda::attentionOperators(), cuda::orderOperators(), cuda::pickOperators(), cuda::lookupOperators(),
          cuda::adamOperators(), cuda::matmulOperators()})
      for (const cuda::DeviceOperator &op : family)
        if (const Kernel *kernel = findKernel(op.target))
          kernels_.try_emplace(op.target, *kernel, op);
  }
  [[nodiscard]] llvm::StringRef name() const override { return "cuda"; }
  [[nodiscard]] const CudaKernel *find(llvm::StringRef target) const override {
    auto found = kernels_.find(target);
    return found == kernels_.end() ? nullptr : &found->second;
  }

private:
  llvm::StringMap<CudaKernel> kernels_;
};

} // namespace

static const CudaProvider &theProvider() {
  static const CudaProvider provider;
  return provider;
}

const KernelProvider &cudaProvider() { return theProvider(); }

llvm::Expected<std::vector<device::Job>> cudaJobs(llvm::StringRef target, llvm::ArrayRef<Value> values,
                                                  llvm::ArrayRef<Tensor> destinations) {
  const CudaKernel *kernel = theProvider().find(target);
  if (!kernel)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "no kernel of cuda computes " + target);
  return kernel->jobsOf(values, destinations);
}

} // namespace ccgraph::runtime

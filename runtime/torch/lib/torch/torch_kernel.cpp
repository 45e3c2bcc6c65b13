#include "torch/torch_kernel.h"

#include "calls/gpu_calls.h"
#include "ccgraph/ir/strides.h"
#include "torch/torch_allocator.h"

namespace ccgraph::runtime {
namespace {

/// Compares addresses, because a plan may lay two buffers over the same bytes.
bool overlap(const Tensor &a, const Tensor &b) {
  if (!a.storage() || !b.storage())
    return false;
  auto endOf = [](const Tensor &t) { return t.data() + extentOf(t.sizes(), t.strides()) * t.elementSize(); };
  return a.data() < endOf(b) && b.data() < endOf(a);
}

bool overlapsAny(const Tensor &tensor, llvm::ArrayRef<Tensor> others) {
  return llvm::any_of(others, [&](const Tensor &other) { return overlap(tensor, other); });
}

/// A window that takes nothing has no dtype.
llvm::SmallVector<TorchTensor, 4> windowsOf(llvm::ArrayRef<Tensor> destinations) {
  llvm::SmallVector<TorchTensor, 4> windows;
  for (const Tensor &destination : destinations) {
    windows.push_back(destination.storage() ? torchTensor(destination) : TorchTensor());
    if (!destination.storage())
      windows.back().dtype = -1;
  }
  return windows;
}

} // namespace

llvm::Error TorchKernel::wrong(const llvm::Twine &message) const {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), target_ + ": " + message);
}

// --- What both decide ------------------------------------------------------------------------------------------

/// An operator that writes over its own input may read that input again.
bool TorchKernel::mayWriteTo(llvm::ArrayRef<Tensor> destinations, llvm::ArrayRef<Tensor> arguments) const {
  return !refusesOutputs_ && op_->outputs() != 0 && op_->outputs() == destinations.size() &&
         llvm::all_of(destinations, [&](const Tensor &destination) {
           return destination.storage() && torchDType(destination.dtype()) && !overlapsAny(destination, arguments);
         });
}

bool TorchKernel::attempt(llvm::ArrayRef<Tensor> destinations, llvm::ArrayRef<Tensor> arguments,
                          llvm::function_ref<bool(bool direct)> call) const {
  if (mayWriteTo(destinations, arguments)) {
    if (call(true))
      return true;
    // Some operators use their output as working memory and enlarge it (mse_loss), which is not possible for this
    // memory. They have read all that they need, and are called again without outputs.
    refusesOutputs_ = true;
  }
  return call(false);
}

static std::string unknownArgument(const Value &value) {
  return "got " + value.describe() + ", which PyTorch's dispatcher does not take";
}

// --- On the host -----------------------------------------------------------------------------------------------

llvm::Expected<Value> TorchKernel::compute(llvm::ArrayRef<Value> values, llvm::ArrayRef<Tensor> destinations) const {
  TorchArguments arguments(values);
  if (arguments.unknown())
    return wrong(unknownArgument(*arguments.unknown()));
  std::string error;
  std::optional<ResultValues> results;
  llvm::SmallVector<TorchTensor, 4> windows = windowsOf(destinations);
  llvm::ArrayRef<TorchArgument> given = arguments.arguments();
  if (!attempt(destinations, arguments.tensors(), [&](bool direct) {
        results.emplace(destinations, arguments.tensors());
        return op_->call(given.data(), given.size(), direct ? windows.data() : nullptr, *results, error);
      }))
    return wrong(error);
  if (results->unknownDType() >= 0)
    return wrong("yields a tensor of PyTorch's dtype " + llvm::Twine(results->unknownDType()) +
                 ", of which nothing is known here");
  return results->take();
}

// --- On a device -----------------------------------------------------------------------------------------------

bool TorchKernel::takes(llvm::ArrayRef<DType> dtypes) const {
  return llvm::all_of(dtypes, [](DType dtype) { return torchDType(dtype).has_value(); });
}

std::string TorchKernel::whyNotCaptured(llvm::ArrayRef<Value> values) const {
  TorchArguments arguments(values);
  const char *what = op_->whatHostReads(arguments.arguments().data(), arguments.arguments().size());
  return what ? target_ + ": " + what + ", which the host must read" : std::string();
}

/// A call of a recorded run, as the model comes to it.
class TorchKernel::SimulatedCall final : public GpuWork {
public:
  SimulatedCall(const TorchKernel &kernel, llvm::ArrayRef<Value> values, llvm::ArrayRef<Tensor> destinations,
                const TorchPoolUse &pool)
      : kernel_(kernel), values_(values.begin(), values.end()), destinations_(destinations.begin(), destinations.end()),
        pool_(pool) {}
  [[nodiscard]] llvm::StringRef name() const override { return kernel_.target_; }
  [[nodiscard]] std::string why() const override { return why_; }

  [[nodiscard]] bool run() override {
    if (pool_.isGone())
      why_ = kernel_.target_ + ": the memory that it was captured with has been given back, and its graph runs";
    else
      why_ = outcome();
    return why_.empty();
  }

private:
  [[nodiscard]] std::string outcome() const {
    try {
      return llvm::toString(kernel_.fill(values_, destinations_, {}));
    } catch (const std::bad_alloc &) {
      return kernel_.target_ + ": needs more memory than this run may hold";
    }
  }

  const TorchKernel &kernel_;
  std::vector<Value> values_;
  std::vector<Tensor> destinations_;
  TorchPoolUse pool_;
  std::string why_;
};

llvm::Error TorchKernel::enqueue(llvm::ArrayRef<Value> values, llvm::ArrayRef<Tensor> destinations,
                                 const DeviceQueue &queue) const {
  return queue.isSimulated ? act(values, destinations, queue) : fill(values, destinations, {true, queue.stream});
}

llvm::Error TorchKernel::act(llvm::ArrayRef<Value> values, llvm::ArrayRef<Tensor> destinations,
                             const DeviceQueue &queue) const {
  llvm::Expected<TorchPoolUse> pool = TorchPoolUse::of(queue);
  if (!pool)
    return wrong(llvm::toString(pool.takeError()));
  if (int code =
          queue.calls->launch(std::make_shared<SimulatedCall>(*this, values, destinations, *pool), {queue.stream}))
    return wrong(queue.calls->errorText(code));
  return llvm::Error::success();
}

llvm::Error TorchKernel::fill(llvm::ArrayRef<Value> values, llvm::ArrayRef<Tensor> destinations,
                              const TorchPlace &place) const {
  TorchArguments arguments(values);
  if (arguments.unknown())
    return wrong(unknownArgument(*arguments.unknown()));
  llvm::SmallVector<TorchTensor, 4> windows = windowsOf(destinations);
  llvm::ArrayRef<TorchArgument> given = arguments.arguments();
  TorchFill call{given.data(), given.size(), windows.data(), windows.size(), false, place};
  std::string error;
  bool done = attempt(destinations, arguments.tensors(), [&](bool direct) {
    call.direct = direct;
    return op_->fill(call, error);
  });
  return done ? llvm::Error::success() : wrong(error);
}

} // namespace ccgraph::runtime

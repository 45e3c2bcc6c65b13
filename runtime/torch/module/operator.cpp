#include "operator.h"

#include "conversion.h"
#include "devices.h"
#include "knowledge.h"
#include "results.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>

namespace ccgraph::runtime {
namespace {

bool runsOn(const c10::OperatorHandle &op, c10::DispatchKey key) { return op.hasComputedKernelForDispatchKey(key); }

at::Tensor packed(const at::Tensor &tensor) {
  bool gaps = tensor.defined() && tensor.dim() > 0 && tensor.size(-1) > 1 && tensor.stride(-1) != 1;
  return gaps ? tensor.contiguous() : tensor;
}

class Silence final : public c10::WarningHandler {
  void process(const c10::Warning &) override {}
};

/// Returns false where `work` throws; `error` is the message.
template <typename Work>
bool calmly(std::string &error, const Work &work) {
  try {
    c10::InferenceMode guard;
    // A library must not print.
    Silence silence;
    c10::WarningUtils::WarningHandlerGuard warnings(&silence);
    work();
    return true;
  } catch (const c10::Error &failure) {
    error = failure.what_without_backtrace();
  } catch (const std::bad_alloc &) {
    error = "needs more memory than there is";
  } catch (const std::exception &failure) {
    error = failure.what();
  }
  return false;
}

class Operator final : public TorchOperator {
public:
  Operator(c10::OperatorHandle op, const std::vector<c10::OperatorHandle> &overloads)
      : op_(std::move(op)), onHost_(runsOn(op_, c10::DispatchKey::CPU)),
        onDevice_(runsOn(op_, devices::dispatchKey()) && yieldsTensors(op_.schema())),
        packs_(packsLastDimension(op_.schema())), randomness_(randomnessOf(op_)) {
    for (const c10::Argument &parameter : op_.schema().arguments())
      parameters_ += (parameters_.empty() ? "" : ",") + parameter.name();
    for (const c10::OperatorHandle &candidate : overloads)
      if (candidate.hasSchema() && runsWhereThisDoes(candidate) && writesResultsOf(candidate.schema(), op_.schema()) &&
          !outputsAreWrong(op_.schema()))
        out_ = candidate;
  }

  [[nodiscard]] const char *parameters() const override { return parameters_.c_str(); }
  [[nodiscard]] size_t outputs() const override { return out_ ? op_.schema().returns().size() : 0; }
  [[nodiscard]] bool runsOnHost() const override { return onHost_; }
  [[nodiscard]] bool runsOnDevice() const override { return onDevice_; }

  [[nodiscard]] bool call(const TorchArgument *arguments, size_t count, const TorchTensor *outputs,
                          TorchResults &results, std::string &error) const override {
    return calmly(error, [&] {
      torch::jit::Stack stack = stackOf(arguments, count, c10::kCPU);
      callWith(outputs, stack, c10::kCPU);
      tellAll(stack, results);
    });
  }

  [[nodiscard]] bool fill(const TorchFill &call, std::string &error) const override {
    return calmly(error, [&] {
      std::shared_ptr<void> entered = call.place.onDevice ? devices::enterStream(call.place.stream) : nullptr;
      c10::Device device = call.place.onDevice ? devices::deviceOf(call.place.stream) : c10::Device(c10::kCPU);
      torch::jit::Stack stack = stackOf(call.arguments, call.count, device);
      callWith(call.direct ? call.destinations : nullptr, stack, device);
      leaveIn(call, stack, device);
    });
  }

  [[nodiscard]] const char *whatHostReads(const TorchArgument *arguments, size_t count) const override {
    return runtime::whatHostReads(op_, arguments, count);
  }

private:
  [[nodiscard]] bool runsWhereThisDoes(const c10::OperatorHandle &candidate) const {
    return (!onHost_ || runsOn(candidate, c10::DispatchKey::CPU)) &&
           (!onDevice_ || runsOn(candidate, devices::dispatchKey()));
  }

  /// `outputs` has as many tensors as outputs() returns, or is null.
  void callWith(const TorchTensor *outputs, torch::jit::Stack &stack, c10::Device device) const {
    for (size_t i = 0; outputs && i < this->outputs(); ++i)
      stack.emplace_back(tensorOver(outputs[i], device));
    const c10::OperatorHandle &called = outputs ? *out_ : op_;
    // The dispatcher removes arguments from the stack before it reads several results that are references to them.
    torch::jit::Stack kept;
    if (called.schema().returns().size() > 1)
      kept = stack;
    called.callBoxed(stack);
  }

  torch::jit::Stack stackOf(const TorchArgument *arguments, size_t count, c10::Device device) const {
    static const TorchArgument none;
    torch::jit::Stack stack;
    const std::vector<c10::Argument> &parameters = op_.schema().arguments();
    for (size_t i = 0; i < parameters.size(); ++i)
      stack.push_back(convert(i < count ? arguments[i] : none, parameters[i], device));
    checkDrawsNothing(stack);
    for (c10::IValue &value : stack)
      if (packs_ && value.isTensor())
        value = packed(value.toTensor());
    return stack;
  }

  /// Other engines, and the next run, would not draw the same numbers.
  void checkDrawsNothing(const torch::jit::Stack &stack) const {
    if (randomness_ < 0)
      return;
    const c10::IValue &given = stack[static_cast<size_t>(randomness_)];
    bool draws = given.isNone() || (given.isBool() ? given.toBool() : given.toScalar().toDouble() != 0);
    TORCH_CHECK(!draws, "got dropout, expected ", op_.schema().arguments()[static_cast<size_t>(randomness_)].name(),
                " that is 0 or false");
  }

  c10::OperatorHandle op_;
  std::optional<c10::OperatorHandle> out_;
  std::string parameters_;
  bool onHost_, onDevice_;
  bool packs_;
  /// see randomnessOf()
  int randomness_;
};

} // namespace

std::unique_ptr<TorchOperator> makeOperator(const c10::OperatorHandle &op,
                                            const std::vector<c10::OperatorHandle> &overloads) {
  if (!isCallable(op))
    return nullptr;
  auto made = std::make_unique<Operator>(op, overloads);
  return made->runsOnHost() || made->runsOnDevice() ? std::move(made) : nullptr;
}

} // namespace ccgraph::runtime

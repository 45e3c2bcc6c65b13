// PreparedKernel: a kernel step with its operator found and its arguments in place.
//
// Values that are the same in every run (literals, windows that never move) are evaluated once. Symbolic sizes,
// numbers, and growing tensors are evaluated when the step runs.
//
// Ownership: borrows plan and state, keeps the values. Failure: DiagnosticErrors of rules run.kernel and those of
// ResultPlace. Cost: that of the kernel, and of the arguments that change.
#pragma once

#include "engine/kernel_choice.h"
#include "engine/result_place.h"
#include "kernels/random.h"

namespace ccgraph::runtime {

class PreparedKernel {
public:
  /// `kernels` has one for the step.
  [[nodiscard]] static llvm::Expected<PreparedKernel> prepare(const PlanStep &step, RankState &state,
                                                              const KernelChoice &kernels);
  [[nodiscard]] llvm::Error run(RankState &state);
  /// run() in two parts, for an engine that issues a step before it runs: first the part that the host can do at issue,
  /// then the work itself.
  [[nodiscard]] llvm::Error bind(RankState &state);
  [[nodiscard]] llvm::Error runBound(RankState &state);
  /// Returns whether it is a device kernel: a bound call is enqueued, and not run.
  [[nodiscard]] bool isOnDevice() const { return device_; }
  [[nodiscard]] llvm::Error enqueueBound(const RankState &state, const DeviceQueue &queue);
  /// Returns the allocator whose memory it takes when it is enqueued; null where it takes none.
  [[nodiscard]] const DeviceAllocator *allocator() const { return device_ ? device_->allocator() : nullptr; }
  /// Returns why it cannot be captured, judged by arguments that never change; empty where it can.
  [[nodiscard]] std::string whyNotCaptured() const { return device_ ? device_->whyNotCaptured(values_) : ""; }

private:
  [[nodiscard]] llvm::Error bind(const Argument &argument, size_t parameter, const RankState &state);
  [[nodiscard]] llvm::Error bindAll(const RankState &state);
  [[nodiscard]] llvm::Expected<size_t> parameterOf(llvm::StringRef keyword, const RankState &state) const;
  [[nodiscard]] llvm::Expected<Value> compute(const RankState &state) const;
  [[nodiscard]] llvm::Expected<Value> draw(RankState &state) const;
  void forgetChanging();
  [[nodiscard]] StepPlace place(const RankState &state) const { return state.at(step_->name); }

  /// An argument that is evaluated anew each time.
  struct Changing {
    const Argument *tree = nullptr;
    size_t parameter = 0;
  };

  const PlanStep *step_ = nullptr;
  const KernelStep *work_ = nullptr;
  /// one of kernel_ and random_
  const ProvidedKernel *kernel_ = nullptr;
  /// the kernel's, where the step is the device's
  const DeviceKernel *device_ = nullptr;
  const RandomOp *random_ = nullptr;
  /// by parameter; None where left out
  std::vector<Value> values_;
  std::vector<bool> given_;
  std::vector<Changing> changing_;
  ResultPlace result_;
  /// where the kernel may write
  Tensors windows_;
  bool windowsChange_ = false;
};

} // namespace ccgraph::runtime

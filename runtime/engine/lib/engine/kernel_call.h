// PreparedKernel: a kernel step with its operator found and its arguments in place.
//
// What is the same in every run, literals and windows that never move, is evaluated once; sizes that are symbolic, numbers, and
// tensors that grow are evaluated when the step runs.
//
// Ownership: borrows plan and state, keeps the values. Failure: DiagnosticErrors of rules run.kernel and those of ResultPlace. Cost: that of the kernel, and of the arguments that change.
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
  /// run() in two parts, for who issues a step before it runs: first what the host knows when it issues it, then the work itself.
  [[nodiscard]] llvm::Error bind(RankState &state);
  [[nodiscard]] llvm::Error runBound(RankState &state);
  /// It is a device's: what is bound is enqueued, and not run.
  [[nodiscard]] bool isOnDevice() const { return device_; }
  [[nodiscard]] llvm::Error enqueueBound(const RankState &state, const DeviceQueue &queue);
  /// Whose memory it takes when it is enqueued; null: nobody's.
  [[nodiscard]] const DeviceAllocator *allocator() const { return device_ ? device_->allocator() : nullptr; }
  /// What keeps it from being captured with arguments that never change; empty: nothing.
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

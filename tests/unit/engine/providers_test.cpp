// Tests kernel providers: their order, operators without a kernel, and registration.
#include "support/plan_builder.h"
#include "support/rank_program.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

using runtime::KernelProvider;
using runtime::ProvidedKernel;
using runtime::Tensor;
using runtime::Value;
using Row = std::vector<double>;

/// A kernel that returns sevens in the offered window, or in memory of its own.
class Sevens final : public ProvidedKernel {
public:
  explicit Sevens(bool inWindow) : inWindow_(inWindow) {}
  [[nodiscard]] llvm::StringRef parameters() const override { return "self"; }
  [[nodiscard]] llvm::Expected<Value> compute(llvm::ArrayRef<Value> values,
                                              llvm::ArrayRef<Tensor> destinations) const override {
    Tensor result = inWindow_ && !destinations.empty() ? destinations.front()
                                                       : Tensor::zeros(DType::F32, values.front().tensor().sizes());
    for (int64_t i = 0; i < result.numElements(); ++i)
      reinterpret_cast<float *>(result.data())[i] = 7;
    return Value(result);
  }

private:
  bool inWindow_;
};

class SevensProvider final : public KernelProvider {
public:
  [[nodiscard]] llvm::StringRef name() const override { return "sevens"; }
  [[nodiscard]] const ProvidedKernel *find(llvm::StringRef target) const override {
    static const Sevens inWindow(true), alone(false);
    if (target == "aten.relu.default")
      return &inWindow;
    return target == "aten.neg.default" ? &alone : nullptr;
  }
};

void registerSevens() {
  static const SevensProvider provider;
  static const bool registered = [] {
    llvm::cantFail(runtime::registerKernelProvider(provider));
    return true;
  }();
  (void)registered;
}

/// A plan that computes y = OP(x), z = y + y.
struct TwoSteps : PlanBuilder {
  explicit TwoSteps(llvm::StringRef op) {
    PlanWindow x = input("x", {2}), y = compute("y", {2}), z = compute("z", {2});
    kernel("y", op, {x}, y);
    kernel("z", "aten.add.Tensor", {y, y}, z);
    returns(z);
  }
  [[nodiscard]] llvm::Expected<runtime::RunResult> run(std::vector<std::string> kernels) const {
    runtime::PlanRequest request{.plans = {&plan}, .ranks = 1};
    request.inputs = {{{"in.x", hostTensor(DType::F32, {2}, Row{1, 2})}}};
    request.kernels = std::move(kernels);
    return runPlans(*runtime::findEngine("local"), request);
  }
  [[nodiscard]] Row result(std::vector<std::string> kernels) const {
    return numbersOf(resultsOf(run(std::move(kernels)))[0].at("out.0"));
  }
};

TEST(KernelProviders, TheFirstThatHasAKernelComputes) {
  registerSevens();
  TwoSteps relu("aten.relu.default");
  EXPECT_EQ(relu.result({"builtin", "sevens"}), (Row{2, 4}));
  EXPECT_EQ(relu.result({"sevens", "builtin"}), (Row{14, 14}));
}

TEST(KernelProviders, AResultInMemoryOfItsOwnIsCopied) {
  registerSevens();
  EXPECT_EQ(TwoSteps("aten.neg.default").result({"sevens", "builtin"}), (Row{14, 14}));
}

TEST(KernelProviders, WhatNobodyHasIsNamedAllAtOnce) {
  registerSevens();
  TwoSteps steps("mylib.unheard_of.default");
  EXPECT_EQ(errorOf(steps.run({"sevens"})),
            "error: y: rank 0: no kernel of sevens computes mylib.unheard_of.default, aten.add.Tensor [run.no-kernel]\n"
            "  note: --kernels torch computes every operator that PyTorch has; kernels of your own can be registered "
            "(ccgraph/runtime/kernel_provider.h)\n");
}

TEST(KernelProviders, NumbersAreTheEnginesOwnBusiness) {
  registerSevens();
  PlanBuilder b;
  b.plan.numSlots = 1;
  b.host("n", "operator.add", {3, 4}, PlanValue::number(0, nullptr));
  b.plan.outputs.push_back(PlanValue::number(0, nullptr));
  runtime::PlanRequest request{.plans = {&b.plan}, .ranks = 1, .inputs = {{}}};
  request.kernels = {"sevens"};
  EXPECT_EQ(numbersOf(resultsOf(runPlans(*runtime::findEngine("local"), request))[0].at("out.0")), (Row{7}));
}

TEST(KernelProviders, OnTensorsPythonsOperatorsAreThoseOfPyTorch) {
  registerSevens();
  EXPECT_EQ(TwoSteps("operator.neg").result({"sevens", "builtin"}), (Row{14, 14}));
  EXPECT_EQ(TwoSteps("operator.neg").result({"builtin"}), (Row{-2, -4}));
  PlanBuilder b;
  PlanWindow x = b.input("x", {2}), y = b.compute("y", {2});
  b.kernel("y", "operator.mul", {x, x}, y);
  b.returns(y);
  runtime::PlanRequest request{
      .plans = {&b.plan}, .ranks = 1, .inputs = {{{"in.x", hostTensor(DType::F32, {2}, Row{1, 2})}}}};
  request.kernels = {"sevens"};
  EXPECT_EQ(errorOf(runPlans(*runtime::findEngine("local"), request)),
            "error: y: rank 0: no kernel of sevens computes aten.mul.Tensor [run.no-kernel]\n"
            "  note: --kernels torch computes every operator that PyTorch has; kernels of your own can be registered "
            "(ccgraph/runtime/kernel_provider.h)\n");
}

TEST(KernelProviders, AProviderThatDoesNotExistIsRefused) {
  registerSevens();
  // Other tests of this program register providers, too.
  std::vector<std::string> names = runtime::kernelProviderNames();
  EXPECT_TRUE(llvm::is_sorted(names));
  for (const char *name : {"builtin", "cuda", "sevens", "torch"})
    EXPECT_TRUE(llvm::is_contained(names, name)) << name;
  EXPECT_EQ(errorOf(TwoSteps("aten.relu.default").run({"seven"})),
            "error: kernels: got 'seven', expected one of: " + llvm::join(names, ", ") + " [run.request]\n");
}

TEST(KernelProviders, ANameIsTakenOnce) {
  registerSevens();
  static const SevensProvider second;
  EXPECT_EQ(llvm::toString(runtime::registerKernelProvider(second)),
            "kernel provider 'sevens': got a second one of this name, expected a name of its own");
}

} // namespace
} // namespace ccgraph::test

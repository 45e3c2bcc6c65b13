// Kernels of devices that take memory: the engine tells their allocator of captures, runs the steps once before, and
// lets the graph go first.
#include "calls/gpu_calls.h"
#include "ccgraph/ir/diagnostic.h"
#include "recorded_run.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::test {
namespace {

using runtime::Tensor;
using runtime::Value;

/// The calls of the engine to the allocator, in order.
std::vector<std::string> &story() {
  static std::vector<std::string> told;
  return told;
}

class ToldMemory final : public runtime::CapturedMemory {
public:
  ~ToldMemory() override { story().emplace_back("gone"); }
  [[nodiscard]] llvm::Error end() override {
    story().emplace_back("end");
    return llvm::Error::success();
  }
};

class ToldAllocator final : public runtime::DeviceAllocator {
public:
  [[nodiscard]] llvm::Expected<std::unique_ptr<runtime::CapturedMemory>>
  beginCapture(const runtime::DeviceQueue &) const override {
    story().emplace_back("begin");
    return std::make_unique<ToldMemory>();
  }
};

/// Work that adds 1 to its operand in place.
class AddOne final : public runtime::GpuWork {
public:
  explicit AddOne(Tensor tensor) : tensor_(std::move(tensor)) {}
  [[nodiscard]] llvm::StringRef name() const override { return "add one"; }
  [[nodiscard]] bool run() override {
    for (int64_t i = 0; i < tensor_.numElements(); ++i)
      reinterpret_cast<float *>(tensor_.data())[i] += 1;
    return true;
  }

private:
  Tensor tensor_;
};

class TakesMemory final : public runtime::ProvidedKernel, public runtime::DeviceKernel {
public:
  explicit TakesMemory(bool onHost = false) : onHost_(onHost) {}
  [[nodiscard]] llvm::StringRef parameters() const override { return "self"; }
  [[nodiscard]] bool isOnHost() const override { return onHost_; }
  [[nodiscard]] const DeviceKernel *onDevice() const override { return this; }
  [[nodiscard]] llvm::Expected<Value> compute(llvm::ArrayRef<Value> values, llvm::ArrayRef<Tensor>) const override {
    (void)AddOne(values.front().tensor()).run();
    return values.front();
  }
  [[nodiscard]] bool takes(llvm::ArrayRef<DType> dtypes) const override {
    return llvm::all_of(dtypes, [](DType dtype) { return dtype == DType::F32; });
  }
  [[nodiscard]] llvm::Error enqueue(llvm::ArrayRef<Value> values, llvm::ArrayRef<Tensor>,
                                    const runtime::DeviceQueue &queue) const override {
    bool captured = false;
    EXPECT_EQ(queue.calls->isCaptured({queue.stream}, captured), 0);
    story().emplace_back(captured ? "captured" : "enqueued");
    EXPECT_EQ(captured, queue.captured != nullptr);
    EXPECT_EQ(queue.calls->launch(std::make_shared<AddOne>(values.front().tensor()), {queue.stream}), 0);
    return llvm::Error::success();
  }
  [[nodiscard]] const runtime::DeviceAllocator *allocator() const override {
    static const ToldAllocator only;
    return &only;
  }
  [[nodiscard]] std::string whyNotCaptured(llvm::ArrayRef<Value> values) const override {
    return values.front().tensor().numElements() == 3 ? "three is too many" : "";
  }

private:
  bool onHost_;
};

class MemoryProvider final : public runtime::KernelProvider {
public:
  [[nodiscard]] llvm::StringRef name() const override { return "memory"; }
  [[nodiscard]] const runtime::ProvidedKernel *find(llvm::StringRef target) const override {
    static const TakesMemory device, either(true);
    if (target == "aten.neg_.default")
      return &device;
    return target == "aten.abs_.default" ? &either : nullptr;
  }
};

void registerMemory() {
  static const MemoryProvider provider;
  static const bool registered = [] {
    llvm::cantFail(runtime::registerKernelProvider(provider));
    return true;
  }();
  (void)registered;
  story().clear();
}

/// A plan that computes x += 1 in place in the input, and returns x.
struct InPlace : PlanBuilder {
  explicit InPlace(llvm::StringRef op = "aten.neg_.default", int64_t size = 2) {
    PlanWindow x = input("x", {size});
    PlanOperand written{PlanValue::tensor(x)};
    written.writes = true;
    kernel("x1", op, {written}, x);
    returns(x);
  }
};

runtime::PlanRequest captured(const Plan &plan, std::vector<TensorMap> inputs) {
  runtime::PlanRequest request = requestOf(plan, std::move(inputs), {"memory"});
  request.capture = true;
  return request;
}

TEST(DeviceMemory, StepsRunOnceBeforeTheyAreCapturedAndTheGraphGoesFirst) {
  registerMemory();
  InPlace program;
  runtime::PlanRequest request = captured(program.plan, {{{"in.x", f32({2}, {1, 2})}}});
  {
    auto plans = llvm::cantFail(runtime::findEngine("nccl-recorded")->prepare(request));
    for (int run = 0; run < 3; ++run)
      EXPECT_EQ(numbersOf(resultsOf(plans->run(request.inputs))[0].at("out.0")), (Row{2, 3}));
    EXPECT_EQ(story(), (std::vector<std::string>{"enqueued", "begin", "captured", "end"}));
  }
  EXPECT_EQ(story().back(), "gone");
}

/// A plan that computes y = all_reduce(x) on two ranks, after OP changes x in place; OP is also the name of the
/// program.
struct Exchange : PlanBuilder {
  Exchange(int64_t rank, llvm::StringRef op) {
    plan.rank = rank;
    PlanWindow x = input("x", {2}), y = comm("y", {2});
    StreamId comm = collectives(group("tp", {0, 1}));
    PlanOperand written{PlanValue::tensor(x)};
    written.writes = true;
    kernel("x1", op, {written}, x);
    collective("y", comm, {call(CollectiveKind::AllReduce, comm, x, y)});
    order("x1", "y");
    returns(y);
  }
};

TEST(DeviceMemory, AllRanksRunOnceBeforeIfOneOfThemNeedsIt) {
  registerMemory();
  Exchange needs(0, "aten.neg_.default"), plain(1, "aten.relu_.default");
  runtime::PlanRequest request = captured(needs.plan, {{{"in.x", f32({2}, {1, 2})}}, {{"in.x", f32({2}, {10, 20})}}});
  request.plans = {&needs.plan, &plain.plan};
  request.kernels = {"memory", "builtin"};
  auto plans = llvm::cantFail(runtime::findEngine("nccl-recorded")->prepare(request));
  for (int run = 0; run < 2; ++run)
    EXPECT_EQ(numbersOf(resultsOf(plans->run(request.inputs))[1].at("out.0")), (Row{12, 23}));
}

TEST(DeviceMemory, WithoutACaptureTheAllocatorIsToldOfNone) {
  registerMemory();
  InPlace program;
  runtime::PlanRequest request = requestOf(program.plan, {{{"in.x", f32({2}, {1, 2})}}}, {"memory"});
  EXPECT_EQ(numbersOf(resultsOf(runRecorded(request))[0].at("out.0")), (Row{2, 3}));
  EXPECT_EQ(story(), (std::vector<std::string>{"enqueued"}));
}

TEST(DeviceMemory, WhatAKernelSaysCannotBeCapturedIsRefused) {
  registerMemory();
  InPlace program("aten.neg_.default", 3);
  EXPECT_EQ(errorOf(runRecorded(captured(program.plan, {{{"in.x", f32({3}, {1, 2, 3})}}}))),
            "error: x1: rank 0: cannot be captured: three is too many [run.request]\n"
            "  note: leave --capture out, or take the step out of the program\n");
}

TEST(DeviceMemory, AKernelOfBothIsTheHostsWhereThereIsNoDevice) {
  registerMemory();
  InPlace either("aten.abs_.default"), device;
  runtime::PlanRequest request = requestOf(either.plan, {{{"in.x", f32({2}, {1, 2})}}}, {"memory"});
  EXPECT_EQ(numbersOf(resultsOf(runPlans(*runtime::findEngine("local"), request))[0].at("out.0")), (Row{2, 3}));
  EXPECT_TRUE(story().empty());
  EXPECT_EQ(numbersOf(resultsOf(runRecorded(request))[0].at("out.0")), (Row{2, 3}));
  EXPECT_EQ(story(), (std::vector<std::string>{"enqueued"}));
  request.plans = {&device.plan};
  EXPECT_NE(errorOf(runPlans(*runtime::findEngine("local"), request)).find("kernels of memory compute on a device"),
            std::string::npos);
}

} // namespace
} // namespace ccgraph::test

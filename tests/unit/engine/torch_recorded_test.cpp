// Tests PyTorch's kernels as kernels for a device, with recorded calls: their use of windows, refusals, and that a
// device is set before it is used. If the module is not built, or there is a device, a test is skipped with a message.
#include "engine/kernel_choice.h"
#include "recorded_run.h"
#include "simulated/recorded_calls.h"

#include "llvm/Support/FileSystem.h"

namespace ccgraph::test {
namespace {

using namespace std::chrono_literals;
using runtime::KernelChoice;
using runtime::Tensor;
using runtime::Value;

class TorchRecorded : public testing::Test {
protected:
  void SetUp() override {
#ifndef CCGRAPH_WITH_TORCH
    GTEST_SKIP() << "the build has found no PyTorch";
#else
    llvm::Error error = runtime::findKernelProvider("torch")->checkAvailable();
    ASSERT_FALSE(static_cast<bool>(error)) << llvm::toString(std::move(error));
#endif
  }
};

Tensor tensorOf(const std::vector<int64_t> &sizes, const Row &values) { return Tensor::fromHost(f32(sizes, values)); }
Row rowOf(const Tensor &tensor) { return numbersOf(tensor.toHost()); }

/// One stream of one rank.
struct OneStream {
  OneStream() {
    EXPECT_EQ(calls.createStream("test", stream), 0);
    EXPECT_EQ(calls.createEvent("test", event), 0);
  }
  [[nodiscard]] std::string enqueue(llvm::StringRef target, std::vector<Value> values, std::vector<Tensor> windows) {
    const runtime::ProvidedKernel *kernel = runtime::findKernelProvider("torch")->find(target);
    if (!kernel || !kernel->onDevice())
      return target.str() + " is no kernel of a device";
    return llvm::toString(kernel->onDevice()->enqueue(values, windows, {stream.raw, &calls, true, captured}));
  }
  /// Returns the message of failed work; empty if everything completed.
  [[nodiscard]] std::string finish() {
    bool ended = false;
    int code = calls.record(event, stream);
    while (code == 0 && !ended)
      code = calls.query(event, ended);
    return code == 0 ? "" : calls.errorText(code);
  }
  [[nodiscard]] std::string compute(llvm::StringRef target, std::vector<Value> values, std::vector<Tensor> windows) {
    std::string refused = enqueue(target, std::move(values), std::move(windows));
    return refused.empty() ? finish() : refused;
  }

  runtime::StreamModel model{1, 0, 30s};
  runtime::RecordedCalls calls{model, 0, false};
  runtime::GpuStream stream;
  runtime::GpuEvent event;
  runtime::CapturedMemory *captured = nullptr;
};

TEST_F(TorchRecorded, GivesTheValuesInEachOrder) { Overlap::expectInEachOrder({"torch"}); }

TEST_F(TorchRecorded, ElementsAreReadWhenTheStreamComesToThem) {
  Tensor x = tensorOf({2}, {1, 2}), y = tensorOf({2}, {0, 0});
  OneStream one;
  ASSERT_EQ(one.enqueue("aten.neg.default", {x}, {y}), "");
  EXPECT_EQ(rowOf(y), (Row{0, 0}));
  x.copyFrom(tensorOf({2}, {5, 6}));
  EXPECT_EQ(one.finish(), "");
  EXPECT_EQ(rowOf(y), (Row{-5, -6}));
}

TEST_F(TorchRecorded, AResultOverItsOperandIsTheSame) {
  Tensor x = tensorOf({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(OneStream().compute("aten.clone.default", {x.permute({1, 0})}, {x}), "");
  EXPECT_EQ(rowOf(x), (Row{1, 3, 2, 4}));
  EXPECT_EQ(OneStream().compute("aten.sub.Tensor", {x, x.permute({1, 0})}, {x}), "");
  EXPECT_EQ(rowOf(x), (Row{0, 1, -1, 0}));
}

TEST_F(TorchRecorded, AViewIsCopiedToItsWindow) {
  Tensor x = tensorOf({2, 2}, {1, 2, 3, 4}), y = tensorOf({2, 2}, {0, 0, 0, 0}), z = tensorOf({2, 1}, {0, 0}),
         w = tensorOf({2, 1}, {0, 0});
  EXPECT_EQ(OneStream().compute("aten.t.default", {x}, {y}), "");
  EXPECT_EQ(rowOf(y), (Row{1, 3, 2, 4}));
  // The result overwrites the operand, which the copy must read before it writes.
  EXPECT_EQ(OneStream().compute("aten.t.default", {x}, {x}), "");
  EXPECT_EQ(rowOf(x), (Row{1, 3, 2, 4}));
  EXPECT_EQ(OneStream().compute("aten.split.Tensor", {y, Value::integer(1), Value::integer(1)}, {z, w}), "");
  EXPECT_EQ(rowOf(z), (Row{1, 2}));
  EXPECT_EQ(rowOf(w), (Row{3, 4}));
}

TEST_F(TorchRecorded, AnOperatorThatWorksInItsOutputMakesOneOfItsOwn) {
  Tensor x = tensorOf({2}, {1, 2}), y = tensorOf({2}, {3, 6}), loss = tensorOf({}, {0});
  EXPECT_EQ(OneStream().compute("aten.mse_loss.default", {x, y}, {loss}), "");
  EXPECT_EQ(rowOf(loss), (Row{10}));
}

TEST_F(TorchRecorded, AWindowThatIsNotThereIsLeftOut) {
  Tensor x = tensorOf({2}, {1, 2}), x3 = tensorOf({3}, {3, 1, 2}), most = tensorOf({}, {0});
  EXPECT_EQ(OneStream().compute("aten.add_.Tensor", {x, x}, {Tensor()}), "");
  EXPECT_EQ(rowOf(x), (Row{2, 4}));
  EXPECT_EQ(OneStream().compute("aten.max.dim", {x3, Value::integer(0)}, {most, Tensor()}), "");
  EXPECT_EQ(rowOf(most), (Row{3}));
}

TEST_F(TorchRecorded, WhatDoesNotFitItsWindowEndsTheRun) {
  Tensor x = tensorOf({2}, {1, 2}), y = tensorOf({3}, {0, 0, 0});
  EXPECT_EQ(OneStream().compute("aten.neg.default", {x}, {y}),
            "aten.neg.default: yields CPUFloatType [2], expected CPUFloatType [3]");
}

TEST_F(TorchRecorded, ATensorOfNothingElseIsMadeWhereTheTensorsAre) {
  Tensor y = tensorOf({2}, {0, 0});
  Value sizes = Value::list({Value::integer(2)});
  EXPECT_EQ(OneStream().compute("aten.full.default", {sizes, Value::floating(3)}, {y}), "");
  EXPECT_EQ(rowOf(y), (Row{3, 3}));
}

TEST_F(TorchRecorded, NumbersAreNoDevicesBusiness) {
  const runtime::KernelProvider &torch = *runtime::findKernelProvider("torch");
  for (const char *target : {"aten.item.default", "aten.sym_size.int", "aten._fused_adam.default"})
    EXPECT_EQ(torch.find(target) ? torch.find(target)->onDevice() : nullptr, nullptr) << target;
  EXPECT_EQ(torch.find("prims.fma.default")->onDevice(), nullptr);
  EXPECT_NE(torch.find("prims.convert_element_type.default")->onDevice(), nullptr);
}

// --- Captures --------------------------------------------------------------------------------------------------

TEST_F(TorchRecorded, ACapturedCallNeedsAPoolThatOutlivesItsGraph) {
  Tensor x = tensorOf({2}, {1, 2}), y = tensorOf({2}, {0, 0});
  OneStream one;
  const runtime::DeviceAllocator &allocator =
      *runtime::findKernelProvider("torch")->find("aten.neg.default")->onDevice()->allocator();
  auto pool = llvm::cantFail(allocator.beginCapture({one.stream.raw, &one.calls, true}));
  ASSERT_EQ(one.calls.beginCapture(one.stream), 0);
  EXPECT_EQ(one.enqueue("aten.neg.default", {x}, {y}),
            "aten.neg.default: got a captured stream and no open pool of memory for its graph, expected one");
  one.captured = pool.get();
  EXPECT_EQ(one.enqueue("aten.neg.default", {x}, {y}), "");
  llvm::cantFail(pool->end());
  EXPECT_NE(one.enqueue("aten.neg.default", {x}, {y}), "");
  runtime::GpuGraph graph;
  ASSERT_EQ(one.calls.endCapture(one.stream, graph), 0);
  ASSERT_EQ(one.calls.launchGraph(graph, one.stream), 0);
  EXPECT_EQ(one.finish(), "");
  EXPECT_EQ(rowOf(y), (Row{-1, -2}));
  pool.reset();
  ASSERT_EQ(one.calls.launchGraph(graph, one.stream), 0);
  EXPECT_EQ(one.finish(),
            "aten.neg.default: the memory that it was captured with has been given back, and its graph runs");
}

/// Captures y = x[index].
std::string captureError(DType dtype, const Row &index) {
  PlanBuilder b;
  PlanWindow x = b.input("x", {2}), i = b.input("i", b.type({2}, dtype)), y = b.compute("y", {2});
  b.kernel("y", "aten.index.Tensor", {x, PlanValue::list({PlanValue::tensor(i)})}, y);
  b.returns(y);
  runtime::PlanRequest request =
      requestOf(b.plan, {{{"in.x", f32({2}, {1, 2})}, {"in.i", hostTensor(dtype, {2}, index)}}}, {"torch"});
  request.capture = true;
  llvm::Expected<runtime::RunResult> results = runRecorded(request);
  if (!results)
    return llvm::toString(results.takeError());
  EXPECT_EQ(numbersOf((*results)[0].at("out.0")), (Row{2, 1}));
  return "";
}

TEST_F(TorchRecorded, WhatTheHostMustReadIsNotCaptured) {
  EXPECT_EQ(captureError(DType::I64, {1, 0}), "");
  EXPECT_EQ(
      captureError(DType::Bool, {1, 1}),
      "error: y: rank 0: cannot be captured: aten.index.Tensor: how much it picks depends on a mask, which the host "
      "must read [run.request]\n  note: leave --capture out, or take the step out of the program\n");
}

std::string whyNot(llvm::StringRef target, std::vector<Value> values) {
  return runtime::findKernelProvider("torch")->find(target)->onDevice()->whyNotCaptured(values);
}

TEST_F(TorchRecorded, OperatorsThatSynchroniseAreKnown) {
  Tensor x = tensorOf({2}, {1, 2}), one = tensorOf({}, {1});
  EXPECT_EQ(whyNot("aten.nonzero.default", {x}),
            "aten.nonzero.default: the sizes of what it makes depend on elements, which the host must read");
  EXPECT_EQ(whyNot("aten.unique_consecutive.default", {x}),
            "aten.unique_consecutive.default: the sizes of what it makes depend on elements, which the host must read");
  EXPECT_EQ(whyNot("aten.mul.Scalar", {x, one}),
            "aten.mul.Scalar: a number that it takes is an element of a tensor, which the host must read");
  EXPECT_EQ(whyNot("aten.mul.Tensor", {x, one}), "");
  EXPECT_EQ(whyNot("prims.convert_element_type.default", {x, Value::dtype(DType::F16)}), "");
}

// --- A device that is none acted ------------------------------------------------------------------------------------

TEST_F(TorchRecorded, WithoutADriverItSaysSo) {
  if (llvm::sys::fs::exists("/dev/nvidiactl"))
    GTEST_SKIP() << "there is a driver";
  llvm::Expected<KernelChoice> choice = KernelChoice::of({"torch"}, KernelChoice::Memory::Device);
  ASSERT_FALSE(static_cast<bool>(choice));
  std::string error = llvm::toString(choice.takeError());
  EXPECT_EQ(error.find("error: kernel provider torch cannot compute on a device: got "), 0U) << error;
  EXPECT_NE(error.find(", expected "), std::string::npos) << error;
  EXPECT_NE(error.find("\n  note: "), std::string::npos) << error;
  EXPECT_TRUE(static_cast<bool>(
      llvm::cantFail(KernelChoice::of({"torch"}, KernelChoice::Memory::SimulatedDevice)).names() == "torch"));
}

} // namespace
} // namespace ccgraph::test

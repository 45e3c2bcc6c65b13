// Tests kernels for devices in plans: with recorded calls they run where a stream would run them; other engines refuse
// them.
#include "both_ways.h"
#include "recorded_run.h"
#include "simulated/recorded_calls.h"

namespace ccgraph::test {
namespace {

using namespace std::chrono_literals;

TEST(CudaRecorded, GivesTheValuesInEachOrder) { Overlap::expectInEachOrder({"cuda"}); }

TEST(CudaRecorded, AMissingEventShows) {
  int wrong = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    PlanBuilder b;
    PlanWindow a = b.input("a", {2}), c = b.comm("c", {2}), r = b.compute("r", {2});
    StreamId comm = b.collectives(b.group("alone", {0}));
    b.collective("c", comm, {b.call(CollectiveKind::AllReduce, comm, a, c)});
    b.kernel("r", "aten.neg.default", {c}, r);
    b.returns(r);
    runtime::PlanRequest request = requestOf(b.plan, {{{"in.a", f32({2}, {1, 2})}}}, {"cuda"});
    request.seed = seed;
    wrong += numbersOf(resultsOf(runRecorded(request))[0].at("out.0"))[0] != -1;
  }
  EXPECT_GT(wrong, 5);
  EXPECT_LT(wrong, 20);
}

std::string callsOf(const std::vector<std::string> &kernels) {
  Overlap program("aten.softplus.default");
  runtime::PlanRequest request = requestOf(program.plan, Overlap::inputs(), kernels);
  request.recordCalls = true;
  auto plans = llvm::cantFail(runtime::findEngine("nccl-recorded")->prepare(request));
  EXPECT_NEAR(numbersOf(resultsOf(plans->run(request.inputs))[0].at("out.0"))[0], 89, 1e-4);
  return plans->recordedCalls().front();
}

TEST(CudaRecorded, WhatTheFirstProviderLacksTheNextOneComputes) {
  std::string calls = callsOf({"cuda", "builtin"});
  EXPECT_NE(calls.find("compute aten.neg.default, inputs -> communication, on compute\n"), std::string::npos) << calls;
  EXPECT_NE(calls.find("launch aten.softplus.default on compute\n"), std::string::npos) << calls;
  EXPECT_EQ(callsOf({"builtin", "cuda"}).find("compute aten."), std::string::npos);
}

TEST(CudaRecorded, WhatNobodyHasIsRefused) {
  Overlap program("aten.softplus.default");
  EXPECT_EQ(errorOf(runRecorded(requestOf(program.plan, Overlap::inputs(), {"cuda"}))),
            "error: b: rank 0: no kernel of cuda computes aten.softplus.default [run.no-kernel]\n"
            "  note: --kernels torch computes every operator that PyTorch has; kernels of your own can be registered "
            "(ccgraph/runtime/kernel_provider.h)\n");
}

TEST(CudaRecorded, ATypeThatADeviceDoesNotKnowIsAnothersBusiness) {
  PlanBuilder b;
  const Type *type = b.type({2}, DType::C64);
  PlanWindow x = b.input("x", type), y = b.buffer(Home::Compute, "y", type);
  b.kernel("y", "aten.neg.default", {x}, y);
  b.returns(y);
  std::vector<TensorMap> inputs = {{{"in.x", HostTensor{DType::C64, {2}, std::vector<std::byte>(16)}}}};
  EXPECT_EQ(errorOf(runRecorded(requestOf(b.plan, inputs, {"cuda"}))).substr(0, 66),
            "error: y: rank 0: no kernel of cuda computes aten.neg.default [run");
  EXPECT_EQ(resultsOf(runRecorded(requestOf(b.plan, inputs, {"cuda", "builtin"})))[0].at("out.0").sizes,
            (std::vector<int64_t>{2}));
}

TEST(CudaRecorded, EnginesWithoutADeviceRefuse) {
  Overlap program("aten.relu.default");
  EXPECT_EQ(
      errorOf(runPlans(*runtime::findEngine("local"), requestOf(program.plan, Overlap::inputs(), {"cuda"}))),
      "error: n: rank 0: no kernel of cuda computes aten.neg.default, aten.relu.default, aten.add.Tensor "
      "[run.no-kernel]\n  note: kernels of cuda compute on a device: take an engine that has one (--engine nccl, or "
      "nccl-recorded), or name a provider of the host besides (--kernels)\n");
}

TEST(CudaRecorded, AnIndexOutOfRangeEndsTheRun) {
  PlanBuilder b;
  PlanWindow table = b.input("table", {3, 2}), index = b.input("index", b.type({1}, DType::I64)),
             row = b.compute("row", {1, 2});
  b.kernel("row", "aten.embedding.default", {table, index}, row);
  b.returns(row);
  std::vector<TensorMap> inputs = {
      {{"in.table", f32({3, 2}, {1, 2, 3, 4, 5, 6})}, {"in.index", hostTensor(DType::I64, {1}, {3})}}};
  std::string error = errorOf(runRecorded(requestOf(b.plan, inputs, {"cuda"})));
  EXPECT_NE(error.find("aten.embedding.default: got an index that is out of range [run.kernel]"), std::string::npos)
      << error;
}

/// Copies tensors to a device and back, as the kernel tests do on a real device.
TEST(CudaRecorded, TensorsGoToADeviceAndComeBack) {
  runtime::StreamModel model(1, 0, 30s);
  runtime::RecordedCalls calls(model, 0, false);
  Tensor whole = drawn(DType::F32, {4, 6}), out = Tensor::zeros(DType::F32, {3, 4}),
         expected = Tensor::zeros(DType::F32, {3, 4});
  Tensor part = whole.slice(1, 1, 6, 2).permute({1, 0});
  DeviceRun(calls).compute("aten.clone.default", {part}, {out});
  expected.copyFrom(part);
  expectClose(out, expected, "a part");
  DeviceRun(calls).compute("aten.add_.Tensor", {whole, whole}, {Tensor()});
  expected.copyFrom(part);
  computeAsDevice("aten.mul.Tensor", {out, Value::integer(2)}, {out}, 0);
  expectClose(expected, out, "in place");
}

} // namespace
} // namespace ccgraph::test

// Provides helpers for tests of recorded calls: how to run, and two programs whose results reveal a wrong order of
// streams.
//
// Ownership: plain values. Failure: a run that fails returns its error, or ends the test if values are requested. Cost:
// that of a run of two ranks.
#pragma once

#include "support/plan_builder.h"
#include "support/rank_program.h"

#include <gtest/gtest.h>

namespace ccgraph::test {

using Row = std::vector<double>;

inline HostTensor f32(std::vector<int64_t> sizes, const Row &values) {
  return hostTensor(DType::F32, std::move(sizes), values);
}

inline runtime::PlanRequest requestOf(const Plan &plan, std::vector<TensorMap> inputs) {
  return {.plans = {&plan}, .ranks = inputs.size(), .inputs = std::move(inputs), .deadline = std::chrono::seconds(30)};
}
inline runtime::PlanRequest requestOf(const Plan &plan, std::vector<TensorMap> inputs,
                                      std::vector<std::string> kernels) {
  runtime::PlanRequest request = requestOf(plan, std::move(inputs));
  request.kernels = std::move(kernels);
  return request;
}

inline llvm::Expected<runtime::RunResult> runRecorded(const runtime::PlanRequest &request) {
  return runPlans(*runtime::findEngine("nccl-recorded"), request);
}

/// A plan that computes r = all_reduce(-a) + OP(x), with the sum on one stream and OP(x) on another at the same time.
struct Overlap : PlanBuilder {
  explicit Overlap(llvm::StringRef op = "aten.relu.default") {
    PlanWindow a = input("a", {2}), x = input("x", {2}), n = comm("n", {2});
    PlanWindow c = comm("c", {2}), b = compute("b", {2}), r = compute("r", {2});
    StreamId comm = collectives(group("tp", {0, 1}));
    kernel("n", "aten.neg.default", {a}, n);
    collective("c", comm, {call(CollectiveKind::AllReduce, comm, n, c)});
    kernel("b", op, {x}, b);
    kernel("r", "aten.add.Tensor", {c, b}, r);
    order("n", "c");
    order("c", "r");
    returns(r);
  }
  static std::vector<TensorMap> inputs() {
    return {{{"in.a", f32({2}, {1, 2})}, {"in.x", f32({2}, {100, 200})}},
            {{"in.a", f32({2}, {10, 20})}, {"in.x", f32({2}, {300, -400})}}};
  }
  /// Expects the results if OP is relu.
  static void expect(const runtime::RunResult &results) {
    EXPECT_EQ(numbersOf(results[0].at("out.0")), (Row{89, 178}));
    EXPECT_EQ(numbersOf(results[1].at("out.0")), (Row{289, -22}));
  }
  /// Runs in 20 orders, with and without capture, with kernels of these providers.
  static void expectInEachOrder(std::vector<std::string> kernels) {
    Overlap program;
    runtime::PlanRequest request = requestOf(program.plan, inputs(), std::move(kernels));
    for (uint64_t seed = 0; seed < 20; ++seed)
      for (bool capture : {false, true}) {
        request.seed = seed;
        request.capture = capture;
        auto plans = llvm::cantFail(runtime::findEngine("nccl-recorded")->prepare(request));
        for (int run = 0; run < 3; ++run)
          expect(resultsOf(plans->run(request.inputs)));
      }
  }
};

} // namespace ccgraph::test

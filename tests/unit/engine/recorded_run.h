// What tests of recorded calls share: how they run, and two programs that a wrong order of streams shows in.
//
// Ownership: values. Failure: a run that fails is the caller's error, or ends the test where values are asked. Cost: that of a run of two
// ranks.
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

/// r = all_reduce(-a) + OP(x), the sum on one stream and OP(x) on another at once.
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
  /// What comes out where OP is relu.
  static void expect(const runtime::RunResult &results) {
    EXPECT_EQ(numbersOf(results[0].at("out.0")), (Row{89, 178}));
    EXPECT_EQ(numbersOf(results[1].at("out.0")), (Row{289, -22}));
  }
  /// In 20 orders, captured and not, with kernels of these providers.
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

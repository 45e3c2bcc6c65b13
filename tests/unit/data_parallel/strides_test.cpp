// Tests that DataParallel keeps the strides of parameters that are dense in another order than row-major.
#include "list_message.h"

#include "ccgraph/runtime/interpreter.h"
#include "ccgraph/runtime/seeded_inputs.h"
#include "ccgraph/tracer/data_parallel.h"
#include "ccgraph/tracer/trace.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

using namespace tracer;
using llvm::cantFail;

/// A parameter whose innermost dimension in memory is the second one, as in a channels-last convolution.
class StridedParameter {
public:
  StridedParameter() : trace_(cantFail(Trace::begin(context_, {.worldSize = 2}))) {
    Tensor strided = trace_.parameter("w", {.dtype = DType::F32, .sizes = {2, 3, 4}, .strides = {12, 1, 3}});
    Tensor plain = trace_.parameter("b", {DType::F32, {5}});
    own_ = {trace_.input("dw", {DType::F32, {2, 3, 4}}), trace_.input("db", {DType::F32, {5}})};
    parameters_ = {strided, plain};
  }

  const std::vector<Tensor> &parameters() const { return parameters_; }
  const std::vector<Tensor> &gradients() const { return own_; }
  /// Runs the step on 2 ranks with equal gradients, whose mean is each rank's own.
  void expectOwnGradients(const TensorList &reduced) {
    std::vector<Tensor> results(reduced.begin(), reduced.end());
    results.insert(results.end(), own_.begin(), own_.end());
    auto graph = cantFail(trace_.finish(results));
    runtime::RunRequest request{.graphs = {graph.get()}, .ranks = 2};
    for (int64_t rank = 0; rank != 2; ++rank)
      request.inputs.push_back(runtime::seededInputs(*graph, 0, 1));
    runtime::RunResult run = cantFail(runtime::interpret(request));
    for (const TensorMap &values : run)
      for (size_t i = 0; i != own_.size(); ++i)
        EXPECT_EQ(values.at("out." + std::to_string(i)).data, values.at("out." + std::to_string(i + own_.size())).data);
  }

private:
  Context context_;
  Trace trace_;
  std::vector<Tensor> parameters_, own_;
};

TEST(DataParallel, GradientsHaveTheStridesOfTheirParameters) {
  StridedParameter step;
  DataParallel ddp(step.parameters());
  TensorList gradients = ddp.reduce(step.gradients());
  ASSERT_EQ(messageOf(gradients), "");
  ASSERT_EQ(ddp.buckets().size(), 1U);
  EXPECT_EQ(gradients[0].strides(), (std::vector<int64_t>{12, 1, 3}));
  EXPECT_EQ(gradients[0].sizes(), (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(gradients[1].strides(), (std::vector<int64_t>{1}));
  step.expectOwnGradients(gradients);
}

TEST(DataParallel, OnlyDenseTensorsAreKeptInTheOrderOfTheirMemory) {
  Context context;
  Trace trace = cantFail(Trace::begin(context, {.worldSize = 2}));
  auto orderOf = [&](std::vector<int64_t> strides) {
    static int number = 0;
    return memoryOrder(trace.input("x" + std::to_string(number++),
                                   {.dtype = DType::F32, .sizes = {2, 3}, .strides = std::move(strides)}));
  };
  EXPECT_EQ(orderOf({1, 2}), (std::vector<int64_t>{1, 0}));
  EXPECT_TRUE(orderOf({3, 1}).empty());
  EXPECT_TRUE(orderOf({1, 4}).empty()) << "there are gaps between its columns";
}

} // namespace
} // namespace ccgraph::test

// Tests that a step of DataParallel costs what a step with buckets written by hand costs: their plans have the same
// kernels, collectives and copies, of the same sizes.
#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/plan.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/tracer/backward.h"
#include "ccgraph/tracer/collectives.h"
#include "ccgraph/tracer/data_parallel.h"
#include "ccgraph/tracer/ops.h"
#include "ccgraph/tracer/optimizers.h"
#include "ccgraph/tracer/trace.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <functional>

namespace ccgraph::test {
namespace {

using namespace tracer;
using llvm::cantFail;

using Reduce = std::function<std::vector<Tensor>(const Tensor &loss, const std::vector<Tensor> &parameters)>;

/// The plan of one rank of a step of gradient descent on a multilayer perceptron.
std::unique_ptr<Plan> planOfStep(Context &context, const Reduce &reduce) {
  Trace trace = cantFail(Trace::begin(context, {.worldSize = 2}));
  Tensor value = trace.input("x", {DType::F32, {8, 16}});
  for (int layer = 0; layer != 3; ++layer) {
    std::string name = std::to_string(layer);
    Tensor weight = trace.parameter("w" + name, {DType::F32, {16, 16}});
    value = relu(mm(value, weight) + trace.parameter("b" + name, {DType::F32, {16}}));
  }
  std::vector<Tensor> parameters = trace.parameters();
  std::vector<Tensor> gradients = reduce(sum(value), parameters);
  auto graph = cantFail(trace.finish(sgd(parameters, gradients, {.lr = 0.1})));
  return cantFail(lowerGraph(*graph));
}

std::string windowText(const PlanWindow &window) { return window.type->str(); }

std::string textOf(const PlanStep &step) {
  std::string text;
  if (const KernelStep *kernel = step.kernel()) {
    text = kernel->op->target.str().str();
    for (const PlanOperand &operand : kernel->operands)
      if (operand.value.isTensor())
        text += " " + windowText(operand.value.window);
  }
  if (const CollectiveStep *collective = step.collective())
    for (const PlanCollective &call : collective->calls)
      text += collectiveName(call.kind).str() + " " + windowText(*call.rows.front().send);
  if (const CopyStep *copy = step.copy())
    text = "copy " + windowText(copy->to);
  return text;
}

std::vector<std::string> stepsOf(const Plan &plan) {
  std::vector<std::string> texts;
  for (const PlanStep &step : plan.steps)
    texts.push_back(textOf(step));
  llvm::sort(texts);
  return texts;
}

/// Buckets of `limit` bytes, from the last parameter to the first, as a program without DataParallel writes them.
std::vector<Tensor> reduceByHand(const Tensor &loss, const std::vector<Tensor> &parameters, int64_t limit) {
  TensorList gradients = backward(loss, parameters);
  std::vector<Tensor> results(parameters.size());
  for (size_t end = parameters.size(); end != 0;) {
    std::vector<Tensor> pieces;
    size_t begin = end;
    for (int64_t bytes = 0; begin != 0 && bytes < limit; bytes += 4 * pieces.back().numel()) {
      const Tensor &gradient = gradients[--begin];
      pieces.push_back(gradient.dim() == 1 ? gradient : reshape(gradient, {-1}));
    }
    Tensor flat = pieces.size() == 1 ? pieces.front() : cat(pieces);
    Tensor mean = collectives::all_reduce(flat * 0.5, "sum", "0");
    int64_t at = 0;
    for (size_t i = end; i != begin; --i) {
      int64_t elements = parameters[i - 1].numel();
      Tensor part = pieces.size() == 1 ? mean : slice(mean, 0, at, at + elements);
      results[i - 1] = view(part, parameters[i - 1].sizes());
      at += elements;
    }
    end = begin;
  }
  return results;
}

/// Of DataParallel with buckets of as many bytes, in the order of the parameters reversed.
std::vector<Tensor> reduceByDdp(const Tensor &loss, const std::vector<Tensor> &parameters, int64_t limit) {
  DataParallelOptions options;
  options.buckets.capMegabytes = static_cast<double>(limit) / (1 << 20);
  for (size_t i = parameters.size(); i != 0; --i)
    options.readyOrder.push_back(i - 1);
  return DataParallel(parameters, options).backward(loss).tensors();
}

void expectSamePlans(int64_t limit, size_t buckets) {
  Context context;
  auto ours = planOfStep(context, [&](auto &loss, auto &parameters) { return reduceByDdp(loss, parameters, limit); });
  auto byHand =
      planOfStep(context, [&](auto &loss, auto &parameters) { return reduceByHand(loss, parameters, limit); });
  EXPECT_EQ(stepsOf(*ours), stepsOf(*byHand));
  EXPECT_EQ(llvm::count_if(ours->steps, [](const PlanStep &step) { return step.collective() != nullptr; }),
            static_cast<std::ptrdiff_t>(buckets));
}

TEST(DataParallelPlan, OfOneBucketIsThatOfAStepWrittenByHand) { expectSamePlans(1 << 20, 1); }
TEST(DataParallelPlan, OfABucketForEachLayerIsThatOfAStepWrittenByHand) { expectSamePlans(1024 + 64, 3); }
TEST(DataParallelPlan, OfABucketForEachParameterIsThatOfAStepWrittenByHand) { expectSamePlans(1, 6); }

} // namespace
} // namespace ccgraph::test

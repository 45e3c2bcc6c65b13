// Tests that a step of DataParallel costs what a step with buckets written by hand costs: their plans have the same
// kernels, collectives and copies, of the same sizes.
#include "ccgraph/ir/op_def.h"
#include "support/ddp_steps.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

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

void expectSamePlans(int64_t limit, size_t buckets) {
  Context context;
  constexpr int64_t width = 16;
  auto ours =
      planOfDdpStep(context, width, [&](auto &loss, auto &parameters) { return reduceByDdp(loss, parameters, limit); });
  auto byHand = planOfDdpStep(context, width,
                              [&](auto &loss, auto &parameters) { return reduceByHand(loss, parameters, limit); });
  EXPECT_EQ(stepsOf(*ours), stepsOf(*byHand));
  EXPECT_EQ(llvm::count_if(ours->steps, [](const PlanStep &step) { return step.collective() != nullptr; }),
            static_cast<std::ptrdiff_t>(buckets));
}

TEST(DataParallelPlan, OfOneBucketIsThatOfAStepWrittenByHand) { expectSamePlans(1 << 20, 1); }
TEST(DataParallelPlan, OfABucketForEachLayerIsThatOfAStepWrittenByHand) { expectSamePlans(1024 + 64, 3); }
TEST(DataParallelPlan, OfABucketForEachParameterIsThatOfAStepWrittenByHand) { expectSamePlans(1, 6); }

} // namespace
} // namespace ccgraph::test

// Tests the readable forms of a plan. tests/cli has complete tables and pictures.
#include "ccgraph/frontend/plan_text.h"

#include "plan/text_table.h"
#include "support/random_plan.h"

#include <gtest/gtest.h>

using namespace ccgraph;

namespace {

template <typename Write>
std::string textOf(const Plan &plan, Write write) {
  std::string text;
  llvm::raw_string_ostream os(text);
  write(os, plan);
  return os.str();
}

size_t countOf(llvm::StringRef text, llvm::StringRef piece) { return text.count(piece); }

/// Returns two copies, of which the second waits for the first.
std::unique_ptr<Plan> twoCopies(Context &context) {
  auto plan = std::make_unique<Plan>(context);
  plan->name = "two \"copies\"";
  for (int i = 0; i < 2; ++i) {
    plan->buffers.push_back({context.identifier("x"), Home::Input, 64});
    plan->layout.offsets.push_back(0);
  }
  const Type *type = context.contiguousTensor(DType::F32, {Dim(4)}, {context.identifier("cpu")});
  for (StreamId stream : {0U, 1U}) {
    PlanStep step;
    step.name = context.identifier("c");
    step.stream = stream;
    step.work = CopyStep{{0, type, Dim(0)}, {1, type, Dim(8)}};
    plan->steps.push_back(std::move(step));
  }
  plan->steps[0].event = 0;
  plan->steps[1].waits = {0};
  plan->numEvents = 1;
  return plan;
}

} // namespace

TEST(PlanText, ALineAStep) {
  Context context;
  std::string text = textOf(*twoCopies(context), writePlanText);
  EXPECT_NE(text.find("step  stream   waits  records  what\n"
                      "   0  host            e0       copy: x#0 f32[4] -> x#1+8 f32[4]  # c\n"
                      "   1  compute  e0              copy: x#0 f32[4] -> x#1+8 f32[4]  # c\n"),
            std::string::npos)
      << text;
}

TEST(PlanText, EveryPlanHasOneAndNoLineEndsInBlanks) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Context context;
    std::unique_ptr<Plan> plan = test::makeRandomPlan(context, seed);
    std::string text = textOf(*plan, writePlanText);
    EXPECT_EQ(text.find(" \n"), std::string::npos) << text;
    EXPECT_EQ(text, textOf(*plan, writePlanText));
  }
}

TEST(PlanDot, AnEdgeAWaitAndANodeAStep) {
  Context context;
  std::string text = textOf(*twoCopies(context), writePlanDot);
  EXPECT_NE(text.find("digraph \"two \\\"copies\\\"\" {"), std::string::npos) << text;
  EXPECT_NE(text.find("s0 -> s1 [label=\"e0\", style=dashed];"), std::string::npos) << text;
  EXPECT_EQ(countOf(text, "subgraph cluster_"), 2U);
}

TEST(PlanDot, AnEventThatNobodyRecordsStandsAlone) {
  Context context;
  std::unique_ptr<Plan> plan = twoCopies(context);
  plan->steps[0].event.reset();
  EXPECT_NE(textOf(*plan, writePlanDot).find("e0 -> s1 [label=\"e0\""), std::string::npos);
}

TEST(PlanDot, EveryPlanHasOne) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Context context;
    std::unique_ptr<Plan> plan = test::makeRandomPlan(context, seed);
    size_t waits = 0;
    for (const PlanStep &step : plan->steps)
      waits += step.waits.size();
    EXPECT_EQ(countOf(textOf(*plan, writePlanDot), "style=dashed"), waits);
  }
}

TEST(TextTable, ControlCharactersBreakNoLine) {
  TextTable table({{"a", TextTable::Align::Left}, {"b", TextTable::Align::Right}});
  table.add({"x\ny", "1"});
  std::string text;
  llvm::raw_string_ostream os(text);
  table.print(os);
  EXPECT_EQ(os.str(), "a    b\nx?y  1\n");
}

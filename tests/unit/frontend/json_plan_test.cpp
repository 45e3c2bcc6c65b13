#include "ccgraph/frontend/json_plan.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/ir/op_def.h"
#include "support/random_plan.h"

#include <gtest/gtest.h>

using namespace ccgraph;

namespace {

std::string write(const Plan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writePlan(os, plan);
  return os.str();
}

std::string fileText(llvm::StringRef path) {
  auto file = InputFile::open(path);
  return file ? file->text().str() : llvm::toString(file.takeError());
}

std::string everyFeature() { return fileText(CCGRAPH_TEST_DATA "/json/every-feature.plan.json"); }

/// Returns a plan with one buffer, and this text between `steps` and the end.
std::string file(llvm::StringRef steps, llvm::StringRef head = "") {
  return (R"({"format": "ccgraph.plan", "version": "1.0", )" + head +
          R"("streams": [{"kind": "host", "name": "host"}, {"kind": "compute", "name": "compute"}], )" +
          R"("buffers": [{"name": "x", "home": "input", "bytes": 64}], "steps": [)" + steps + "]}")
      .str();
}

std::string errorsOf(llvm::StringRef text) {
  Context context;
  auto plan = readPlan(context, {"p.json", text});
  return plan ? "" : llvm::toString(plan.takeError());
}

} // namespace

TEST(JsonPlan, ACanonicalFileIsWrittenBackToTheByte) {
  Context context;
  auto plan = readPlan(context, {"p.json", everyFeature()});
  ASSERT_TRUE(static_cast<bool>(plan)) << llvm::toString(plan.takeError());
  EXPECT_EQ(write(**plan), everyFeature());
}

TEST(JsonPlan, TheExampleOfTheDocumentIsCanonical) {
  std::string document = fileText(CCGRAPH_SOURCE_DIR "/docs/plan-format.md");
  auto [before, rest] = llvm::StringRef(document).split("```json\n");
  auto [example, after] = rest.split("```\n");
  Context context;
  auto plan = readPlan(context, {"plan-format.md", example});
  ASSERT_TRUE(static_cast<bool>(plan)) << llvm::toString(plan.takeError());
  EXPECT_EQ(write(**plan), example);
}

TEST(JsonPlan, RandomPlansAreReadAsTheyWere) {
  size_t steps = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Context context;
    std::unique_ptr<Plan> plan = test::makeRandomPlan(context, seed);
    std::string text = write(*plan);
    auto again = readPlan(context, {"p.json", text});
    ASSERT_TRUE(static_cast<bool>(again)) << seed << ": " << llvm::toString(again.takeError()) << text;
    ASSERT_EQ(test::planDifference(*plan, **again), "") << seed << "\n" << text;
    ASSERT_EQ(write(**again), text) << seed;
    steps += plan->steps.size();
  }
  EXPECT_GT(steps, 5000U);
}

TEST(JsonPlan, TheDifferenceOfTwoPlansIsNamed) {
  Context context;
  std::unique_ptr<Plan> a = test::makeRandomPlan(context, 3);
  std::unique_ptr<Plan> b = test::makeRandomPlan(context, 3);
  EXPECT_EQ(test::planDifference(*a, *b), "");
  b->buffers.back().bytes = Dim(123457);
  EXPECT_EQ(test::planDifference(*a, *b), "buffers[" + std::to_string(b->buffers.size() - 1) + "]");
}

TEST(JsonPlan, BlanksAndKeyOrderDoNotMatter) {
  Context context;
  std::string text = file(R"({"op":"aten.relu.default", "operands":["b0 f32[4][1]cpu"],"args":["%0"],
    "result":"b0+8 f32[4][1]cpu", "stream":1,"name":"r"})");
  auto plan = readPlan(context, {"p.json", text});
  ASSERT_TRUE(static_cast<bool>(plan)) << llvm::toString(plan.takeError());
  const KernelStep *kernel = (*plan)->steps.front().kernel();
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->op->target.str(), "aten.relu.default");
  EXPECT_EQ(kernel->result.window.offset, Dim(8));
  EXPECT_TRUE(kernel->operands.front().reads);
}

TEST(JsonPlan, AnUnknownKeyIsRefused) {
  EXPECT_NE(errorsOf(file("", R"("colour": "red", )")).find("a plan has no key 'colour'"), std::string::npos);
}

TEST(JsonPlan, ANewerMinorVersionIsReadWithWarnings) {
  std::string text =
      file(R"({"name": "c", "stream": 1, "from": "b0 f32[1][1]cpu", "to": "b0+1 f32[1][1]cpu", "by": 1})",
           R"("colour": {"r": [1]}, )");
  text.replace(text.find("1.0"), 3, "1.7");
  Context context;
  Diagnostics warnings;
  auto plan = readPlan(context, {"p.json", text}, {.warnings = &warnings});
  ASSERT_TRUE(static_cast<bool>(plan)) << llvm::toString(plan.takeError());
  std::string said = toString(warnings.take());
  EXPECT_NE(said.find("version 1.7 is newer than 1.0"), std::string::npos) << said;
  EXPECT_NE(said.find("/colour: a plan has no key 'colour'"), std::string::npos) << said;
  EXPECT_NE(said.find("/steps/0/by: a step with 'from' and 'to' has no key 'by'"), std::string::npos) << said;
}

TEST(JsonPlan, NumbersThatEnginesAllocateByAreBackedByTheFile) {
  EXPECT_NE(errorsOf(file("", R"("events": 4000000000, )")).find("4,000,000,000 events stated, but there are 0 steps"),
            std::string::npos);
  EXPECT_NE(errorsOf(file("", R"("numbers": 4000000000, )")).find("4,000,000,000 numbers stated"), std::string::npos);
}

TEST(JsonPlan, AFileSaysWhetherItIsAPlan) {
  EXPECT_TRUE(isPlan(everyFeature()));
  EXPECT_TRUE(isPlan("\xef\xbb\xbf {\"format\" : \"ccgraph.plan\""));
  EXPECT_TRUE(isPlan(R"({"a": {"format": "x"}, "b": ["format"], "c": "format", "format": "ccgraph.plan"})"));
  EXPECT_FALSE(isPlan(R"({"a": {"format": "ccgraph.plan"}})"));
  EXPECT_FALSE(isPlan(R"({"a": "{", "format": ["ccgraph.plan"]})"));
  EXPECT_FALSE(isPlan(R"({"format": 7, "ccgraph.plan": "ccgraph.plan"})"));
  EXPECT_FALSE(isPlan(R"([{"format": "ccgraph.plan"}])"));
  EXPECT_FALSE(isPlan(R"({"format": "ccgraph.graph", "version": "1.0", "nodes": []})"));
  EXPECT_FALSE(isPlan("def forward(self): pass"));
  for (llvm::StringRef cut : {"", "{", "{\"", "{\"format\"", "{\"format\":", "{\"format\":\"", "{}", "{}}", "{\"a\\"})
    EXPECT_FALSE(isPlan(cut)) << cut.str();
}

TEST(JsonPlan, NoPrefixOfAFileIsReadAsAPlan) {
  std::string text = everyFeature();
  for (size_t length = 0; length < text.rfind('}'); length += length < 200 ? 1 : 7)
    EXPECT_NE(errorsOf(llvm::StringRef(text).take_front(length)), "") << length;
}

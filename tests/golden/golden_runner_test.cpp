// Tests the runner of the goldens: which results are outcomes, and which are broken promises that --update must not
// record.
#include "support/golden_runner.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr const char *negTwice = R"(A program of two steps.

--- pipeline
sink-waits
--- input
def forward(self, x: "f32[4][1]cpu"):
    neg: "f32[4][1]cpu" = torch.ops.aten.neg.default(x)
    neg_1: "f32[4][1]cpu" = torch.ops.aten.neg.default(neg)
    return (neg_1,)
)";

class Scripted final : public Pass {
public:
  using Script = std::function<llvm::Expected<Changed>(Graph &)>;
  explicit Scripted(Script script) : Pass({"scripted", "Does as told.", Phase::Schedule}), script_(std::move(script)) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &) override { return script_(graph); }
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<Scripted>(script_); }

private:
  Script script_;
};

GoldenOutcome outcomeOf(Scripted::Script script) {
  GoldenCase golden = llvm::cantFail(GoldenCase::read(llvm::cantFail(GoldenFile::parse("neg.golden", negTwice))));
  golden.pipeline = Pipeline();
  golden.pipeline.append(std::make_unique<Scripted>(std::move(script)));
  return llvm::cantFail(runGolden(std::move(golden)));
}

TEST(GoldenRunner, TakesAnErrorOfThePassForItsOutcome) {
  GoldenOutcome outcome = outcomeOf([](Graph &graph) -> llvm::Expected<Changed> {
    return makeError(diagnose(*graph.front(), "scripted.refusal", "is nothing for this pass"));
  });
  EXPECT_TRUE(outcome.broken.empty());
  EXPECT_NE(outcome.diagnostics.find("is nothing for this pass"), std::string::npos);
}

TEST(GoldenRunner, TakesADefectOfThePassForABrokenPromise) {
  GoldenOutcome illegal = outcomeOf([](Graph &graph) {
    Node *neg = graph.front()->next();
    graph.replaceAllUses(neg, graph.front());
    return Changed::Yes;
  });
  ASSERT_EQ(illegal.broken.size(), 1U);
  EXPECT_NE(illegal.broken.front().find("legality check"), std::string::npos) << illegal.broken.front();
  GoldenOutcome lie = outcomeOf([](Graph &graph) {
    graph.replaceAllUses(graph.front()->next(), graph.front());
    return Changed::No;
  });
  EXPECT_EQ(lie.broken.size(), 1U);
}

} // namespace
} // namespace ccgraph::test

// Tests that the results of analyses are kept exactly as long as the graph is not edited.
#include "support/program_builder.h"

#include "analysis/program_facts.h"
#include "ccgraph/passes/analyses.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

class AnalysesTest : public testing::Test {
protected:
  AnalysesTest() : graph_(context_), program_(graph_) {
    const Type *type = program_.f32({4});
    x_ = program_.input("x", type);
    a_ = program_.call("aten.relu.default", type, {x_});
    b_ = program_.call("aten.neg.default", type, {x_});
    c_ = program_.call("aten.view.default", type, {a_, {4}});
    program_.output({b_, c_});
  }

  Context context_;
  Graph graph_;
  ProgramBuilder program_;
  Node *x_ = nullptr;
  Node *a_ = nullptr;
  Node *b_ = nullptr;
  Node *c_ = nullptr;
};

TEST_F(AnalysesTest, AnswersOnce) {
  Analyses analyses(graph_);
  const StorageMap *storages = &analyses.storages();
  const ProgramFacts *facts = &analyses.facts();
  EXPECT_EQ(&facts->storages(), storages);
  EXPECT_EQ(&analyses.storages(), storages);
  EXPECT_EQ(&analyses.facts(), facts);
}

TEST_F(AnalysesTest, AnswersAnewAfterAnEdit) {
  Analyses analyses(graph_);
  EXPECT_FALSE(analyses.storages().mayAlias(b_, c_));
  EXPECT_EQ(analyses.facts().storages().storages(c_), analyses.storages().storages(a_));
  graph_.setOperand(c_, 0, b_);
  EXPECT_TRUE(analyses.storages().mayAlias(b_, c_));
  EXPECT_EQ(analyses.facts().storages().storages(c_), analyses.storages().storages(b_));
}

} // namespace
} // namespace ccgraph::test

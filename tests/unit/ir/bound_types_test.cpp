#include "ccgraph/ir/bound_types.h"

#include "ccgraph/ir/builder.h"

#include <gtest/gtest.h>

using namespace ccgraph;

namespace {

/// x: f32[4*s0, 8] is reduced and added to y: f32[4*s0, 8].
class BoundTypesTest : public ::testing::Test {
protected:
  BoundTypesTest() : program_(context_) {
    GraphBuilder at(program_);
    const Dim rows(context_.symbolic("4*s0"));
    const Type *type = context_.contiguousTensor(DType::F32, {rows, Dim(8)}, {context_.identifier("cpu"), -1});
    Node *x = at.input("x", type), *y = at.input("y", type);
    Node *r = at.call({.target = "_c10d_functional.all_reduce.default", .args = {x, "sum", "0"}, .name = "r"});
    Node *w = at.call({.target = "_c10d_functional.wait_tensor.default", .args = {r}, .name = "w", .type = type});
    at.output({at.call({.target = "aten.add.Tensor", .args = {w, y}, .name = "sum", .type = type})});
    program_.setType(r, type);
    copy_ = program_.clone();
    bindSizes(*copy_, {{"s0", 3}});
  }
  [[nodiscard]] BoundTypes types() const { return {program_, {{"s0", 3}}}; }
  [[nodiscard]] std::string typeOf(llvm::StringRef node) const { return typeText(copy_->find(node)->type()); }

  Context context_;
  Graph program_;
  std::unique_ptr<Graph> copy_;
};

} // namespace

TEST_F(BoundTypesTest, BindsAllTypesAndTakesTheStridesOfWaits) {
  EXPECT_EQ(typeOf("x"), "f32[12, 8][8, 1]cpu");
  EXPECT_EQ(typeOf("r"), "f32[12, 8][8, 1]cpu");
  EXPECT_EQ(typeOf("w"), "f32[12, 8]cpu");
}

TEST_F(BoundTypesTest, GivesACopyTheTypesOfTheProgram) {
  types().unbind(*copy_);
  for (const char *node : {"x", "y", "r", "w", "sum"})
    EXPECT_EQ(copy_->find(node)->type(), program_.find(node)->type()) << node;
}

TEST_F(BoundTypesTest, DerivesTheTypesOfNodesThatAPassMade) {
  GraphBuilder at(*copy_, copy_->output());
  Node *neg = at.call({.target = "aten.neg.default", .args = {copy_->find("x")}, .name = "neg"});
  ASSERT_EQ(typeOf("neg"), "f32[12, 8][8, 1]cpu");
  types().unbind(*copy_);
  EXPECT_EQ(typeText(neg->type()), "f32[4*s0, 8][8, 1]cpu");
}

TEST_F(BoundTypesTest, KnowsNoTypeOfANewNodeThatFitsNoRule) {
  GraphBuilder at(*copy_, copy_->output());
  const Type *type = copy_->find("x")->type();
  at.call({.target = "my.op.default", .args = {copy_->find("x")}, .name = "unknown", .type = type});
  // The first 12 rows are all rows of the copy, but not all of every batch.
  at.call({.target = "aten.slice.Tensor", .args = {copy_->find("x"), 0, 0, 12}, .name = "slice", .type = type});
  types().unbind(*copy_);
  EXPECT_EQ(copy_->find("unknown")->type(), nullptr);
  EXPECT_NE(typeOf("slice"), typeOf("x"));
}

TEST_F(BoundTypesTest, DoesNotTakeANodeOfTheSameNameForTheNodeOfTheProgram) {
  Node *sum = copy_->find("sum");
  GraphBuilder at(*copy_, copy_->output());
  Node *turned = at.call({.target = "aten.t.default", .args = {sum}, .name = "turned"});
  copy_->setOperand(copy_->output(), 0, turned);
  copy_->rename(sum, "other");
  copy_->rename(turned, "sum");
  types().unbind(*copy_);
  EXPECT_EQ(typeOf("sum"), "f32[8, 4*s0][1, 8]cpu");
  EXPECT_EQ(typeOf("other"), "f32[4*s0, 8][8, 1]cpu");
}

TEST_F(BoundTypesTest, AnEditMakesNodesOnTheTypesOfTheProgramAndBindsThem) {
  std::string during;
  Node *half = nullptr;
  types().edit(*copy_, [&] {
    GraphBuilder at(*copy_, copy_->output());
    at.assumeTypes();
    Node *rows = at.call("aten.sym_size.int", {copy_->find("x"), 0});
    Node *end = at.call("operator.floordiv", {rows, 2});
    half = at.call("aten.slice.Tensor", {copy_->find("x"), 0, 0, end});
    during = typeText(half->type());
  });
  EXPECT_EQ(during, "f32[2*s0, 8][8, 1]cpu");
  EXPECT_EQ(typeText(half->type()), "f32[6, 8][8, 1]cpu");
  EXPECT_EQ(typeOf("x"), "f32[12, 8][8, 1]cpu");
  EXPECT_EQ(typeOf("w"), "f32[12, 8]cpu");
}

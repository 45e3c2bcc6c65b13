// Tests the lowering of readers of a tensor whose sizes were changed in place.
#include "unit/passes/lowered.h"

namespace ccgraph::test {
namespace {

class LowerReshapedTest : public LowerTest {
protected:
  /// Returns the type of an operand of the only kernel of this operator.
  std::string operandType(llvm::StringRef target, size_t operand = 0) const {
    for (const PlanStep &step : plan_->steps)
      if (const KernelStep *kernel = step.kernel(); kernel && kernel->op->target.str() == target)
        return kernel->operands[operand].value.window.type->str();
    return "no such kernel";
  }
  Node *turn(Node *x) {
    const Type *type = b.strided(x->type(), {6, 4}, {1, 6});
    return b.call("aten.t_.default", type, {x});
  }
  Node *element(Node *list, int64_t index, const Type *type) { return b.call("operator.getitem", type, {list, index}); }

  Node *x_ = b.input("x", b.f32({4, 6}));
};

TEST_F(LowerReshapedTest, ElementsOfAListOfViewsHaveTheSizesAfterTheReshape) {
  Node *c = b.call("aten.clone.default", x_->type(), {x_});
  turn(c);
  Node *rows = b.call("aten.unbind.int", nullptr, {c});
  Node *row = element(rows, 5, b.strided(x_->type(), {4}, {6}));
  b.output({b.call("aten.relu.default", b.f32({4}), {row})});
  EXPECT_EQ(lowered(), "compute: aten.clone.default x -> clone\n"
                       "compute: aten.relu.default clone+5 -> relu\n");
  EXPECT_EQ(operandType("aten.relu.default"), "f32[4][6]cpu");
}

TEST_F(LowerReshapedTest, ANewListHasTheSizesAfterTheReshape) {
  Node *c = b.call("aten.clone.default", x_->type(), {x_});
  turn(c);
  Node *list = b.call("aten._foreach_neg.default", nullptr, {ProgramBuilder::Nodes{c}});
  Node *only = element(list, 0, nullptr);
  const Type *type = b.strided(x_->type(), {6, 4}, {1, 6});
  b.output({b.call("aten.relu.default", type, {only})});
  lowered();
  EXPECT_EQ(operandType("aten.relu.default"), "f32[6, 4][1, 6]cpu");
}

/// The strides of an overlapping tensor do not determine those of the result, and the text states no type either.
TEST_F(LowerReshapedTest, ARefusalNamesTheElementWithoutAType) {
  Node *spread = b.input("spread", b.strided(x_->type(), {4, 6}, {1, 1}));
  Node *list = b.call("aten._foreach_neg.default", nullptr, {ProgramBuilder::Nodes{spread}});
  Node *only = element(list, 0, nullptr);
  b.output({b.call("aten.relu.default", x_->type(), {only})});
  EXPECT_EQ(lowered().substr(0, 40), "error: getitem: has no type, and is used");
}

TEST_F(LowerReshapedTest, AReadBeforeTheReshapeKeepsItsSizes) {
  Node *c = b.call("aten.clone.default", x_->type(), {x_});
  Node *rows = b.call("aten.unbind.int", nullptr, {c});
  Node *row = element(rows, 3, b.f32({6}));
  turn(c);
  b.output({b.call("aten.relu.default", b.f32({6}), {row})});
  EXPECT_EQ(lowered(), "compute: aten.clone.default x -> clone\n"
                       "compute: aten.relu.default clone+18 -> relu\n");
  EXPECT_EQ(operandType("aten.relu.default"), "f32[6][1]cpu");
}

/// contiguous() of a contiguous tensor is that tensor, so the reshape affects both names; it does not affect a view.
TEST_F(LowerReshapedTest, WhatIsPassedOnShowsALaterReshape) {
  Node *c = b.call("aten.clone.default", x_->type(), {x_});
  Node *same = b.call("aten.contiguous.default", x_->type(), {c});
  Node *view = b.call("aten.view.default", x_->type(), {c, Actual::list({4, 6})});
  turn(c);
  b.output({b.call("aten.relu.default", b.strided(x_->type(), {6, 4}, {1, 6}), {same}),
            b.call("aten.neg.default", x_->type(), {view})});
  lowered();
  EXPECT_EQ(operandType("aten.relu.default"), "f32[6, 4][1, 6]cpu");
  EXPECT_EQ(operandType("aten.neg.default"), "f32[4, 6][6, 1]cpu");
}

TEST_F(LowerReshapedTest, AnUnfoldOfWhatIsWrittenLaterIsAWindow) {
  Node *c = b.call("aten.clone.default", x_->type(), {x_});
  Node *windows = b.call("aten.unfold.default", b.strided(x_->type(), {3, 6, 2}, {6, 1, 6}), {c, 0, 2, 1});
  b.call("aten.add_.Tensor", x_->type(), {c, x_});
  b.output({b.call("aten.relu.default", b.f32({3, 6, 2}), {windows})});
  EXPECT_EQ(lowered(), "compute: aten.clone.default x -> clone\n"
                       "compute: aten.add_.Tensor clone x -> clone\n"
                       "compute: aten.relu.default clone -> relu\n");
}

TEST_F(LowerReshapedTest, SectionsOfUnevenRowsBeginWhereTheyDo) {
  Node *parts = b.call("aten.tensor_split.sections", nullptr, {x_, 4, 1});
  Node *third = element(parts, 2, b.strided(x_->type(), {4, 1}, {6, 1}));
  Node *at = b.call("aten.tensor_split.indices", nullptr, {x_, ProgramBuilder::Numbers{1, -1}, 1});
  Node *last = element(at, 2, b.strided(x_->type(), {4, 1}, {6, 1}));
  b.output({b.call("aten.add.Tensor", b.f32({4, 1}), {third, last})});
  EXPECT_EQ(lowered(), "compute: aten.add.Tensor x+4 x+5 -> add\n");
}

} // namespace
} // namespace ccgraph::test

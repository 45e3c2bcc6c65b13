// GraphBuilder: a program in a few lines of C++, typed by the type rules of the operator table.
#include "ccgraph/ir/builder.h"

#include "ccgraph/ir/verifier.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

class GraphBuilderTest : public testing::Test {
protected:
  [[nodiscard]] static std::string type(const Node *node) { return typeText(node->type()); }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Node *node : graph_)
      names.push_back(node->name().str().str());
    return names;
  }

  Context context_;
  Graph graph_{context_};
  GraphBuilder b_{graph_};
};

TEST_F(GraphBuilderTest, MakesAProgramThatVerifies) {
  Node *x = b_.input("x", b_.tensor(DType::F32, {4, 2}));
  Node *gather = b_.call("_c10d_functional.all_gather_into_tensor.default", {x, 2, "tp"});
  Node *wait = b_.call("_c10d_functional.wait_tensor.default", {gather});
  Node *view = b_.call("aten.view.default", {wait, std::vector<int64_t>{16}});
  b_.output({view});
  EXPECT_EQ(type(gather), "f32[8, 2][2, 1]cpu");
  EXPECT_EQ(type(view), "f32[16][1]cpu");
  EXPECT_EQ(names(), (std::vector<std::string>{"x", "all_gather_into_tensor", "wait_tensor", "view", "output"}));
  EXPECT_FALSE(b_.firstError().has_value());
  EXPECT_FALSE(static_cast<bool>(verifyOrError(graph_)));
}

TEST_F(GraphBuilderTest, InputsOfOneNameAreTwoParameters) {
  Node *x = b_.input("x", b_.tensor(DType::F32, {4}));
  Node *other = b_.input("x", b_.tensor(DType::F32, {4}));
  b_.output({b_.call("aten.add.Tensor", {x, other})});
  EXPECT_EQ(x->target().str(), "x");
  EXPECT_EQ(other->target().str(), "x_1");
  EXPECT_FALSE(static_cast<bool>(verifyOrError(graph_)));
}

TEST_F(GraphBuilderTest, OwnsWhatIsWritten) {
  Node *x = b_.input("x", b_.tensor(DType::F32, {4}));
  auto make = [&] {
    std::string group = "a group with a long name, on the heap";
    std::vector<Node *> tensors = {x, x};
    CallSpec call{.target = "_c10d_functional.all_reduce_coalesced.default",
                  .args = {tensors, std::string("sum"), group}};
    return b_.call(call);
  };
  Node *list = make();
  EXPECT_EQ(list->args()[2].text(), "a group with a long name, on the heap");
  EXPECT_EQ(list->numOperands(), 2U);
  EXPECT_EQ(type(list), "(f32[4][1]cpu, f32[4][1]cpu)");
  EXPECT_EQ(type(b_.call("operator.getitem", {list, 1})), "f32[4][1]cpu");
}

TEST_F(GraphBuilderTest, ArgumentsOfEveryKind) {
  Node *x = b_.input("x", b_.tensor(DType::F32, {4}));
  Actual format = Actual::memoryFormat(context_, "contiguous_format");
  Node *node = b_.call({.target = "mylib.op.default",
                        .args = {x, true, 2, 2.5, "text", DType::BF16, Actual::none(), Actual::list({x, 1}),
                                 Actual::tuple({Actual::integers({1, 2})})},
                        .kwargs = {{"memory_format", format}},
                        .name = "mine"});
  using Kind = Argument::Kind;
  std::vector<Kind> kinds;
  for (const Argument &argument : node->args())
    kinds.push_back(argument.kind());
  EXPECT_EQ(kinds, (std::vector<Kind>{Kind::Operand, Kind::Bool, Kind::Int, Kind::Float, Kind::String, Kind::DType,
                                      Kind::None, Kind::List, Kind::Tuple}));
  EXPECT_TRUE(node->kwarg("memory_format")->is(Kind::MemoryFormat));
  EXPECT_EQ(node->name().str(), "mine");
  EXPECT_EQ(node->type(), nullptr) << "nothing is known of the operator";
}

TEST_F(GraphBuilderTest, CopiesArgumentsWithTheirNodes) {
  Node *x = b_.input("x", b_.tensor(DType::F32, {4}));
  Node *first = b_.call("mylib.op.default", {Actual::list({x, "a", Actual::integers({3})}), 4});
  Node *second = b_.call("mylib.op.default", {Actual::copyOf(*first, first->args()[0]), 4});
  EXPECT_TRUE(sameArgument(first->args()[0], second->args()[0]));
  EXPECT_EQ(second->operand(0), x);
}

TEST_F(GraphBuilderTest, StandsForWhatItReplaces) {
  Node *x = b_.input("x", b_.tensor(DType::F32, {4}));
  Node *old = b_.call("aten.neg.default", {x});
  Node *end = b_.output({old});
  GraphBuilder before(graph_, old);
  before.standFor({old});
  Node *made = before.call("aten.neg.default", {x});
  EXPECT_TRUE(made->isBefore(old));
  EXPECT_EQ(made->provenance().origins.size(), 1U);
  EXPECT_EQ(before.made().size(), 1U);
  EXPECT_TRUE(old->isBefore(end));
}

TEST_F(GraphBuilderTest, KeepsTheFirstErrorAndGoesOn) {
  Node *x = b_.input("x", b_.tensor(DType::F32, {}));
  Node *wrong = b_.call("_c10d_functional.reduce_scatter_tensor.default", {x, "sum", 2, "tp"});
  b_.call("_c10d_functional.reduce_scatter_tensor.default", {x, "sum", 4, "tp"});
  EXPECT_EQ(wrong->type(), nullptr);
  ASSERT_TRUE(b_.firstError().has_value());
  EXPECT_EQ(b_.firstError()->where, wrong->name().str());
}

TEST_F(GraphBuilderTest, AStatedTypeStands) {
  Node *x = b_.input("x", b_.tensor(DType::F32, {4}));
  EXPECT_EQ(type(b_.call("aten.neg.default", {x}, b_.tensor(DType::BF16, {4}, "cuda"))), "bf16[4][1]cuda");
  EXPECT_EQ(b_.tensorLike(*x->type(), {2, 2})->str(), "f32[2, 2][2, 1]cpu");
}

} // namespace
} // namespace ccgraph

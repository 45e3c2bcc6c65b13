// Tests which programs lowering refuses, and the errors.
#include "unit/passes/lowered.h"

namespace ccgraph::test {
namespace {

TEST_F(LowerTest, AResizeToMoreIsRefused) {
  Node *x = b.input("x", b.f32({4}));
  b.call("aten.resize_.default", b.f32({8}), {x, std::vector<int64_t>{8}});
  b.output({x});
  EXPECT_NE(lowered().find("[lower.reshape]"), std::string::npos);
}

TEST_F(LowerTest, AnUnknownGroupIsRefused) {
  Node *x = b.input("x", b.f32({4}));
  Node *c = b.call("_c10d_functional.all_reduce.default", x->type(), {x, "sum", "dp"});
  b.output({wait(c)});
  EXPECT_NE(lowered().find("[lower.group]"), std::string::npos);
}

TEST_F(LowerTest, AnUnknownOperatorIsRefused) {
  Node *x = b.input("x", b.f32({4}));
  b.output({b.call("mylib.unheard_of.default", x->type(), {x})});
  EXPECT_NE(lowered().find("[lower.operator]"), std::string::npos);
}

TEST_F(LowerTest, OperatorsThatAreRefusedAreNamedAllAtOnce) {
  Node *x = b.input("x", b.f32({4}));
  Node *once = b.call("mylib.unheard_of.default", x->type(), {x});
  Node *again = b.call("mylib.unheard_of.default", x->type(), {once});
  b.output({b.call("higher_order.while_loop", nullptr, {again})});
  std::string said = lowered();
  EXPECT_NE(said.find("unheard_of: the effects of mylib.unheard_of.default are unknown [lower.operator]\n"
                      "  note: declare it (--ops), or run the graph without it\n"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("while_loop: higher_order.while_loop does what its subgraphs do, which a plan does not hold "
                      "[lower.operator]\n  note: the reference engine runs cond and while_loop"),
            std::string::npos)
      << said;
  EXPECT_EQ(said.find("unheard_of_1"), std::string::npos) << said;
}

TEST_F(LowerTest, AnAttributeWithoutTypeThatIsUsedAsATensorIsRefused) {
  Node *x = b.input("x", b.f32({4}));
  Node *w = b.attribute("w");
  b.output({b.call("aten.add.Tensor", x->type(), {x, w})});
  std::string said = lowered();
  EXPECT_NE(said.find("w: has no type, and `add` uses it as a tensor [lower.type]"), std::string::npos) << said;
}

TEST_F(LowerTest, AnAttributeWithoutTypeInAListOfTensorsIsRefused) {
  Node *x = b.input("x", b.f32({4}));
  Node *w = b.attribute("w");
  b.output({b.call("aten.cat.default", b.f32({8}), {ProgramBuilder::Nodes{x, w}})});
  EXPECT_NE(lowered().find("uses it as a tensor [lower.type]"), std::string::npos);
}

TEST_F(LowerTest, AnInputWithoutTypeThatIsUsedAsATensorIsRefused) {
  Node *x = b.input("x", nullptr);
  b.output({relu(x)});
  EXPECT_NE(lowered().find("uses it as a tensor [lower.type]"), std::string::npos);
}

TEST_F(LowerTest, MoreGroupsThanStreamsAreRefused) {
  Node *x = b.input("x", b.f32({4}));
  ProgramBuilder::Nodes results;
  for (int i = 0; i < 1023; ++i) {
    Group group;
    group.name = "g" + std::to_string(i);
    group.ranks = {0, 1};
    graph_.groups().set(group);
    results.push_back(wait(b.call("_c10d_functional.all_reduce.default", x->type(), {x, "sum", group.name})));
  }
  b.output(results);
  EXPECT_NE(lowered().find("needs 1025 streams, expected at most 1024"), std::string::npos);
}

} // namespace
} // namespace ccgraph::test

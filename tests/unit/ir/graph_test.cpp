#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/snapshot.h"

#include <gtest/gtest.h>

#include <random>

using namespace ccgraph;

namespace {

class GraphTest : public ::testing::Test {
protected:
  Context context;
  Graph graph{context, "test"};

  Node *input(llvm::StringRef name) {
    return graph.create({.opcode = Opcode::Placeholder, .name = name, .target = context.identifier(name)},
                        ArgumentBuilder(graph), {});
  }

  Node *call(llvm::StringRef name, llvm::ArrayRef<Node *> operands, Node *position = nullptr) {
    ArgumentBuilder builder(graph);
    std::vector<Argument> arguments;
    for (Node *operand : operands)
      arguments.push_back(builder.operand(operand));
    return graph.create({.name = name, .target = context.identifier("aten.add.Tensor")}, std::move(builder),
                        {arguments, {}}, position);
  }

  std::string names() {
    std::string text;
    for (Node *node : graph.nodes())
      text += node->name().str().str() + " ";
    return text;
  }

  static std::string users(const Node *node) {
    std::string text;
    for (const Use &use : node->uses())
      text += use.user()->name().str().str() + (use.isOrdering() ? "* " : " ");
    return text;
  }
};

} // namespace

TEST_F(GraphTest, NamesAreMadeUniqueAsFxDoes) {
  input("x");
  EXPECT_EQ(input("x")->name().str(), "x_1");
  EXPECT_EQ(input("x")->name().str(), "x_2");
  input("y_1");
  input("y");
  EXPECT_EQ(input("y")->name().str(), "y_2") << "a name that is taken is passed over";
  EXPECT_EQ(graph.find("x_2"), graph.byId(2));
  EXPECT_EQ(graph.find("z"), nullptr);
}

TEST_F(GraphTest, UseListsFollowEveryEdit) {
  Node *x = input("x");
  Node *y = input("y");
  Node *a = call("a", {x, x, y});
  Node *b = call("b", {x});
  EXPECT_EQ(users(x), "a a b ");
  graph.setOperand(a, 1, y);
  EXPECT_EQ(users(x), "a b ");
  EXPECT_EQ(users(y), "a a ");
  graph.addOrdering(b, a);
  graph.addOrdering(b, a);
  EXPECT_EQ(users(a), "b* ") << "an edge is there once";
  EXPECT_FALSE(a->hasDataUses());
  EXPECT_EQ(b->operand(0), x) << "ordering edges leave data operands alone";
  graph.removeOrdering(b, a);
  EXPECT_FALSE(a->hasUses());
  graph.erase(b);
  EXPECT_EQ(users(x), "a ");
  EXPECT_EQ(names(), "x y a ");
  EXPECT_TRUE(b->isErased());
  EXPECT_EQ(b->name().str(), "b") << "an erased node can still be described";
}

TEST_F(GraphTest, ReplaceAllUsesLeavesTheReplacementsOwn) {
  Node *x = input("x");
  Node *a = call("a", {x});
  Node *copy = call("copy", {a});
  Node *b = call("b", {a});
  graph.addOrdering(b, a);
  graph.replaceAllUses(a, copy);
  EXPECT_EQ(users(a), "copy ");
  EXPECT_EQ(users(copy), "b b* ");
}

TEST_F(GraphTest, ArgumentTreesKeepTheirNesting) {
  Node *x = input("x");
  Node *y = input("y");
  ArgumentBuilder builder(graph);
  Argument list = builder.nodes({x, y});
  Argument sizes = builder.integers({2, -1});
  Argument last = builder.operand(x);
  Node *cat = graph.create({.name = "cat", .target = context.identifier("aten.cat.default")}, std::move(builder),
                           {{list, sizes}, {{context.identifier("other"), last}}});
  ASSERT_EQ(cat->numOperands(), 3U);
  EXPECT_EQ(cat->operand(cat->args()[0].elements()[1]), y);
  EXPECT_EQ(cat->operand(*cat->kwarg("other")), x);
  EXPECT_EQ(cat->args()[1].elements()[1].integer(), -1);
  EXPECT_EQ(cat->kwarg("absent"), nullptr);
  graph.setOperand(cat, 0, y);
  EXPECT_EQ(cat->operand(cat->args()[0].elements()[0]), y) << "the tree shows the new operand";
}

TEST_F(GraphTest, EqualArgumentTreesAreStoredOnce) {
  Node *x = input("x");
  Node *y = input("y");
  auto view = [&](Graph &owner, Node *of, std::vector<int64_t> sizes, double scale) {
    ArgumentBuilder builder(owner);
    Argument value = builder.operand(of);
    Argument list = builder.integers(sizes);
    return owner.create({.name = "v", .target = context.identifier("mylib.view")}, std::move(builder),
                        {{value, list}, {{context.identifier("scale"), Argument::floating(scale)}}});
  };
  Node *v = view(graph, x, {2, -1}, 0.0);
  EXPECT_EQ(&view(graph, y, {2, -1}, 0.0)->arguments(), &v->arguments()) << "a tree does not contain its operands";
  EXPECT_NE(&view(graph, x, {2, -2}, 0.0)->arguments(), &v->arguments());
  EXPECT_NE(&view(graph, x, {2}, 0.0)->arguments(), &v->arguments());
  EXPECT_NE(&view(graph, x, {2, -1}, -0.0)->arguments(), &v->arguments()) << "numbers are compared bitwise";
  EXPECT_EQ(&graph.clone()->find("v")->arguments(), &v->arguments());
  EXPECT_EQ(v->args()[1].elements()[1].integer(), -1);
}

TEST_F(GraphTest, OrderSurvivesRandomEdits) {
  std::mt19937 random(7);
  std::vector<Node *> order;
  for (int i = 0; i < 3000; ++i) {
    size_t at = random() % (order.size() + 1);
    at = i % 3 == 0 ? 0 : (i % 3 == 1 ? order.size() / 2 : at); // insert mostly at the front and at one spot, where
                                                                // labels run out
    Node *position = at < order.size() ? order[at] : nullptr;
    order.insert(order.begin() + static_cast<ptrdiff_t>(at), call("n", {}, position));
  }
  for (int i = 0; i < 2000; ++i) {
    size_t from = random() % order.size();
    Node *node = order[from];
    order.erase(order.begin() + static_cast<ptrdiff_t>(from));
    size_t to = random() % order.size();
    graph.moveBefore(node, order[to]);
    order.insert(order.begin() + static_cast<ptrdiff_t>(to), node);
  }
  EXPECT_EQ(graph.nodes(), order);
  for (size_t i = 1; i < order.size(); ++i)
    ASSERT_TRUE(order[i - 1]->isBefore(order[i]) && !order[i]->isBefore(order[i - 1])) << i;
}

TEST_F(GraphTest, MovesToTheSamePlaceChangeNothing) {
  Node *a = input("a");
  Node *b = input("b");
  GraphSnapshot before(graph);
  graph.moveBefore(a, b);
  graph.moveBefore(a, a);
  graph.moveAfter(b, a);
  graph.moveAfter(b, b);
  EXPECT_TRUE(before.matches(graph));
  graph.moveAfter(a, b);
  EXPECT_EQ(names(), "b a ");
  EXPECT_FALSE(before.matches(graph));
}

TEST_F(GraphTest, SnapshotSeesEveryKindOfEdit) {
  Node *x = input("x");
  Node *y = input("y");
  Node *a = call("a", {x});
  auto changed = [&](auto &&edit, auto &&undo) {
    GraphSnapshot before(graph);
    EXPECT_TRUE(before.matches(graph));
    edit();
    bool seen = !before.matches(graph);
    undo();
    EXPECT_TRUE(before.matches(graph));
    return seen;
  };
  EXPECT_TRUE(changed([&] { graph.setOperand(a, 0, y); }, [&] { graph.setOperand(a, 0, x); }));
  EXPECT_TRUE(changed([&] { graph.addOrdering(a, y); }, [&] { graph.removeOrdering(a, y); }));
  EXPECT_TRUE(changed([&] { graph.rename(a, "b"); }, [&] { graph.rename(a, "a"); }));
  EXPECT_TRUE(changed([&] { graph.setType(a, context.noneType()); }, [&] { graph.setType(a, nullptr); }));
  EXPECT_TRUE(changed([&] { graph.rank = 1; }, [&] { graph.rank.reset(); }));
  EXPECT_TRUE(changed([&] { graph.worldSize = 4; }, [&] { graph.worldSize.reset(); }));
  EXPECT_TRUE(changed([&] { graph.symbolHints.emplace_back(context.identifier("s0"), 8); },
                      [&] { graph.symbolHints.clear(); }));
  EXPECT_TRUE(changed([&] { graph.attributes.emplace_back(context.identifier("k"), context.identifier("1")); },
                      [&] { graph.attributes.clear(); }));
  EXPECT_TRUE(changed([&] { graph.setTarget(a, context.identifier("aten.mul.Tensor")); },
                      [&] { graph.setTarget(a, context.identifier("aten.add.Tensor")); }));
}

TEST_F(GraphTest, CloneIsDeepAndEqual) {
  Node *x = input("x");
  Node *a = call("a", {x, x});
  Node *b = call("b", {a});
  graph.addOrdering(b, x);
  graph.setFrame(a, graph.addFrame({.file = context.identifier("train.py"), .line = 3}));
  graph.groups().set({.name = "tp", .ranks = {0, 1}});
  graph.rank = 1;
  graph.symbolHints.emplace_back(context.identifier("s0"), 8);
  graph.addSubgraph(context.identifier("body"));
  auto copy = graph.clone();
  graph.erase(b);
  ASSERT_EQ(copy->size(), 3U);
  EXPECT_EQ(copy->find("b")->operand(0), copy->find("a"));
  EXPECT_EQ(copy->find("b")->ordering(0), copy->find("x"));
  EXPECT_EQ(copy->frames()[copy->find("a")->frame()].line, 3);
  EXPECT_EQ(copy->surroundings(), graph.surroundings());
  EXPECT_NE(copy->subgraph(context.identifier("body")), nullptr);
}

TEST_F(GraphTest, KnowsOfAReshapeAtAnyDepth) {
  Graph &body = graph.addSubgraph(context.identifier("body"));
  Graph &inner = body.addSubgraph(context.identifier("inner"));
  EXPECT_FALSE(graph.mayReshape());
  inner.create({.name = "turn", .target = context.identifier("aten.t_.default")}, ArgumentBuilder(inner), {});
  EXPECT_TRUE(graph.mayReshape() && body.mayReshape() && inner.mayReshape());
  EXPECT_TRUE(graph.clone()->mayReshape());
}

TEST_F(GraphTest, RangesWalkNodesAndEdges) {
  Node *x = input("x");
  Node *a = call("a", {x, x});
  Node *b = call("b", {a, x});
  graph.addOrdering(b, x);
  EXPECT_EQ(std::vector<Node *>(graph.begin(), graph.end()), graph.nodes());
  auto listed = [](auto range) { return std::vector<Node *>(range.begin(), range.end()); };
  EXPECT_EQ(listed(a->dataOperands()), (std::vector<Node *>{x, x}));
  EXPECT_EQ(listed(b->dataOperands()), (std::vector<Node *>{a, x}));
  EXPECT_EQ(listed(b->orderedAfter()), std::vector<Node *>{x});
  EXPECT_TRUE(listed(x->orderedAfter()).empty());
}

TEST_F(GraphTest, FramesAndOriginsAreShared) {
  Frame frame{.file = context.identifier("a.py"), .line = 1};
  uint32_t index = graph.addFrame(frame);
  EXPECT_EQ(graph.addFrame(frame), index);
  EXPECT_EQ(graph.addFrame(Frame()), 0U);
  Node *x = input("x");
  Node *y = input("y");
  graph.setProvenance(x, graph.mergeProvenance({x, y}));
  auto origins = graph.mergeProvenance({x, y})->origins;
  ASSERT_EQ(origins.size(), 3U) << "x stands for what it came from, y for itself";
  EXPECT_EQ(origins[2].str(), "y");
}

TEST_F(GraphTest, RevisionTellsOfEveryEdit) {
  Node *x = input("x");
  Node *a = call("a", {x});
  Node *b = call("b", {x, a});
  Node *c = call("c", {x});
  Graph &body = graph.addSubgraph(context.identifier("body"));
  uint64_t last = graph.revision();
  auto edited = [&] { return std::exchange(last, graph.revision()) != last; };
  EXPECT_FALSE(edited());
  graph.moveBefore(c, b);
  EXPECT_TRUE(edited());
  graph.reorder({x, a, b, c});
  EXPECT_TRUE(edited());
  graph.setOperand(c, 0, a);
  EXPECT_TRUE(edited());
  graph.replaceAllUses(a, x);
  EXPECT_TRUE(edited());
  graph.addOrdering(c, b);
  EXPECT_TRUE(edited());
  graph.setType(a, context.contiguousTensor(DType::F32, {}, {}));
  EXPECT_TRUE(edited());
  graph.setTarget(a, context.identifier("aten.mul.Tensor"));
  EXPECT_TRUE(edited());
  graph.rename(a, "z");
  EXPECT_TRUE(edited());
  graph.erase(c);
  EXPECT_TRUE(edited());
  body.create({.opcode = Opcode::Placeholder, .name = "y", .target = context.identifier("y")}, ArgumentBuilder(body),
              {});
  EXPECT_TRUE(edited()) << "an edit of a subgraph is one of its graph: what a call does may hang on it";
  graph.eraseSubgraph(context.identifier("body"));
  EXPECT_TRUE(edited());
  (void)graph.find("z");
  (void)graph.addFrame({.line = 3});
  graph.setFrame(a, 1);
  EXPECT_FALSE(edited());
}

// Tests which changes affect the digest, and which do not.
#include "ccgraph/ir/digest.h"

#include "program.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// The differences between variants of one small program.
struct Variant {
  const char *x = "x";
  const char *group = "0";
  const char *type = "bf16[8][1]cuda:0";
  const char *reduction = "sum";
  const char *function = "aten.relu.default";
  double factor = 2.0;
  bool other = false;   ///< mul reads the input in place of the sum
  bool turned = false;  ///< relu is issued after the launch
  bool ordered = false; ///< mul after relu, by an edge
  std::optional<Group> table = std::nullopt;
};

std::string digest(const Variant &v) {
  Program p;
  Node *x = p.input(v.x, v.type);
  Node *relu = v.turned ? nullptr : p.call("relu", v.function, {x}, v.type);
  Node *ar = p.call("ar", "_c10d_functional.all_reduce.default", {x, v.reduction, v.group}, v.type);
  if (!relu)
    relu = p.call("relu", v.function, {x}, v.type);
  Node *w = p.call("w", "_c10d_functional.wait_tensor.default", {ar}, v.type);
  Node *mul = p.call("mul", "aten.mul.Tensor", {v.other ? x : w, v.factor}, v.type);
  if (v.ordered)
    p.graph.addOrdering(mul, relu);
  p.output({mul, relu});
  if (v.table)
    p.graph.groups().set(*v.table);
  return digestOf(p.graph).str();
}

std::string plain() { return digest({}); }
Group four() { return {.name = "0", .ranks = {0, 1, 2, 3}, .axis = 1}; }

/// The program returns a tuple with one list in it.
TEST(Digest, IsTheSameForAnyMachineAndVersion) {
  EXPECT_EQ(plain(), digest({}));
  EXPECT_EQ(plain(), "f7a62509961d31124e0935db15f2d0a8e308959c3ff1066073d6018edea7c0d4");
}

TEST(Digest, DoesNotSeeNames) {
  EXPECT_EQ(plain(), digest({.x = "arg0_1"}));
  EXPECT_EQ(plain(), digest({.group = "mesh_tp"}));
}

TEST(Digest, IsThatOfAnotherRank) {
  EXPECT_EQ(plain(), digest({.type = "bf16[8][1]cuda:3"}));
  EXPECT_EQ(digest({.table = four()}),
            digest({.group = "7", .table = Group{.name = "7", .ranks = {4, 5, 6, 7}, .axis = 1}}));
  EXPECT_EQ(digest({.table = four()}),
            digest({.table = Group{.name = "0", .partition = {{0, 1, 2, 3}, {4, 5, 6, 7}}, .axis = 1}}));
}

TEST(Digest, SeesWhatAProgramDoes) {
  for (const Variant &variant : std::vector<Variant>{{.type = "f16[8][1]cuda:0"},
                                                     {.type = "bf16[9][1]cuda:0"},
                                                     {.type = "bf16[8][2]cuda:0"},
                                                     {.type = "bf16[8][1]cpu"},
                                                     {.type = "bf16[s0][1]cuda:0"},
                                                     {.type = ""},
                                                     {.reduction = "avg"},
                                                     {.function = "aten.abs.default"},
                                                     {.factor = 3.0},
                                                     {.other = true},
                                                     {.turned = true},
                                                     {.ordered = true},
                                                     {.table = four()}})
    EXPECT_NE(digest(variant), plain());
  Group two = {.name = "0", .ranks = {0, 1}, .axis = 1};
  Group across = {.name = "0", .ranks = {0, 1, 2, 3}, .axis = 0};
  EXPECT_NE(digest({.table = four()}), digest({.table = two}));
  EXPECT_NE(digest({.table = four()}), digest({.table = across}));
}

TEST(Digest, SeesWhetherTwoGroupsAreOne) {
  auto twice = [](const char *first, const char *second) {
    Program p;
    Node *x = p.input("x", "f32[8][1]cpu");
    for (const char *group : {first, second})
      p.call(group, "_c10d_functional.all_reduce.default", {x, "sum", group});
    return digestOf(p.graph);
  };
  EXPECT_EQ(twice("a", "b"), twice("b", "a"));
  Program p;
  Node *x = p.input("x", "f32[8][1]cpu");
  for (const char *name : {"a", "b"})
    p.call(name, "_c10d_functional.all_reduce.default", {x, "sum", "a"});
  EXPECT_NE(twice("a", "b"), digestOf(p.graph));
}

TEST(Digest, SeesWhatTheCallerHolds) {
  EXPECT_NE(digest({.x = "tangents_1"}), plain());
  EXPECT_EQ(digest({.x = "primals_1"}), plain());
}

TEST(Digest, SeesHintsOfBackedSymbolsOnly) {
  auto sized = [](const char *symbol, std::optional<int64_t> hint) {
    Program p;
    std::string type = (llvm::Twine("f32[") + symbol + "*2][1]cpu").str();
    p.output({p.input("x", type.c_str())});
    if (hint)
      p.graph.symbolHints.emplace_back(p.id(symbol), *hint);
    return digestOf(p.graph);
  };
  EXPECT_EQ(sized("s0", 4), sized("s7", 4));
  EXPECT_NE(sized("s0", 4), sized("s0", 5));
  EXPECT_NE(sized("s0", 4), sized("s0", std::nullopt));
  EXPECT_EQ(sized("u0", 4), sized("u1", std::nullopt));
  EXPECT_NE(sized("u0", std::nullopt), sized("s0", std::nullopt));
}

TEST(Digest, SeesSubgraphsWhereTheyAreMeant) {
  auto wrapped = [](const char *name, const char *function) {
    Program p;
    Node *x = p.input("x", "f32[8][1]cpu");
    Graph &body = p.graph.addSubgraph(p.id(name));
    ArgumentBuilder builder(body);
    body.create({.name = "n", .target = p.id(function)}, std::move(builder), {});
    p.output({p.call("run", "higher_order.wrap", {p.attribute(name), x})});
    return digestOf(p.graph);
  };
  EXPECT_EQ(wrapped("body_0", "aten.rand.default"), wrapped("other", "aten.rand.default"));
  EXPECT_NE(wrapped("body_0", "aten.rand.default"), wrapped("body_0", "aten.randn.default"));
}

TEST(Digest, DoesNotSeeWhereANodeComesFrom) {
  Program p;
  Node *x = p.input("x", "f32[8][1]cpu");
  p.output({x});
  GraphDigest before = digestOf(p.graph);
  p.graph.setFrame(x, p.graph.addFrame({.file = p.id("train.py"), .line = 3}));
  p.graph.setProvenance(x, p.graph.makeProvenance({.origins = {}, .attributes = {}, .durationPs = 5}));
  p.graph.rank = 3;
  p.graph.setName("another");
  EXPECT_EQ(digestOf(p.graph), before);
  EXPECT_EQ(digestOf(*p.graph.clone()), before);
}

} // namespace
} // namespace ccgraph::test

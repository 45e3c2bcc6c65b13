#include "ccgraph/ir/storage.h"

#include <gtest/gtest.h>

using namespace ccgraph;

namespace {

/// Builds small programs for tests that check which values share memory.
class StorageTest : public ::testing::Test {
protected:
  Context context;
  Graph graph{context};

  Node *input(llvm::StringRef name) {
    return graph.create({.opcode = Opcode::Placeholder, .name = name, .target = context.identifier(name)},
                        ArgumentBuilder(graph), {});
  }

  Node *call(llvm::StringRef target, llvm::ArrayRef<Node *> operands, llvm::ArrayRef<Argument> rest = {}) {
    ArgumentBuilder builder(graph);
    std::vector<Argument> arguments;
    for (Node *operand : operands)
      arguments.push_back(builder.operand(operand));
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    return graph.create({.name = "n", .target = context.identifier(target)}, std::move(builder), {arguments, {}});
  }

  Node *listCall(llvm::StringRef target, llvm::ArrayRef<Node *> operands,
                 llvm::ArrayRef<llvm::StringRef> strings = {}) {
    ArgumentBuilder builder(graph);
    std::vector<Argument> arguments = {builder.nodes(operands)};
    for (llvm::StringRef text : strings)
      arguments.push_back(builder.string(text));
    return graph.create({.name = "n", .target = context.identifier(target)}, std::move(builder), {arguments, {}});
  }

  Node *item(Node *list, int64_t index) { return call("operator.getitem", {list}, {Argument::integer(index)}); }
  Node *allReduce(llvm::StringRef target, Node *x) {
    ArgumentBuilder strings(graph);
    return call(target, {x}, {strings.string("sum"), strings.string("0")});
  }
  bool share(Node *a, Node *b) { return StorageMap(graph).mayAlias(a, b); }
};

} // namespace

TEST_F(StorageTest, InputsAndPureResultsHaveTheirOwn) {
  Node *x = input("x");
  Node *y = input("y");
  Node *sum = call("aten.add.Tensor", {x, y});
  EXPECT_FALSE(share(x, y));
  EXPECT_FALSE(share(sum, x));
}

TEST_F(StorageTest, ViewsShareThroughChains) {
  Node *x = input("x");
  Node *t = call("aten.t.default", {x});
  Node *view = call("aten.alias.default", {t});
  EXPECT_TRUE(share(view, x));
  EXPECT_FALSE(share(call("aten.clone.default", {view}), x));
}

TEST_F(StorageTest, WaitSharesItsLaunch) {
  Node *x = input("x");
  Node *launch = allReduce("_c10d_functional.all_reduce.default", x);
  Node *wait = call("_c10d_functional.wait_tensor.default", {launch});
  EXPECT_TRUE(share(wait, launch));
  EXPECT_FALSE(share(launch, x)) << "the functional form has a result of its own";
}

TEST_F(StorageTest, InPlaceFormsShareTheirInput) {
  Node *x = input("x");
  EXPECT_TRUE(share(allReduce("_c10d_functional.all_reduce_.default", x), x));
  EXPECT_TRUE(share(call("aten.add_.Tensor", {x, input("y")}), x));
}

TEST_F(StorageTest, ElementsOfAListAreSeparate) {
  Node *list = listCall("_c10d_functional.all_reduce_coalesced.default", {input("a"), input("b")}, {"sum", "0"});
  Node *first = item(list, 0);
  Node *second = item(list, 1);
  EXPECT_FALSE(share(first, second));
  EXPECT_TRUE(share(first, list));
  Node *waits = listCall("_c10d_functional.wait_tensors.default", {first, second});
  EXPECT_TRUE(share(item(waits, 1), second));
  EXPECT_FALSE(share(item(waits, 1), first));
}

TEST_F(StorageTest, SplitsShareTheWhole) {
  Node *x = input("x");
  Node *parts = call("aten.split.Tensor", {x}, {Argument::integer(2)});
  EXPECT_TRUE(share(item(parts, 0), item(parts, 1)));
  EXPECT_TRUE(share(item(parts, 0), x));
}

TEST_F(StorageTest, AnOpaqueResultMayShareAnything) {
  Node *x = input("x");
  EXPECT_TRUE(share(call("mylib.mystery.default", {x}), x));
}

TEST_F(StorageTest, ATensorThatIsGivenAnothersStorageSharesItBeforeAndAfter) {
  Node *x = input("x");
  Node *y = input("y");
  Node *view = call("aten.view.default", {x});
  Node *apart = input("z");
  EXPECT_FALSE(share(view, y));
  Node *set = call("aten.set_.source_Tensor", {x, y});
  EXPECT_TRUE(share(view, y) && share(set, y) && share(x, y));
  EXPECT_FALSE(share(apart, y));
}

TEST_F(StorageTest, TwoReadsOfOneAttributeShare) {
  auto attribute = [&] {
    return graph.create({.opcode = Opcode::GetAttr, .name = "w", .target = context.identifier("w")},
                        ArgumentBuilder(graph), {});
  };
  Node *first = attribute();
  EXPECT_TRUE(share(first, attribute()));
}

/// allreduce_([a, b], ..) returns a list of both, and a Work.
TEST_F(StorageTest, ElementsOfAListBesideAWorkShareWithAllTensors) {
  Node *a = input("a");
  Node *b = input("b");
  Node *list = item(listCall("c10d.allreduce_.default", {a, b}), 0);
  EXPECT_TRUE(share(item(list, 0), a));
  EXPECT_TRUE(share(item(list, 1), b));
}

// Tests programs in which some collectives get a group of their own.
#include "ccgraph/toolkit/split_group.h"

#include "support/program_builder.h"

#include "ccgraph/ir/collective.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

class SplitGroup : public testing::Test {
protected:
  SplitGroup() {
    const Type *type = program_.f32({4});
    Node *x = program_.input("x", type);
    reduce_ =
        program_.call("_c10d_functional.all_reduce.default", type, {x, llvm::StringRef("sum"), llvm::StringRef("0")});
    gather_ = program_.call("_c10d_functional.all_gather_into_tensor.default", program_.f32({8}),
                            {x, int64_t{2}, llvm::StringRef("0")});
    Node *w = program_.call("_c10d_functional.wait_tensor.default", type, {reduce_});
    Node *v = program_.call("_c10d_functional.wait_tensor.default", program_.f32({8}), {gather_});
    program_.output({w, v});
    Group group;
    group.name = "0";
    group.ranks = {0, 1};
    graph_.groups().set(group);
  }

  Context context_;
  Graph graph_ = Graph(context_);
  ProgramBuilder program_ = ProgramBuilder(graph_);
  Node *reduce_ = nullptr, *gather_ = nullptr;
};

TEST_F(SplitGroup, NamesTheNewGroupAndNothingElse) {
  ASSERT_FALSE(static_cast<bool>(splitGroup(graph_, {"0", "all_gather"})));
  EXPECT_EQ(collectiveCall(*gather_)->group, "0.all_gather");
  EXPECT_EQ(collectiveCall(*gather_)->inputs, collectiveCall(*reduce_)->inputs);
  EXPECT_EQ(collectiveCall(*gather_)->groupSize, 2);
  EXPECT_EQ(collectiveCall(*reduce_)->group, "0");
  ASSERT_TRUE(graph_.groups().find("0.all_gather"));
  EXPECT_EQ(graph_.groups().find("0.all_gather")->ranks, std::vector<int64_t>({0, 1}));
}

TEST_F(SplitGroup, OffersOneOfTwoKinds) {
  std::vector<GroupSplit> splits = possibleSplits(graph_);
  ASSERT_EQ(splits.size(), 1U);
  EXPECT_EQ(splits[0].name(), "0.all_reduce");
  llvm::cantFail(splitGroup(graph_, splits[0]));
  EXPECT_TRUE(possibleSplits(graph_).empty());
}

TEST(SplitGroupOfThree, OffersEachKind) {
  Context context;
  Graph graph(context);
  ProgramBuilder program(graph);
  const Type *type = program.f32({4});
  Node *x = program.input("x", type);
  const llvm::StringRef sum("sum"), group("0");
  program.call("_c10d_functional.all_reduce.default", type, {x, sum, group});
  program.call("_c10d_functional.all_gather_into_tensor.default", program.f32({8}), {x, int64_t{2}, group});
  program.call("_c10d_functional.reduce_scatter_tensor.default", program.f32({2}), {x, sum, int64_t{2}, group});
  std::vector<std::string> names;
  for (const GroupSplit &split : possibleSplits(graph))
    names.push_back(split.name());
  EXPECT_EQ(names, std::vector<std::string>({"0.all_reduce", "0.all_gather", "0.reduce_scatter"}));
}

TEST_F(SplitGroup, RefusesWhatIsNotThere) {
  std::string error = llvm::toString(splitGroup(graph_, {"0", "reduce_scatter"}));
  EXPECT_NE(error.find("no reduce_scatter names group '0'"), std::string::npos) << error;
  EXPECT_NE(error.find("there are 0:all_reduce, 0:all_gather"), std::string::npos) << error;
}

TEST_F(SplitGroup, AGroupMayHaveColonsInItsName) {
  GroupSplit split = llvm::cantFail(parseGroupSplit("mesh:dp:all_gather"));
  EXPECT_EQ(split.group, "mesh:dp");
  EXPECT_EQ(split.kind, "all_gather");
  for (llvm::StringRef text : {"all_gather", ":all_gather", "0:"}) {
    llvm::Expected<GroupSplit> bad = parseGroupSplit(text);
    EXPECT_FALSE(static_cast<bool>(bad)) << text.str();
    llvm::consumeError(bad.takeError());
  }
}

} // namespace
} // namespace ccgraph::test

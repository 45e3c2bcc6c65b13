// Tests facts that become constants, the guards for them, and programs in which a fact differs.
#include "traced.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/guard_check.h"
#include "ccgraph/tracer/facts.h"
#include "support/noted.h"

namespace ccgraph::test {
namespace {

using namespace distributed;
using llvm::cantFail;

/// Rank 5 of 8, which is (1, 1) in a mesh of 2 x 4.
struct Folding : testing::Test {
  Traced t{{.worldSize = 8, .rank = 5}};
  DeviceMesh mesh{"cuda", {2, 4}, {"dp", "tp"}};

  /// Returns the guards of the finished graph, one a line.
  std::string guards() {
    std::string text;
    for (const Guard &guard : t.finish({t.input("x", {1})}).guards)
      text += guardFactName(guard.fact).str() + " of " + guard.of + " is " + guardValueText(guard.value) + "\n";
    note("guards", text);
    return text;
  }
};

TEST_F(Folding, TheWorldAndItsRank) {
  EXPECT_EQ(cantFail(get_rank()), 5);
  EXPECT_EQ(cantFail(get_world_size()), 8);
  EXPECT_EQ(cantFail(get_rank()), 5);
  EXPECT_EQ(guards(), "rank of 0 is 5\nsize of 0 is 8\n");
}

TEST_F(Folding, GroupsOfAMesh) {
  EXPECT_EQ(mesh.ndim(), 2);
  EXPECT_EQ(mesh.device_type(), "cuda");
  EXPECT_EQ(mesh.size(), 8);
  EXPECT_EQ(cantFail(mesh.size(1)), 4);
  EXPECT_EQ(cantFail(get_coordinate(mesh)), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(cantFail(get_world_size(std::pair(mesh, 1))), 4);
  EXPECT_EQ(cantFail(get_process_group_ranks(std::pair(mesh, 0))), (std::vector<int64_t>{1, 5}));
  EXPECT_EQ(cantFail(group_name(std::pair(mesh, 1))), "tp");
  EXPECT_EQ(guards(),
            "mesh_ndim of dp is 2\ndevice_type of dp is \"cuda\"\nsize of dp is 2\nsize of tp is 4\nrank of dp is 1\n"
            "rank of tp is 1\nranks of dp is [1, 5]\nname of tp is \"tp\"\n");
}

TEST_F(Folding, EachAnswerOfAMeshLeavesAGuard) {
  EXPECT_EQ(mesh.shape(), (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(mesh.ranks().size(), 8U);
  EXPECT_EQ(guards(), "size of dp is 2\nsize of tp is 4\n");
}

TEST_F(Folding, AMeshThatDoesNotFitTheWorldLeavesNoGuard) {
  DeviceMesh large("cuda", {16}, {"all"}), wrong("cuda", {2}, {"a", "b"});
  for (const DeviceMesh &other : {large, wrong}) {
    EXPECT_EQ(other.ndim(), 1);
    EXPECT_EQ(other.device_type(), "cuda");
    EXPECT_EQ(other.shape().size(), 1U);
  }
  EXPECT_EQ(guards(), "");
}

TEST(FoldingOutside, AMeshAnswersWithoutATrace) {
  DeviceMesh mesh("cuda", {8}, {"all"});
  EXPECT_EQ(mesh.size(), 8);
  EXPECT_EQ(mesh.ndim(), 1);
  EXPECT_EQ(mesh.device_type(), "cuda");
}

TEST_F(Folding, TheHelpersOfGroups) {
  t.trace().addGroup({.name = "1", .ranks = {2, 5}, .tag = "us\"er"});
  t.trace().addGroup({.name = "2", .ranks = {0, 1}});
  EXPECT_EQ(cantFail(_get_group_size_by_name("0")), 8);
  EXPECT_EQ(cantFail(_resolve_group_name_by_ranks_and_tag({2, 5}, "us\"er")), "1");
  EXPECT_EQ(cantFail(_get_group_tag("1")), "us\"er");
  EXPECT_FALSE(cantFail(_rank_not_in_group("1")));
  EXPECT_TRUE(cantFail(_rank_not_in_group(std::vector<int64_t>{0, 1})));
  EXPECT_EQ(cantFail(get_rank("2")), -1);
  EXPECT_EQ(guards(), "size of 0 is 8\nranks of 1 is [2, 5]\ntag of 1 is \"us\"er\"\nmember of 1 is true\n"
                      "member of 2 is false\nrank of 2 is -1\n");
}

TEST_F(Folding, APermutationHoldsItsRank) {
  (void)collectives::permute_tensor(t.input("x", {4}), {1, 2, 3, 0}, std::pair(mesh, 1));
  EXPECT_EQ(guards(), "rank of tp is 1\nsize of tp is 4\n");
}

TEST_F(Folding, PlacementsAreConstants) {
  Placement shard = Placement::Shard(1), replicate = Placement::Replicate(), partial = Placement::Partial("MAX");
  EXPECT_TRUE(shard.is_shard() && shard.is_shard(1) && !shard.is_shard(0) && !shard.is_replicate());
  EXPECT_EQ(shard.dim(), 1);
  EXPECT_TRUE(replicate.is_replicate() && !replicate.is_shard() && !replicate.dim());
  EXPECT_TRUE(partial.is_partial() && !partial.is_replicate());
  EXPECT_EQ(partial.reduce_op(), "max");
  EXPECT_EQ(shard, Placement::Shard(1));
  EXPECT_NE(shard, Placement::Shard(0));
  EXPECT_EQ(guards(), "");
}

TEST(FoldingErrors, WhatDiffersByRankWhereOneTextServesAll) {
  Traced t;
  std::string text = "the answer for group tp differs by rank, and this trace is one text for every rank [trace.rank]\n"
                     "  note: give the trace a rank (TraceOptions::rank)\n";
  auto tp = std::pair(DeviceMesh("cpu", {2, 2}, {"dp", "tp"}), 1);
  EXPECT_EQ(errorOf(get_rank(tp).takeError()), "error: get_rank: " + text);
  EXPECT_EQ(errorOf(_rank_not_in_group(tp).takeError()), "error: _rank_not_in_group: " + text);
  EXPECT_EQ(errorOf(get_process_group_ranks(tp).takeError()), "error: get_process_group_ranks: " + text);
  EXPECT_EQ(cantFail(get_world_size(tp)), 2);
}

TEST(FoldingErrors, OutsideOfATrace) {
  EXPECT_EQ(errorOf(get_rank().takeError()),
            "error: get_rank: is called while no trace is open on this thread [trace.none]\n"
            "  note: open one with Trace::begin, and finish it after the last call\n");
}

// --- Guards ----------------------------------------------------------------------------------------------------------

std::unique_ptr<Graph> readBack(Context &context, const Graph &graph, std::string &text) {
  llvm::raw_string_ostream os(text);
  writeJsonGraph(os, graph);
  SourceText source{"graph.json", os.str()};
  return cantFail(readJsonGraph(context, source, {}));
}

TEST(Guards, AreWrittenAndReadBack) {
  Traced t({.worldSize = 2, .rank = 1});
  (void)cantFail(get_rank());
  Graph &graph = t.finish({t.input("x", {1})});
  std::string text;
  std::unique_ptr<Graph> again = readBack(t.context(), graph, text);
  EXPECT_NE(text.find("\n  \"guards\": [{\"fact\": \"rank\", \"of\": \"0\", \"value\": 1}],\n"), std::string::npos)
      << text;
  EXPECT_EQ(again->guards, graph.guards);
  EXPECT_EQ(errorOf(checkGuards(*again)), "");
}

TEST(Guards, StandBelowTheHeaderOfFxText) {
  Traced t({.worldSize = 2});
  (void)cantFail(get_world_size());
  Graph &graph = t.finish({t.input("x", {1})});
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::cantFail(writeFxText(os, graph));
  std::string guards = "        # guards: [{\"fact\": \"size\", \"of\": \"0\", \"value\": 2}]\n";
  EXPECT_NE(os.str().find("):\n" + guards + "        return"), std::string::npos) << text;
  std::unique_ptr<Graph> again = std::move(cantFail(readFxText(t.context(), {"f.py", text})).front());
  EXPECT_EQ(errorOf(checkGuards(*again)), "");
  again->groups().set(Group{.name = "0", .ranks = {0, 1, 2}});
  EXPECT_EQ(errorOf(checkGuards(*again)),
            "error: group 0: the graph was traced with size 2, and it is 3 now [guards.fact]\n"
            "  note: trace the program again where it runs, or give it the groups that it was traced with\n");
  std::string twice;
  llvm::raw_string_ostream second(twice);
  llvm::cantFail(writeFxText(second, *again));
  EXPECT_EQ(second.str(), text);
}

TEST(Guards, NameEachFactThatIsAnotherNow) {
  Traced t({.worldSize = 4, .rank = 1});
  DeviceMesh mesh("cpu", {2, 2}, {"dp", "tp"});
  (void)cantFail(get_coordinate(mesh));
  (void)cantFail(get_world_size("tp"));
  (void)cantFail(get_process_group_ranks("dp"));
  (void)cantFail(_get_group_tag("dp"));
  Graph &graph = t.finish({t.input("x", {1})});
  EXPECT_EQ(errorOf(checkGuards(graph)), "");
  std::string repair = "  note: trace the program again where it runs, or give it the groups that it was traced with\n";
  Group all;
  all.name = "tp";
  all.ranks = {1, 0, 2};
  graph.groups().set(all);
  EXPECT_EQ(errorOf(checkGuards(graph)),
            "error: group tp: the graph was traced with rank 1, and it is 0 now [guards.fact]\n" + repair +
                "error: group tp: the graph was traced with size 2, and it is 3 now [guards.fact]\n" + repair);
  graph.groups().set(Group{.name = "tp", .ranks = {0, 1}});
  graph.rank = 0;
  EXPECT_EQ(errorOf(checkGuards(graph)),
            "error: group tp: the graph was traced with rank 1, and it is 0 now [guards.fact]\n" + repair +
                "error: group dp: the graph was traced with ranks [1, 3], and it is [0, 2] now [guards.fact]\n" +
                repair);
}

TEST(Guards, OfASizeOfAMeshAreCheckedByItsGroup) {
  Traced t({.worldSize = 4});
  DeviceMesh mesh("cpu", {2, 2}, {"dp", "tp"});
  EXPECT_EQ(cantFail(mesh.size(-1)), 2);
  Graph &graph = t.finish({t.input("x", {1})});
  std::string text;
  std::unique_ptr<Graph> again = readBack(t.context(), graph, text);
  EXPECT_EQ(errorOf(checkGuards(*again)), "");
  again->groups().set(Group{.name = "tp", .ranks = {0, 1, 2, 3}});
  EXPECT_EQ(errorOf(checkGuards(*again)),
            "error: group tp: the graph was traced with size 2, and it is 4 now [guards.fact]\n"
            "  note: trace the program again where it runs, or give it the groups that it was traced with\n");
}

TEST(Guards, OfAMeshAreCheckedByTheGroupOfItsFirstDimension) {
  Traced t({.worldSize = 4});
  DeviceMesh mesh("cpu", {2, 2}, {"dp", "tp"});
  EXPECT_EQ(mesh.ndim(), 2);
  EXPECT_EQ(mesh.device_type(), "cpu");
  Graph &graph = t.finish({t.input("x", {1})});
  std::string text;
  std::unique_ptr<Graph> again = readBack(t.context(), graph, text);
  EXPECT_EQ(again->guards, graph.guards);
  EXPECT_EQ(errorOf(checkGuards(*again)), "");
  again->groups().set(cantFail(DeviceMesh("cuda", {2, 2, 1}, {"dp", "tp", "pp"}).get_group(0)));
  std::string repair = "  note: trace the program again where it runs, or give it the groups that it was traced with\n";
  EXPECT_EQ(errorOf(checkGuards(*again)),
            "error: group dp: the graph was traced with mesh_ndim 2, and it is 3 now [guards.fact]\n" + repair +
                "error: group dp: the graph was traced with device_type \"cpu\", and it is \"cuda\" now "
                "[guards.fact]\n" +
                repair);
}

} // namespace
} // namespace ccgraph::test

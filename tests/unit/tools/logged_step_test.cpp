#include "ccgraph/toolkit/logged_step.h"

#include <gtest/gtest.h>

using namespace ccgraph;

namespace {

ListedGraph entry(const char *kind, const char *compileId, GraphRole role, size_t collectives) {
  ListedGraph graph;
  graph.file = "rank_0.log";
  graph.rank = 0;
  graph.kind = kind;
  graph.compileId = compileId;
  graph.role = role;
  graph.collectives = collectives;
  graph.stage = stageOf(kind);
  return graph;
}

constexpr GraphRole forward = GraphRole::Forward, backward = GraphRole::Backward;

/// Returns one compilation, whose forward graph Inductor merged into buckets.
std::vector<ListedGraph> oneCompilation() {
  return {entry("aot_joint_graph", "0/0", GraphRole::Joint, 20), entry("aot_forward_graph", "0/0", forward, 10),
          entry("aot_backward_graph", "0/0", backward, 10),      entry("before_post_grad_graph", "0/0", forward, 10),
          entry("inductor_post_grad_graph", "0/0", forward, 4),  entry("before_post_grad_graph", "0/0", backward, 10),
          entry("inductor_post_grad_graph", "0/0", backward, 10)};
}

} // namespace

TEST(LoggedTrainingStep, ForwardAndBackwardAreOneStepAndInductorsResultIsTheBaseline) {
  std::optional<LoggedTrainingStep> step = trainingStepOf(oneCompilation(), 3);
  ASSERT_TRUE(step);
  ASSERT_EQ(step->graphs.size(), 2U);
  EXPECT_EQ(step->chosen, 0U);
  EXPECT_EQ(step->graphs[0].start, 3U); // 4 has fewer collectives, since they are in buckets that cannot be split
  EXPECT_EQ(step->graphs[0].inductor, std::vector<size_t>{4});
  EXPECT_EQ(step->graphs[1].start, 6U);
  EXPECT_TRUE(step->graphs[1].startsFromInductor());
}

TEST(LoggedTrainingStep, TheChosenGraphIsTheStartOfItsPart) {
  std::optional<LoggedTrainingStep> step = trainingStepOf(oneCompilation(), 4);
  ASSERT_TRUE(step);
  EXPECT_TRUE(step->graphs[step->chosen].startsFromInductor());
  EXPECT_EQ(trainingStepOf(oneCompilation(), 1)->graphs[0].start, 1U);
}

TEST(LoggedTrainingStep, AJointGraphStandsForBothHalves) {
  std::optional<LoggedTrainingStep> step = trainingStepOf(oneCompilation(), 0);
  ASSERT_TRUE(step);
  ASSERT_EQ(step->graphs.size(), 1U);
  EXPECT_EQ(step->graphs[0].inductor, (std::vector<size_t>{4, 6}));
}

TEST(LoggedTrainingStep, EachCompilationCountsAndOfAttemptsTheLast) {
  std::vector<ListedGraph> graphs = {entry("inductor_post_grad_graph", "0/0", forward, 1),
                                     entry("inductor_post_grad_graph", "0/0_1", forward, 1),
                                     entry("inductor_post_grad_graph", "0/1", forward, 1)};
  std::optional<LoggedTrainingStep> step = trainingStepOf(graphs, 1);
  ASSERT_TRUE(step);
  ASSERT_EQ(step->graphs.size(), 2U);
  EXPECT_EQ(step->graphs[0].start, 1U);
  EXPECT_EQ(step->graphs[1].start, 2U);
}

TEST(LoggedTrainingStep, AGraphThatInductorNeverCompiledIsNoPartOfTheStep) {
  std::vector<ListedGraph> graphs = {
      entry("aot_forward_graph", "0/0", forward, 0), entry("aot_backward_graph", "0/0", backward, 0),
      entry("inductor_post_grad_graph", "0/0", forward, 0), entry("inductor_post_grad_graph", "1/0", backward, 4)};
  std::optional<LoggedTrainingStep> step = trainingStepOf(graphs, 3);
  ASSERT_TRUE(step);
  ASSERT_EQ(step->graphs.size(), 2U);
  EXPECT_EQ(step->graphs[0].role, forward);
  EXPECT_EQ(step->graphs[1].compileId, "1/0");
  EXPECT_EQ(step->chosen, 1U);
  // A user who selects the graph gets it nevertheless, without a baseline.
  EXPECT_TRUE(trainingStepOf(graphs, 1)->graphs[1].inductor.empty());
}

TEST(LoggedTrainingStep, AnotherRankAndGraphsOfDynamoAreNoPartOfTheStep) {
  std::vector<ListedGraph> graphs = {entry("inductor_post_grad_graph", "0/0", forward, 1),
                                     entry("inductor_post_grad_graph", "0/0", forward, 1),
                                     entry("dynamo_output_graph", "0/0", GraphRole::Whole, 1)};
  graphs[1].rank = 1;
  graphs[1].file = "rank_1.log";
  EXPECT_EQ(trainingStepOf(graphs, 0)->graphs.size(), 1U);
  EXPECT_FALSE(trainingStepOf(graphs, 2));
}

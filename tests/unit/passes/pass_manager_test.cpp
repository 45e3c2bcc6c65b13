// Tests the pass manager: its checks after each pass, its report, and its budget.
#include "ccgraph/passes/pass_manager.h"

#include "support/program_builder.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/registry.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// x -> all_reduce -> wait -> add(x), with a relu of x in between.
class PassManager : public testing::Test {
protected:
  PassManager() : graph_(context_), program_(graph_) {
    const Type *type = program_.f32({4});
    Node *x = program_.input("x", type);
    launch_ =
        program_.call("_c10d_functional.all_reduce.default", type, {x, llvm::StringRef("sum"), llvm::StringRef("0")});
    wait_ = program_.call("_c10d_functional.wait_tensor.default", type, {launch_});
    Node *relu = program_.call("aten.relu.default", type, {x});
    Node *sum = program_.call("aten.add.Tensor", type, {wait_, relu});
    program_.output({sum});
  }

  std::string run(const Pipeline &pipeline, const PassManagerOptions &options = {}) {
    auto result = runPipeline(graph_, pipeline, options);
    if (!result)
      return llvm::toString(result.takeError());
    run_ = std::move(*result);
    return "";
  }
  std::string run(llvm::StringRef text, const PassManagerOptions &options = {}) {
    return run(llvm::cantFail(Pipeline::parse(text)), options);
  }

  Context context_;
  Graph graph_;
  ProgramBuilder program_;
  Node *launch_ = nullptr;
  Node *wait_ = nullptr;
  PipelineRun run_;
};

/// A pass that runs the test's script.
class Scripted final : public Pass {
public:
  using Script = std::function<llvm::Expected<Changed>(Graph &, PassContext &)>;
  explicit Scripted(Script script, Phase phase = Phase::Schedule, bool reorders = false)
      : Pass({"scripted", "Does as told.", phase, false, reorders}), script_(std::move(script)) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override { return script_(graph, context); }
  [[nodiscard]] std::unique_ptr<Pass> create() const override {
    return std::make_unique<Scripted>(script_, phase(), reordersCollectives());
  }

private:
  Script script_;
};

Pipeline only(Scripted::Script script, Phase phase = Phase::Schedule, bool reorders = false) {
  Pipeline pipeline;
  pipeline.append(std::make_unique<Scripted>(std::move(script), phase, reorders));
  return pipeline;
}

TEST_F(PassManager, RecordsWhatEachPassDid) {
  EXPECT_EQ(run("sink-waits,sink-waits"), "");
  ASSERT_EQ(run_.passes.size(), 2U);
  EXPECT_EQ(run_.passes[0].changed, Changed::Yes);
  EXPECT_EQ(run_.passes[1].changed, Changed::No);
  EXPECT_TRUE(run_.changed());
  ASSERT_EQ(run_.passes[0].remarks.size(), 1U);
  EXPECT_EQ(run_.passes[0].remarks[0].reason, "sunk");
  EXPECT_EQ(run_.passes[0].statistics[0], std::make_pair(std::string("moved"), int64_t{1}));
  EXPECT_EQ(run_.passes[0].nodes, graph_.size());
}

TEST_F(PassManager, StatisticsStartAtZeroInEachRun) {
  Pipeline pipeline = llvm::cantFail(Pipeline::parse("sink-waits"));
  ASSERT_TRUE(static_cast<bool>(runPipeline(graph_, pipeline)));
  auto again = runPipeline(graph_, pipeline);
  ASSERT_TRUE(static_cast<bool>(again));
  EXPECT_EQ(again->passes[0].statistics[0].second, 0);
}

TEST_F(PassManager, CallsBackAfterAChangeOnly) {
  std::vector<std::string> changed;
  PassManagerOptions options;
  options.afterChange = [&](const Pass &pass, const Graph &) { changed.push_back(pass.name().str()); };
  EXPECT_EQ(run("sink-waits,sink-waits,deduplicate-collectives", options), "");
  EXPECT_EQ(changed, std::vector<std::string>{"sink-waits"});
}

TEST_F(PassManager, CatchesAChangeThatIsDenied) {
  std::string error = run(only([&](Graph &graph, PassContext &) {
    graph.moveAfter(wait_, wait_->next());
    return Changed::No;
  }));
  EXPECT_NE(error.find("said that it changed nothing, but the graph is not what it was [pass.unchanged]"),
            std::string::npos)
      << error;
}

TEST_F(PassManager, CatchesAGraphThatIsMalformed) {
  std::vector<PassFailure::Stage> stages;
  PassManagerOptions options;
  options.onFailure = [&](const PassFailure &failure) { stages.push_back(failure.stage); };
  std::string error = run(only([&](Graph &graph, PassContext &) {
                            graph.moveAfter(launch_, wait_);
                            return Changed::Yes;
                          }),
                          options);
  EXPECT_NE(error.find("[pass.verify]"), std::string::npos) << error;
  EXPECT_EQ(stages, std::vector<PassFailure::Stage>{PassFailure::Stage::Verify});
}

TEST_F(PassManager, CatchesARewriteThatIsIllegal) {
  PassFailure seen;
  PassManagerOptions options;
  options.onFailure = [&](const PassFailure &failure) { seen = failure; };
  std::string error = run(only([&](Graph &graph, PassContext &) {
                            graph.replaceAllUses(wait_, graph.front());
                            return Changed::Yes;
                          }),
                          options);
  EXPECT_NE(error.find("[pass.legality]"), std::string::npos) << error;
  EXPECT_EQ(seen.pipeline, "scripted");
  EXPECT_EQ(seen.graph, &graph_);
}

TEST_F(PassManager, RefusesAnInputThatIsMalformed) {
  graph_.moveAfter(launch_, wait_);
  bool ran = false;
  PassFailure seen;
  PassManagerOptions options;
  options.onFailure = [&](const PassFailure &failure) { seen = failure; };
  Pipeline pipeline = only([&](Graph &, PassContext &) { return ran = true, Changed::No; });
  std::string error = run(pipeline, options);
  EXPECT_NE(error.find("got a graph that the verifier refuses [pass.input]"), std::string::npos) << error;
  EXPECT_NE(error.find("[structure."), std::string::npos) << error;
  EXPECT_EQ(seen.stage, PassFailure::Stage::Input);
  EXPECT_FALSE(isDefectOfPass(seen));
  EXPECT_FALSE(ran);
  options.verifyInput = false;
  EXPECT_EQ(run(pipeline, options), "");
  EXPECT_TRUE(ran);
  EXPECT_EQ(run(Pipeline()), "") << "nothing relies on the input of an empty pipeline";
}

TEST_F(PassManager, RefusesAGraphThatIsNotWhereItWasTraced) {
  Group group;
  group.name = "dp";
  group.ranks = {0, 1};
  graph_.groups().set(group);
  graph_.guards = {{GuardFact::Size, "dp", int64_t{4}}};
  bool ran = false;
  std::string error = run(only([&](Graph &, PassContext &) { return ran = true, Changed::No; }));
  EXPECT_EQ(error, "error: group dp: the graph was traced with size 4, and it is 2 now [guards.fact]\n"
                   "  note: trace the program again where it runs, or give it the groups that it was traced with\n");
  EXPECT_FALSE(ran);
}

TEST_F(PassManager, WhoMayReorderCollectivesIsATraitOfThePass) {
  Node *x = graph_.front();
  Node *other = program_.call("_c10d_functional.all_reduce.default", x->type(),
                              {x, llvm::StringRef("max"), llvm::StringRef("0")});
  Node *wait = program_.call("_c10d_functional.wait_tensor.default", x->type(), {other});
  graph_.moveBefore(other, launch_->next());
  graph_.moveBefore(wait, wait_->next());
  auto swap = [&](Graph &graph, PassContext &context) {
    graph.moveBefore(other, launch_);
    context.certificate().moved.push_back({"0", {other, launch_}});
    return Changed::Yes;
  };
  EXPECT_NE(run(only(swap)).find("by a pass that may not reorder collectives [legality.moved]"), std::string::npos);
  graph_.moveBefore(launch_, other);
  EXPECT_EQ(run(only(swap, Phase::Schedule, /*reorders=*/true)), "");
}

TEST_F(PassManager, PassesOnAnErrorOfThePass) {
  std::string error = run(only([&](Graph &, PassContext &) -> llvm::Expected<Changed> {
    return makeError(diagnose(*launch_, "test.rule", "cannot do this"));
  }));
  EXPECT_NE(error.find("[pass.run]"), std::string::npos) << error;
  EXPECT_NE(error.find("cannot do this [test.rule]"), std::string::npos) << error;
}

TEST_F(PassManager, StopsAtTheFirstFailure) {
  Pipeline pipeline = only([](Graph &, PassContext &) -> llvm::Expected<Changed> { return makeError(Diagnostic{}); });
  bool ran = false;
  pipeline.append(std::make_unique<Scripted>([&](Graph &, PassContext &) { return ran = true, Changed::No; }));
  EXPECT_NE(run(pipeline), "");
  EXPECT_FALSE(ran);
}

TEST_F(PassManager, ChecksCanBeTurnedOff) {
  PassManagerOptions options;
  options.verifyEach = options.checkLegality = false;
  EXPECT_EQ(run(only([&](Graph &graph, PassContext &) {
                  graph.moveAfter(launch_, wait_);
                  return Changed::Yes;
                }),
                options),
            "");
}

TEST_F(PassManager, DefaultBudgetIsThePeakOfTheInput) {
  std::optional<int64_t> seen;
  auto note = [&](Graph &, PassContext &context) { return seen = context.memoryBudget(), Changed::No; };
  EXPECT_EQ(run(only(note)), "");
  EXPECT_EQ(seen, peakMemory(graph_).bytes);
  PassManagerOptions options;
  options.memoryBudget = 7;
  EXPECT_EQ(run(only(note), options), "");
  EXPECT_EQ(seen, 7);
  options.memoryBudget = std::nullopt;
  options.memoryPercent = 60;
  EXPECT_EQ(run(only(note), options), "");
  EXPECT_EQ(seen, peakMemory(graph_).bytes * 60 / 100);
  options.limitMemory = false;
  EXPECT_EQ(run(only(note), options), "");
  EXPECT_EQ(seen, std::nullopt);
  EXPECT_EQ(run(only(note, Phase::Normalize)), "");
  EXPECT_EQ(seen, std::nullopt);
}

TEST_F(PassManager, SecondsIncludeEachPartOfTheRun) {
  EXPECT_EQ(run(pipelineOfLevel(3)), "");
  double parts = run_.choiceSeconds;
  for (const PassRun &pass : run_.passes)
    parts += pass.seconds + pass.checkSeconds;
  EXPECT_GT(run_.choiceSeconds, 0);
  EXPECT_GT(run_.seconds, parts);
  EXPECT_EQ(run(pipelineOfLevel(1)), "");
  EXPECT_EQ(run_.choiceSeconds, 0); // no pass of it chooses nodes
}

/// Removes the collective, and with it the only communication.
Changed removeCollective(Graph &graph, Node *launch, Node *wait) {
  graph.replaceAllUses(wait, graph.front());
  graph.erase(wait);
  graph.erase(launch);
  return Changed::Yes;
}

// A bound of the input once was above the result, because a pass had removed collectives.
TEST_F(PassManager, BoundsAreOfTheGraphThatIsScheduled) {
  PassManagerOptions options;
  options.predictTimes = true;
  options.checkLegality = false;
  auto nothing = [](Graph &, PassContext &) { return Changed::No; };
  EXPECT_EQ(run(only(nothing), options), "");
  int64_t bound = run_.bounds->anyOrder.picoseconds;
  Pipeline pipeline =
      only([&](Graph &graph, PassContext &) { return removeCollective(graph, launch_, wait_); }, Phase::Simplify);
  pipeline.append(std::make_unique<Scripted>(nothing));
  EXPECT_EQ(run(pipeline, options), "");
  EXPECT_LT(run_.bounds->anyOrder.picoseconds, bound);
  EXPECT_LE(run_.bounds->anyMerging.picoseconds, run_.timeAfter->total);
}

TEST_F(PassManager, BoundsHoldForARemovalAfterTheScheduleToo) {
  PassManagerOptions options;
  options.predictTimes = true;
  options.checkLegality = false;
  Pipeline pipeline = only([](Graph &, PassContext &) { return Changed::No; });
  pipeline.append(std::make_unique<Scripted>(
      [&](Graph &graph, PassContext &) { return removeCollective(graph, launch_, wait_); }, Phase::Simplify));
  EXPECT_EQ(run(pipeline, options), "");
  EXPECT_LE(run_.bounds->anyOrder.picoseconds, run_.timeAfter->total);
}

} // namespace
} // namespace ccgraph::test

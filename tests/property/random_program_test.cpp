// Tests for every random program that it verifies, that both file formats preserve it, and that two runs give the same
// result.
#include "property/programs.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/ir/snapshot.h"
#include "ccgraph/passes/pass_manager.h"

#include <gtest/gtest.h>

#include <map>

using namespace ccgraph;
using namespace ccgraph::test;

namespace {

std::string jsonOf(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeJsonGraph(os, graph);
  return os.str();
}

std::string fxOf(const Graph &graph) {
  FxTextOptions whole;
  whole.listTypes = true;
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::cantFail(writeFxText(os, graph, whole));
  return os.str();
}

} // namespace

TEST(RandomProgramTest, Verifies) {
  forEachProgram([](Context &, const RandomProgram &program) { RC_ASSERT(verifies(*program.graph)); });
}

TEST(RandomProgramTest, JsonKeepsEverything) {
  forEachProgram([](Context &context, const RandomProgram &program) {
    std::string text = jsonOf(*program.graph);
    auto read = readJsonGraph(context, {"program.json", text});
    RC_ASSERT(static_cast<bool>(read));
    RC_ASSERT(jsonOf(**read) == text);
  });
}

TEST(RandomProgramTest, FxTextKeepsTheNodes) {
  forEachProgram([](Context &context, const RandomProgram &program) {
    std::string text = fxOf(*program.graph);
    auto read = readFxText(context, {"program.py", text});
    RC_ASSERT(static_cast<bool>(read));
    Graph &again = *read->front();
    RC_ASSERT(fxOf(again) == text);
    again.groups() = program.graph->groups();
    again.worldSize = program.graph->worldSize;
    RC_ASSERT(jsonOf(again) == jsonOf(*program.graph));
  });
}

TEST(RandomProgramTest, ACloneIsTheSameGraph) {
  forEachProgram([](Context &, const RandomProgram &program) {
    GraphSnapshot snapshot(*program.graph);
    std::unique_ptr<Graph> clone = program.graph->clone();
    RC_ASSERT(jsonOf(*clone) == jsonOf(*program.graph));
    RC_ASSERT(snapshot.matches(*program.graph));
  });
}

TEST(RandomProgramTest, RunsAndAgreesWithItself) {
  forEachProgram([](Context &, const RandomProgram &program) { RC_ASSERT(sameValues(program, *program.graph)); });
}

namespace {

/// Runs the pass on random programs without a memory budget.
void forEachRun(llvm::StringRef pass,
                llvm::function_ref<void(const Graph &before, const Graph &, const PassRun &)> visit) {
  PassManagerOptions options;
  options.limitMemory = false;
  for (uint32_t seed = 0; seed != 800; ++seed) {
    Context context;
    RandomProgram program = makeRandomProgram(context, randomNumbers(seed));
    const std::unique_ptr<Graph> before = program.graph->clone();
    const PipelineRun run = llvm::cantFail(runPipeline(*program.graph, llvm::cantFail(Pipeline::parse(pass)), options));
    visit(*before, *program.graph, run.passes.front());
  }
}

/// Returns how often the pass gives each reason; those of what it left alone after "missed ".
std::map<std::string, int> reasonsOf(llvm::StringRef pass) {
  std::map<std::string, int> reasons;
  forEachRun(pass, [&](const Graph &, const Graph &, const PassRun &run) {
    for (const Remark &remark : run.remarks)
      reasons[remark.kind == RemarkKind::Missed ? "missed " + remark.reason : remark.reason] += 1;
  });
  return reasons;
}

/// Returns how many nodes exchange the order of four dimensions.
ptrdiff_t exchangesIn(const Graph &graph) {
  return llvm::count_if(graph, [](const Node *node) {
    return node->target().str() == "aten.permute.default" && node->type()->sizes().size() == 4;
  });
}

} // namespace

/// Without such programs, the property of chunk-collectives would hold for a pass that does nothing.
TEST(RandomProgramTest, HoldsRegionsThatChunkCollectivesCutsAndKeeps) {
  std::map<std::string, int> reasons = reasonsOf("chunk-collectives{pieces=2}");
  for (const char *reason : {"cut", "missed written", "missed not-parallel"})
    EXPECT_GE(reasons[reason], 5) << reason;
}

/// Pieces of several sequences are put together, or multiplied, in an exchanged order of ranks and sequences.
TEST(RandomProgramTest, HoldsBatchesThatChunkCollectivesCuts) {
  int batches = 0;
  forEachRun("chunk-collectives{pieces=2}", [&](const Graph &before, const Graph &after, const PassRun &) {
    batches += exchangesIn(after) > exchangesIn(before) ? 1 : 0;
  });
  EXPECT_GE(batches, 5);
}

/// Without such programs, the property of simplify-collectives would hold for a pass that does nothing.
TEST(RandomProgramTest, HoldsEachKindOfRegionThatSimplifyCollectivesReplaces) {
  std::map<std::string, int> reasons = reasonsOf("simplify-collectives");
  for (const char *reason : {"all-reduce", "cast-after", "cast-before", "inverse", "replicated", "missed written"})
    EXPECT_GE(reasons[reason], 5) << reason;
}

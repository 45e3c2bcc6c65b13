// Tests on every large graph whether the schedule passes leave a possible change undone within the budget; an
// independent checker searches for such changes. Each test prints what was moved or merged, and how much was left.
#include "completeness/slow_program.h"
#include "support/corpus.h"
#include "support/test_name.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/group_file.h"
#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/passes/pass_manager.h"

#include <gtest/gtest.h>

#include <cstdio>

using namespace ccgraph;
using namespace ccgraph::test;

namespace {

/// A graph after a pipeline.
struct Finished {
  Context context;
  GraphList graphs;
  PipelineRun run;
};

std::unique_ptr<Finished> finish(const CapturedGraph &captured, llvm::StringRef text) {
  auto finished = std::make_unique<Finished>();
  InputFile file = llvm::cantFail(InputFile::open(captured.readable));
  finished->graphs = llvm::cantFail(readGraphs(finished->context, file.source()));
  if (!captured.facts.empty()) {
    InputFile facts = llvm::cantFail(InputFile::open(captured.facts));
    if (auto groups = readGroupFile(facts.source()))
      finished->graphs[0]->groups() = *groups;
    else
      llvm::consumeError(groups.takeError());
  }
  Pipeline pipeline = llvm::cantFail(Pipeline::parse(text));
  finished->run = llvm::cantFail(runPipeline(*finished->graphs[0], pipeline));
  return finished;
}

int64_t statistic(const PassRun &run, llvm::StringRef name) {
  for (const auto &[key, value] : run.statistics)
    if (key == name)
      return value;
  return 0;
}

void expectNothing(const CapturedGraph &captured, const char *what, int64_t done, const Left &left) {
  std::printf("%-70s %s %6lld, left %zu\n", captured.name.c_str(), what, static_cast<long long>(done), left.size());
  EXPECT_TRUE(left.empty()) << captured.name << ": " << left.size() << " left, e.g. " << left.front();
}

class CompletenessTest : public testing::TestWithParam<CapturedGraph> {};

TEST_P(CompletenessTest, NoWaitCanSinkFurther) {
  auto finished = finish(GetParam(), "inline-control-deps,inline-subgraphs,sink-waits");
  expectNothing(GetParam(), "waits moved", statistic(finished->run.passes.back(), "moved"),
                waitsThatCouldSink(*finished->graphs[0], *finished->run.memoryBudget));
}

std::vector<CapturedGraph> largeGraphs() {
  std::vector<CapturedGraph> graphs;
  for (const CapturedGraph &graph : capturedGraphs("large"))
    if (!graph.readable.empty())
      graphs.push_back(graph);
  return graphs;
}

std::string nameOf(const testing::TestParamInfo<CapturedGraph> &info) {
  return testName(std::to_string(info.index) + "_" + info.param.name);
}

INSTANTIATE_TEST_SUITE_P(Large, CompletenessTest, testing::ValuesIn(largeGraphs()), nameOf);

} // namespace

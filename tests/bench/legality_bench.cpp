// Measures the legality checker on the largest training step that PyTorch captured, after each kind of rewrite.
// `items_per_second` counts nodes.
#include "support/one_pass.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/ir/snapshot.h"
#include "ccgraph/legality/legality.h"

#include <benchmark/benchmark.h>

using namespace ccgraph;

namespace {

const char *const sample = CCGRAPH_TEST_DATA "/large/llama3-70b-fsdp256-joint/readable.py.gz";

/// Rewrites the captured graph once and checks the result repeatedly.
void checkLegalityAfter(benchmark::State &state, const std::string &text) {
  Context context;
  InputFile file = llvm::cantFail(InputFile::open(sample), "the captured graph is missing");
  auto graph = std::move(llvm::cantFail(readGraphs(context, file.source())).front());
  GraphSnapshot before(*graph);
  test::OnePass pass = test::runOnePass(*graph, text);
  pass.options.memoryBudget = INT64_MAX;
  for (auto _ : state)
    llvm::cantFail(checkLegality(before, *graph, pass.certificate, pass.options));
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * graph->size()));
}

BENCHMARK_CAPTURE(checkLegalityAfter, sinkWaits, "sink-waits")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(checkLegalityAfter, scheduleOverlap, "schedule-overlap{buckets=none}")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(checkLegalityAfter, grouped, "coalesce-collectives{layout=grouped}")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(checkLegalityAfter, flat, "coalesce-collectives{layout=flat}")->Unit(benchmark::kMillisecond);

} // namespace

// Measures each step from a dump to a faster schedule, on a training step that PyTorch captured. `items_per_second`
// counts nodes.

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/ir/snapshot.h"
#include "ccgraph/ir/storage.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/passes/pass_manager.h"

#include <benchmark/benchmark.h>

using namespace ccgraph;

namespace {

const char *const sample = CCGRAPH_TEST_DATA "/large/llama3-8b-tp8-joint/readable.py.gz";

/// Returns the captured text, decompressed once.
const InputFile &captured() {
  static const InputFile file = llvm::cantFail(InputFile::open(sample), "the captured graph is missing");
  return file;
}

std::unique_ptr<Graph> readCaptured(Context &context) {
  return std::move(llvm::cantFail(readGraphs(context, captured().source())).front());
}

std::string jsonText(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeJsonGraph(os, graph);
  return text;
}

void countNodes(benchmark::State &state, const Graph &graph) {
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * graph.size()));
}

void readFx(benchmark::State &state) {
  for (auto _ : state) {
    Context context;
    auto graph = readCaptured(context);
    countNodes(state, *graph);
  }
}

void readJson(benchmark::State &state) {
  Context first;
  std::string text = jsonText(*readCaptured(first));
  for (auto _ : state) {
    Context context;
    auto graphs = llvm::cantFail(readGraphs(context, {"captured", text}));
    countNodes(state, *graphs.front());
  }
}

/// Benchmarks a step that only reads the graph.
template <typename Step>
void inspect(benchmark::State &state, Step step) {
  Context context;
  auto graph = readCaptured(context);
  for (auto _ : state)
    step(*graph);
  countNodes(state, *graph);
}

void writeFx(benchmark::State &state) {
  inspect(state, [](const Graph &graph) {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::cantFail(writeFxText(os, graph));
    benchmark::DoNotOptimize(text.data());
  });
}

void writeJson(benchmark::State &state) {
  inspect(state, [](const Graph &graph) { benchmark::DoNotOptimize(jsonText(graph).size()); });
}

void verifyGraph(benchmark::State &state) {
  inspect(state, [](const Graph &graph) { benchmark::DoNotOptimize(verify(graph).size()); });
}

void mapStorages(benchmark::State &state) {
  inspect(state, [](const Graph &graph) { benchmark::DoNotOptimize(StorageMap(graph).numStorages()); });
}

void takeSnapshot(benchmark::State &state) {
  inspect(state, [](const Graph &graph) { benchmark::DoNotOptimize(GraphSnapshot(graph).nodes().data()); });
}

/// Runs one pipeline with all its checks; the time to read the graph is excluded.
void runPasses(benchmark::State &state, const char *text) {
  Pipeline pipeline = llvm::cantFail(Pipeline::parse(text));
  for (auto _ : state) {
    state.PauseTiming();
    Context context;
    auto graph = readCaptured(context);
    state.ResumeTiming();
    llvm::cantFail(runPipeline(*graph, pipeline).takeError());
    state.PauseTiming();
    countNodes(state, *graph);
    graph.reset();
    state.ResumeTiming();
  }
}

BENCHMARK(readFx)->Unit(benchmark::kMillisecond);
BENCHMARK(readJson)->Unit(benchmark::kMillisecond);
BENCHMARK(writeFx)->Unit(benchmark::kMillisecond);
BENCHMARK(writeJson)->Unit(benchmark::kMillisecond);
BENCHMARK(verifyGraph)->Unit(benchmark::kMillisecond);
BENCHMARK(mapStorages)->Unit(benchmark::kMillisecond);
BENCHMARK(takeSnapshot)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(runPasses, sink_waits, "sink-waits")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(runPasses, coalesce_grouped, "coalesce-collectives")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(runPasses, coalesce_flat, "coalesce-collectives{layout=flat}")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(runPasses, eliminate_dead, "eliminate-dead-collectives")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(runPasses, deduplicate, "deduplicate-collectives")->Unit(benchmark::kMillisecond);

} // namespace

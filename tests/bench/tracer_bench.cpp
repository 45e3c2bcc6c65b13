// The tracer: what recording costs a node (`items_per_second` are nodes).
#include "allocations/allocation_count.h"
#include "ccgraph/tracer/collectives.h"
#include "ccgraph/tracer/comm_tensor.h"
#include "ccgraph/tracer/ops.h"
#include "ccgraph/tracer/trace.h"

#include <benchmark/benchmark.h>

using namespace ccgraph;
using namespace ccgraph::tracer;

namespace {

constexpr int64_t numSteps = 10000;

/// One call of every kind that a layer has: a product, arithmetic, a view, an all_reduce with its wait.
void recordLayers(benchmark::State &state) {
  int64_t nodes = 0;
  for (auto _ : state) {
    Context context;
    Trace trace = llvm::cantFail(Trace::begin(context, {.worldSize = 8}));
    Tensor x = trace.input("x", {DType::BF16, {64, 64}});
    for (int64_t step = 0; step != numSteps; ++step)
      x = t(collectives::all_reduce(mm(x, x) + 1, "sum", "0"));
    nodes += static_cast<int64_t>(llvm::cantFail(trace.finish({x}))->size());
  }
  state.SetItemsProcessed(nodes);
}
BENCHMARK(recordLayers)->Unit(benchmark::kMillisecond);

/// A wrapper where nothing records.
void wrapOutsideATrace(benchmark::State &state) {
  Tensor x;
  size_t before = test::allocationsHere();
  for (auto _ : state)
    benchmark::DoNotOptimize(&comm_tensor(x));
  state.counters["allocations"] = static_cast<double>(test::allocationsHere() - before);
}
BENCHMARK(wrapOutsideATrace);

} // namespace

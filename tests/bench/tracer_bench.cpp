// Measures the cost of recording a node in the tracer (`items_per_second` counts nodes).
#include "allocations/allocation_count.h"
#include "ccgraph/tracer/collectives.h"
#include "ccgraph/tracer/comm_tensor.h"
#include "ccgraph/tracer/ops.h"
#include "ccgraph/tracer/trace.h"

#include <benchmark/benchmark.h>

#include <numeric>

using namespace ccgraph;
using namespace ccgraph::tracer;

namespace {

constexpr int64_t numSteps = 10000;

/// Records numSteps steps on one tensor; each iteration has a trace of its own.
void record(benchmark::State &state, Tensor (*step)(const Tensor &)) {
  int64_t nodes = 0;
  for (auto _ : state) {
    Context context;
    Trace trace = llvm::cantFail(Trace::begin(context, {.worldSize = 8}));
    Tensor x = trace.input("x", {DType::BF16, {64, 64}});
    for (int64_t number = 0; number != numSteps; ++number)
      x = step(x);
    nodes += static_cast<int64_t>(llvm::cantFail(trace.finish({x}))->size());
  }
  state.SetItemsProcessed(nodes);
}

/// Records one call of every kind in a layer: a product, arithmetic, a view, an all_reduce with its wait.
void recordLayers(benchmark::State &state) {
  record(state, [](const Tensor &x) { return t(collectives::all_reduce(mm(x, x) + 1, "sum", "0")); });
}
BENCHMARK(recordLayers)->Unit(benchmark::kMillisecond);

void recordOperators(benchmark::State &state) {
  record(state, [](const Tensor &x) { return x + x; });
}
BENCHMARK(recordOperators)->Unit(benchmark::kMillisecond);

/// Records a collective and its wait.
void recordCollectives(benchmark::State &state) {
  record(state, [](const Tensor &x) { return collectives::all_reduce(x, "sum", "0"); });
}
BENCHMARK(recordCollectives)->Unit(benchmark::kMillisecond);

/// A collective of a group that each call gives as a list of its ranks.
void recordListsOfRanks(benchmark::State &state) {
  std::vector<int64_t> ranks(static_cast<size_t>(state.range(0)));
  std::iota(ranks.begin(), ranks.end(), 0);
  constexpr int64_t calls = 100;
  for (auto _ : state) {
    Context context;
    Trace trace = llvm::cantFail(Trace::begin(context, {.worldSize = state.range(0)}));
    Tensor x = trace.input("x", {DType::BF16, {64, 64}});
    for (int64_t call = 0; call != calls; ++call)
      x = collectives::all_reduce(x, "sum", ranks);
    benchmark::DoNotOptimize(llvm::cantFail(trace.finish({x})));
  }
  state.SetItemsProcessed(state.iterations() * calls);
}
BENCHMARK(recordListsOfRanks)->Arg(8)->Arg(16384)->Unit(benchmark::kMillisecond);

/// c10d's own on a wrapped tensor: the collective, the pair, two elements, the wait of the next one.
void recordWrapped(benchmark::State &state) {
  record(state, [](const Tensor &x) {
    c10d::allreduce_({comm_tensor(x)}, "0");
    return x;
  });
}
BENCHMARK(recordWrapped)->Unit(benchmark::kMillisecond);

/// Measures a loop that only passes on a tensor, as the reference for wrapping outside a trace.
void handOn(benchmark::State &state) {
  Tensor x;
  for (auto _ : state)
    benchmark::DoNotOptimize(&x);
}
BENCHMARK(handOn);

/// Wraps a tensor while nothing records.
void wrapOutsideATrace(benchmark::State &state) {
  Tensor x;
  size_t before = test::allocationsHere();
  for (auto _ : state)
    benchmark::DoNotOptimize(&comm_tensor(x));
  state.counters["allocations"] = static_cast<double>(test::allocationsHere() - before);
}
BENCHMARK(wrapOutsideATrace);

} // namespace

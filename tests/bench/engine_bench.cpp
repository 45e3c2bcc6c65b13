// Measures the local engine: the cost of a step besides its kernel, and collectives compared with the memory traffic
// that they require.
//
// The required traffic of a collective over n ranks with rows of B bytes (S sent by one rank, R received by one rank):
//   all_reduce      n * B read, n * B written
//   all_gather      n * B read, n * n * B written (S = B, R = n * B)
//   reduce_scatter  n * B read, B written (S = B, R = B / n)
// `bytes_per_second` of a collective counts this traffic; that of `copy` counts reads and writes of a copy of the same
// size on as many threads (docs/collectives.md). `mallocs` counts the calls of malloc and related functions by all
// steps of a run in steady state.
#include "allocations/allocation_count.h"
#include "ccgraph/ir/op_def.h"
#include "support/plan_builder.h"

#include <benchmark/benchmark.h>

#include <cstring>
#include <thread>

using namespace ccgraph;
using namespace ccgraph::test;

namespace {

constexpr int64_t rowBytes = int64_t{64} << 20;

std::unique_ptr<runtime::PreparedPlans> prepare(const Plan &plan, size_t ranks) {
  runtime::PlanRequest request{.plans = {&plan}, .ranks = ranks};
  return llvm::cantFail(runtime::findEngine("local")->prepare(request));
}

/// Returns the allocations of a run after a first run.
size_t allocationsOfARun(runtime::PreparedPlans &plans, size_t ranks) {
  std::vector<TensorMap> inputs(ranks);
  llvm::cantFail(plans.run(inputs));
  size_t before = allocationsElsewhere();
  llvm::cantFail(plans.run(inputs));
  return allocationsElsewhere() - before;
}

/// Counts the allocations of the additional steps in a plan of `many` steps compared with a plan of one.
void countAllocations(benchmark::State &state, const Plan &one, runtime::PreparedPlans &many, size_t ranks) {
  auto alone = prepare(one, ranks);
  double more =
      static_cast<double>(allocationsOfARun(many, ranks)) - static_cast<double>(allocationsOfARun(*alone, ranks));
  state.counters["mallocs"] = more;
}

/// Runs steps of one kind on one rank.
void runSteps(benchmark::State &state, llvm::function_ref<void(PlanBuilder &)> add) {
  constexpr int64_t steps = 10000;
  PlanBuilder one, many;
  add(one);
  for (int64_t i = 0; i < steps; ++i)
    add(many);
  auto plans = prepare(many.plan, 1);
  for (auto _ : state)
    llvm::cantFail(plans->run({{}}));
  state.SetItemsProcessed(state.iterations() * steps);
  countAllocations(state, one.plan, *plans, 1);
}

PlanWindow scratch(PlanBuilder &b, llvm::StringRef name, IntListRef sizes) { return b.compute(name, sizes); }

/// Measures steps that do nearly nothing.
void dispatch(benchmark::State &state) {
  runSteps(state, [](PlanBuilder &b) { b.copy("copy", scratch(b, "x", {8}), scratch(b, "y", {8})); });
}

/// Measures kernels of few elements.
void pointwise(benchmark::State &state) {
  runSteps(state, [](PlanBuilder &b) {
    PlanWindow x = scratch(b, "x", {8}), y = scratch(b, "y", {8});
    b.kernel("add", "aten.add.Tensor", {x, x}, y);
  });
}
void matmul(benchmark::State &state) {
  runSteps(state, [](PlanBuilder &b) {
    PlanWindow x = scratch(b, "x", {8, 8}), y = scratch(b, "y", {8, 8});
    b.kernel("mm", "aten.mm.default", {x, x}, y);
  });
}
void reduction(benchmark::State &state) {
  runSteps(state, [](PlanBuilder &b) {
    PlanWindow x = scratch(b, "x", {8, 8}), y = scratch(b, "y", {});
    b.kernel("sum", "aten.sum.default", {x}, y);
  });
}

struct Shape {
  CollectiveKind kind;
  DType dtype = DType::F32;
};

/// The elements that one rank sends and receives.
struct Rows {
  int64_t sent;
  int64_t received;
};
Rows rowsOf(Shape shape, int64_t ranks) {
  int64_t elements = rowBytes / static_cast<int64_t>(sizeInBytes(shape.dtype));
  return {shape.kind == CollectiveKind::AllGather ? elements / ranks : elements,
          shape.kind == CollectiveKind::ReduceScatter ? elements / ranks : elements};
}

void addCollectives(PlanBuilder &b, Shape shape, int64_t n, int64_t repeats) {
  std::vector<int64_t> ranks;
  for (int64_t rank = 0; rank < n; ++rank)
    ranks.push_back(rank);
  Rows rows = rowsOf(shape, n);
  PlanWindow x = b.buffer(Home::Communication, "x", b.type({rows.sent}, shape.dtype));
  PlanWindow y = b.buffer(Home::Communication, "y", b.type({rows.received}, shape.dtype));
  StreamId stream = b.collectives(b.group("all", ranks));
  for (int64_t i = 0; i < repeats; ++i)
    b.collective("c", stream, {b.call(shape.kind, stream, x, y)});
}

void collective(benchmark::State &state, Shape shape) {
  int64_t n = state.range(0);
  constexpr int64_t repeats = 10;
  PlanBuilder one, many;
  addCollectives(one, shape, n, 1);
  addCollectives(many, shape, n, repeats);
  auto plans = prepare(many.plan, static_cast<size_t>(n));
  std::vector<TensorMap> inputs(static_cast<size_t>(n));
  for (auto _ : state)
    llvm::cantFail(plans->run(inputs));
  Rows rows = rowsOf(shape, n);
  state.SetBytesProcessed(state.iterations() * repeats * n * (rows.sent + rows.received) * sizeInBytes(shape.dtype));
  countAllocations(state, one.plan, *plans, static_cast<size_t>(n));
}

/// Measures the memory bandwidth: each thread copies a row of its own.
void copy(benchmark::State &state) {
  auto threads = static_cast<size_t>(state.range(0));
  std::vector<std::vector<std::byte>> from(threads, std::vector<std::byte>(rowBytes)), to = from;
  constexpr int64_t repeats = 10;
  for (auto _ : state) {
    std::vector<std::thread> running;
    for (size_t i = 0; i < threads; ++i)
      running.emplace_back([&, i] {
        for (int64_t repeat = 0; repeat < repeats; ++repeat)
          std::memcpy(to[i].data(), from[i].data(), rowBytes);
      });
    for (std::thread &thread : running)
      thread.join();
  }
  state.SetBytesProcessed(state.iterations() * repeats * state.range(0) * 2 * rowBytes);
}

BENCHMARK(dispatch)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(pointwise)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(matmul)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(reduction)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(copy)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(collective, allReduceF32, Shape{CollectiveKind::AllReduce})
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(collective, allReduceBF16, Shape{CollectiveKind::AllReduce, DType::BF16})
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(collective, allReduceF16, Shape{CollectiveKind::AllReduce, DType::F16})
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(collective, allGather, Shape{CollectiveKind::AllGather})
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(collective, reduceScatter, Shape{CollectiveKind::ReduceScatter})
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

} // namespace

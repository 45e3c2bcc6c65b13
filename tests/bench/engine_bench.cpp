// The local engine: what a step costs beside its kernel, and collectives against the memory that they must move.
//
// Bytes that must move in a collective over n ranks of rows of B bytes (S what one rank sends, R what one receives):
//   all_reduce      n * B read, n * B written
//   all_gather      n * B read, n * n * B written (S = B, R = n * B)
//   reduce_scatter  n * B read, B written (S = B, R = B / n)
// `bytes_per_second` of a collective counts these, and that of `copy` a copy of the same size on as many threads, read and written.
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

/// Steps that do next to nothing.
void dispatch(benchmark::State &state) {
  PlanBuilder b;
  PlanWindow x = b.compute("x", {8}), y = b.compute("y", {8});
  constexpr int64_t steps = 10000;
  for (int64_t i = 0; i < steps; ++i)
    b.copy("copy", x, y);
  auto plans = prepare(b.plan, 1);
  for (auto _ : state)
    llvm::cantFail(plans->run({{}}));
  state.SetItemsProcessed(state.iterations() * steps);
}

/// A kernel of eight elements.
void pointwise(benchmark::State &state) {
  PlanBuilder b;
  PlanWindow x = b.compute("x", {8}), y = b.compute("y", {8});
  constexpr int64_t steps = 10000;
  for (int64_t i = 0; i < steps; ++i)
    b.kernel("add", "aten.add.Tensor", {x, x}, y);
  auto plans = prepare(b.plan, 1);
  for (auto _ : state)
    llvm::cantFail(plans->run({{}}));
  state.SetItemsProcessed(state.iterations() * steps);
}

struct Shape {
  CollectiveKind kind;
  DType dtype = DType::F32;
};

void collective(benchmark::State &state, Shape shape) {
  int64_t n = state.range(0), elements = rowBytes / static_cast<int64_t>(sizeInBytes(shape.dtype));
  PlanBuilder b;
  std::vector<int64_t> ranks;
  for (int64_t rank = 0; rank < n; ++rank)
    ranks.push_back(rank);
  int64_t sent = shape.kind == CollectiveKind::AllGather ? elements / n : elements;
  int64_t received = shape.kind == CollectiveKind::ReduceScatter ? elements / n : elements;
  PlanWindow x = b.buffer(Home::Communication, "x", b.type({sent}, shape.dtype));
  PlanWindow y = b.buffer(Home::Communication, "y", b.type({received}, shape.dtype));
  StreamId stream = b.collectives(b.group("all", ranks));
  constexpr int64_t repeats = 10;
  for (int64_t i = 0; i < repeats; ++i)
    b.collective("c", stream, {b.call(shape.kind, stream, x, y)});
  auto plans = prepare(b.plan, static_cast<size_t>(n));
  std::vector<TensorMap> inputs(static_cast<size_t>(n));
  for (auto _ : state)
    llvm::cantFail(plans->run(inputs));
  int64_t size = sizeInBytes(shape.dtype);
  state.SetBytesProcessed(state.iterations() * repeats * n * (sent + received) * size);
}

/// What the memory gives: each thread copies a row of its own.
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

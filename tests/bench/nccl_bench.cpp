// Measures the nccl engine's host code: the cost of a step on the host, besides the calls themselves.
//
// `recorded` uses recorded calls, which queue each call and then execute it; it measures all time on the host and in
// the model. `host` uses calls that do nothing and complete immediately, so only the engine's own time remains.
// `calls_per_step` counts the calls for each step. `fewest` is the minimum for any engine: the work itself, each event
// that some step waits for, and each wait.
#include "nccl/nccl_rank.h"
#include "support/lone_rank_standby.h"
#include "support/no_calls.h"
#include "support/plan_builder.h"

#include <benchmark/benchmark.h>

using namespace ccgraph;
using namespace ccgraph::test;

namespace {

/// Builds layers of a sharded step: a kernel, a collective that reads its result, and a kernel that reads the previous
/// collective's result.
struct Layers : PlanBuilder {
  static constexpr int layers = 2000;
  Layers() {
    PlanWindow x = compute("x", {8}), y = compute("y", {8}), z = compute("z", {8});
    PlanWindow send = comm("send", {8}), receive = comm("receive", {8});
    StreamId stream = collectives(group("dp", {0}));
    for (int layer = 0; layer < layers; ++layer) {
      std::string name = std::to_string(layer);
      kernel("k" + name, "aten.add.Tensor", {x, y}, send);
      collective("c" + name, stream, {call(CollectiveKind::AllReduce, stream, send, receive)});
      kernel("u" + name, "aten.add.Tensor", {receive, y}, z);
      size_t last = plan.steps.size();
      wait(last - 2, last - 3);
      wait(last - 1, last - 2);
    }
  }
};

void report(benchmark::State &state, const Plan &plan) {
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(plan.steps.size()));
  int64_t fewest = 0;
  for (const PlanStep &step : plan.steps)
    fewest += 1 + static_cast<int64_t>(step.waits.size()) + static_cast<int64_t>(step.event.has_value());
  state.counters["fewest"] = static_cast<double>(fewest) / static_cast<double>(plan.steps.size());
}

void host(benchmark::State &state) {
  Layers program;
  NoCalls calls;
  runtime::PlanRequest request{.plans = {&program.plan}, .ranks = 1};
  runtime::CommTable commTable(request.plans, 1);
  runtime::NcclRank rank({.engine = "nccl", .calls = &calls, .commTable = &commTable}, request);
  llvm::cantFail(rank.prepare());
  llvm::cantFail(rank.open({}));
  LoneRankStandby standby;
  int64_t before = calls.calls;
  for (auto _ : state)
    llvm::cantFail(rank.run({}, standby));
  report(state, program.plan);
  state.counters["calls_per_step"] = static_cast<double>(calls.calls - before) /
                                     static_cast<double>(state.iterations()) /
                                     static_cast<double>(program.plan.steps.size());
}
BENCHMARK(host)->Name("nccl/host")->Unit(benchmark::kMicrosecond);

void recorded(benchmark::State &state) {
  Layers program;
  runtime::PlanRequest request{.plans = {&program.plan}, .ranks = 1};
  auto plans = llvm::cantFail(runtime::findEngine("nccl-recorded")->prepare(request));
  for (auto _ : state)
    llvm::cantFail(plans->run({{}}));
  report(state, program.plan);
}
BENCHMARK(recorded)->Name("nccl/recorded")->UseRealTime()->Unit(benchmark::kMicrosecond);

} // namespace

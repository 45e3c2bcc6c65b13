// The nccl engine's host code: what a step costs on the host, beside the calls themselves.
//
// `recorded`: over recorded calls, which queue each call and then execute it: all that is spent, on the host and in the model. `host`: over
// calls that do nothing and say that all is done, so what remains is the engine's own. `calls_per_step` counts what is called a step, and
// `fewest` what no engine could leave out: the work itself, an event that some step waits for, and each wait.
#include "engine/rank_loop.h"
#include "nccl/nccl_rank.h"
#include "support/plan_builder.h"

#include <benchmark/benchmark.h>

using namespace ccgraph;
using namespace ccgraph::test;

namespace {

/// Calls that are counted, and nothing else. Memory is the host's.
class NoCalls final : public runtime::GpuCalls {
public:
  using Row = runtime::GpuRow;
  using Lane = runtime::GpuLane;
  [[nodiscard]] std::string errorText(int) const override { return ""; }
  int allocate(runtime::GpuPurpose, int64_t bytes, std::byte *&memory) override {
    arenas_.emplace_back(bytes, arenaAlignment);
    memory = arenas_.back().data();
    return 0;
  }
  int release(std::byte *) override { return 0; }
  int createStream(const std::string &, runtime::GpuStream &stream) override { return made(stream.raw); }
  int destroyStream(runtime::GpuStream) override { return 0; }
  int createEvent(const std::string &, runtime::GpuEvent &event) override { return made(event.raw); }
  int destroyEvent(runtime::GpuEvent) override { return 0; }
  int record(runtime::GpuEvent, runtime::GpuStream) override { return called(); }
  int wait(runtime::GpuStream, runtime::GpuEvent) override { return called(); }
  int query(runtime::GpuEvent, bool &ended) override {
    ended = true;
    return 0;
  }
  int copy(runtime::GpuCopy, std::byte *, const std::byte *, int64_t, runtime::GpuStream) override { return called(); }
  int copyElements(const runtime::GpuElements &, runtime::GpuStream) override { return called(); }
  int reduceRows(const runtime::GpuGathered &, runtime::GpuStream) override { return called(); }
  int compute(llvm::StringRef, const runtime::device::Job &, runtime::GpuStream) override { return called(); }
  int launch(runtime::GpuWork &, runtime::GpuStream) override { return called(); }
  int makeJobId(runtime::GpuJobId &) override { return 0; }
  int openJob(const runtime::GpuJobId &, int, int, runtime::GpuComm &comm) override { return made(comm.raw); }
  int split(runtime::GpuComm, int, int, runtime::GpuComm &comm) override { return made(comm.raw); }
  int placeIn(runtime::GpuComm, int &ranks, int &rank) override {
    ranks = 1;
    rank = 0;
    return 0;
  }
  int closeComm(runtime::GpuComm) override { return 0; }
  int abortComm(runtime::GpuComm) override { return 0; }
  int asyncError(runtime::GpuComm) override { return 0; }
  int registerMemory(runtime::GpuComm, std::byte *, int64_t, runtime::GpuRegistration &) override { return 0; }
  int deregister(runtime::GpuComm, runtime::GpuRegistration) override { return 0; }
  int groupStart() override { return called(); }
  int groupEnd() override { return called(); }
  int allReduce(const Row &, runtime::GpuReduction, Lane) override { return called(); }
  int reduceScatter(const Row &, runtime::GpuReduction, Lane) override { return called(); }
  int allGather(const Row &, Lane) override { return called(); }
  int broadcast(const Row &, int, Lane) override { return called(); }
  int send(const Row &, int, Lane) override { return called(); }
  int receive(const Row &, int, Lane) override { return called(); }
  int beginCapture(runtime::GpuStream) override { return called(); }
  int endCapture(runtime::GpuStream, runtime::GpuGraph &) override { return called(); }
  int launchGraph(runtime::GpuGraph, runtime::GpuStream) override { return called(); }
  int destroyGraph(runtime::GpuGraph) override { return 0; }

  int64_t calls = 0;

private:
  int made(uintptr_t &raw) {
    raw = ++handles_;
    return 0;
  }
  int called() {
    ++calls;
    return 0;
  }
  uintptr_t handles_ = 0;
  std::deque<runtime::Arena> arenas_;
};

class NobodyElse final : public runtime::Standby {
public:
  [[nodiscard]] uint64_t news() override { return 0; }
  void sleep(const runtime::Sleeper &, uint64_t, Since &) override {}
  void rest(uint64_t, Clock::time_point) override {}
  [[nodiscard]] bool isOver() override { return false; }
};

/// Layers of a sharded step: a kernel, a collective that reads what it makes, and a kernel that reads the last collective's.
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
  runtime::LaneTable lanes(request.plans, 1);
  runtime::NcclRank rank({.engine = "nccl", .calls = &calls, .lanes = &lanes}, request);
  llvm::cantFail(rank.prepare());
  llvm::cantFail(rank.open({}));
  NobodyElse standby;
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

// NoCalls is a device that does nothing: each call is counted, and enqueued work is complete immediately.
//
// Ownership: owns the memory that it returns, which is host memory. Failure: none. Cost: none, so the measured time is
// that of the program.
#pragma once

#include "calls/gpu_calls.h"
#include "engine/arena.h"

#include <deque>

namespace ccgraph::test {

class NoCalls : public runtime::GpuCalls {
public:
  using Row = runtime::GpuRow;
  using CommStream = runtime::GpuCommStream;
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
  int createTimer(const std::string &, runtime::GpuEvent &timer) override { return made(timer.raw); }
  int takeTime(runtime::GpuEvent, runtime::GpuStream) override { return called(); }
  int elapsed(runtime::GpuEvent, runtime::GpuEvent, int64_t &nanoseconds) override {
    nanoseconds = 0;
    return 0;
  }
  int copy(runtime::GpuCopy, std::byte *, const std::byte *, int64_t, runtime::GpuStream) override { return called(); }
  int copyElements(const runtime::GpuElements &, runtime::GpuStream) override { return called(); }
  int reduceRows(const runtime::GpuGathered &, runtime::GpuStream) override { return called(); }
  int compute(llvm::StringRef, const runtime::device::Job &, runtime::GpuStream) override { return called(); }
  int launch(std::shared_ptr<runtime::GpuWork>, runtime::GpuStream) override { return called(); }
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
  int allReduce(const Row &, runtime::GpuReduceOp, CommStream) override { return called(); }
  int reduceScatter(const Row &, runtime::GpuReduceOp, CommStream) override { return called(); }
  int allGather(const Row &, CommStream) override { return called(); }
  int broadcast(const Row &, int, CommStream) override { return called(); }
  int send(const Row &, int, CommStream) override { return called(); }
  int receive(const Row &, int, CommStream) override { return called(); }
  int beginCapture(runtime::GpuStream) override { return called(); }
  int isCaptured(runtime::GpuStream, bool &captured) override {
    captured = false;
    return 0;
  }
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

} // namespace ccgraph::test

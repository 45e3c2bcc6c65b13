// CountedCalls counts the calls to a device: how many enqueue work in a run, and how long the host takes for them.
//
// Ownership: borrows the calls. Failure: that of the calls. Cost: one query of the clock for each call that enqueues
// work.
#pragma once

#include "calls/gpu_calls.h"

#include <chrono>
#include <memory>

namespace ccgraph::bench {

class CountedCalls final : public runtime::GpuCalls {
public:
  using Row = runtime::GpuRow;
  using CommStream = runtime::GpuCommStream;
  using Stream = runtime::GpuStream;
  using Event = runtime::GpuEvent;
  using Comm = runtime::GpuComm;
  using Clock = std::chrono::steady_clock;
  explicit CountedCalls(GpuCalls &to) : to_(to) {}

  /// Returns for the time since begin() the number of calls that enqueued work, and the microseconds from the first of
  /// them to the end of the last.
  void begin() { work_ = 0; }
  [[nodiscard]] int64_t work() const { return work_; }
  [[nodiscard]] double microseconds() const {
    return work_ == 0 ? 0 : std::chrono::duration<double, std::micro>(last_ - first_).count();
  }

  [[nodiscard]] std::string errorText(int code) const override { return to_.errorText(code); }
  int allocate(runtime::GpuPurpose purpose, int64_t bytes, std::byte *&memory) override {
    return to_.allocate(purpose, bytes, memory);
  }
  int release(std::byte *memory) override { return to_.release(memory); }
  int createStream(const std::string &name, Stream &stream) override { return to_.createStream(name, stream); }
  int destroyStream(Stream stream) override { return to_.destroyStream(stream); }
  int createEvent(const std::string &name, Event &event) override { return to_.createEvent(name, event); }
  int destroyEvent(Event event) override { return to_.destroyEvent(event); }
  int record(Event event, Stream stream) override { return to_.record(event, stream); }
  int wait(Stream stream, Event event) override { return to_.wait(stream, event); }
  int query(Event event, bool &ended) override { return to_.query(event, ended); }
  int createTimer(const std::string &name, Event &timer) override { return to_.createTimer(name, timer); }
  int takeTime(Event timer, Stream stream) override { return to_.takeTime(timer, stream); }
  int elapsed(Event from, Event to, int64_t &nanoseconds) override { return to_.elapsed(from, to, nanoseconds); }
  int copy(runtime::GpuCopy way, std::byte *to, const std::byte *from, int64_t bytes, Stream stream) override {
    return counted([&] { return to_.copy(way, to, from, bytes, stream); });
  }
  int copyElements(const runtime::GpuElements &elements, Stream stream) override {
    return counted([&] { return to_.copyElements(elements, stream); });
  }
  int reduceRows(const runtime::GpuGathered &rows, Stream stream) override {
    return counted([&] { return to_.reduceRows(rows, stream); });
  }
  int compute(llvm::StringRef name, const runtime::device::Job &job, Stream stream) override {
    return counted([&] { return to_.compute(name, job, stream); });
  }
  int launch(std::shared_ptr<runtime::GpuWork> work, Stream stream) override {
    return counted([&] { return to_.launch(std::move(work), stream); });
  }
  int makeJobId(runtime::GpuJobId &id) override { return to_.makeJobId(id); }
  int openJob(const runtime::GpuJobId &id, int ranks, int rank, Comm &comm) override {
    return to_.openJob(id, ranks, rank, comm);
  }
  int split(Comm parent, int color, int key, Comm &comm) override { return to_.split(parent, color, key, comm); }
  int placeIn(Comm comm, int &ranks, int &rank) override { return to_.placeIn(comm, ranks, rank); }
  int closeComm(Comm comm) override { return to_.closeComm(comm); }
  int abortComm(Comm comm) override { return to_.abortComm(comm); }
  int asyncError(Comm comm) override { return to_.asyncError(comm); }
  int registerMemory(Comm comm, std::byte *memory, int64_t bytes, runtime::GpuRegistration &registration) override {
    return to_.registerMemory(comm, memory, bytes, registration);
  }
  int deregister(Comm comm, runtime::GpuRegistration registration) override {
    return to_.deregister(comm, registration);
  }
  int groupStart() override { return to_.groupStart(); }
  int groupEnd() override { return to_.groupEnd(); }
  int allReduce(const Row &row, runtime::GpuReduceOp reduction, CommStream on) override {
    return counted([&] { return to_.allReduce(row, reduction, on); });
  }
  int reduceScatter(const Row &row, runtime::GpuReduceOp reduction, CommStream on) override {
    return counted([&] { return to_.reduceScatter(row, reduction, on); });
  }
  int allGather(const Row &row, CommStream on) override {
    return counted([&] { return to_.allGather(row, on); });
  }
  int broadcast(const Row &row, int root, CommStream on) override {
    return counted([&] { return to_.broadcast(row, root, on); });
  }
  int send(const Row &row, int peer, CommStream on) override {
    return counted([&] { return to_.send(row, peer, on); });
  }
  int receive(const Row &row, int peer, CommStream on) override {
    return counted([&] { return to_.receive(row, peer, on); });
  }
  int beginCapture(Stream stream) override { return to_.beginCapture(stream); }
  int isCaptured(Stream stream, bool &captured) override { return to_.isCaptured(stream, captured); }
  int endCapture(Stream stream, runtime::GpuGraph &graph) override { return to_.endCapture(stream, graph); }
  int launchGraph(runtime::GpuGraph graph, Stream stream) override {
    return counted([&] { return to_.launchGraph(graph, stream); });
  }
  int destroyGraph(runtime::GpuGraph graph) override { return to_.destroyGraph(graph); }

private:
  template <typename Call>
  int counted(Call call) {
    if (work_++ == 0)
      first_ = Clock::now();
    int code = call();
    last_ = Clock::now();
    return code;
  }
  GpuCalls &to_;
  int64_t work_ = 0;
  Clock::time_point first_, last_;
};

} // namespace ccgraph::bench

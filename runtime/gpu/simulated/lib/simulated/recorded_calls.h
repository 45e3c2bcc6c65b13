// RecordedCalls: GpuCalls without a device. It records the calls of one rank's host, and executes them on the CPU when
// the model schedules them.
//
// The device's memory is host memory here, filled with 0xff at first. Only work that the model runs accesses it. So a
// rank that reads a result too early, or writes an input too late, gets a wrong value.
//
// The record names addresses by their purpose ("compute+64"), and streams and communicators by name. So it is the same
// in each run of a plan, for any machine and seed. Queries (query, asyncError) are not recorded; waits of the host for
// an event are.
//
// A stream takes the time when all its earlier work has ended: by the model's clock, and no earlier than the host's
// request.
//
// Capture follows the rules of CUDA graphs: a violation fails with a code that identifies the rule.
//
// Ownership: owns the memory that it allocates; borrows the model. Failure: codes, see errorText(). Cost: see
// stream_model.h; the text of a call is made only where a record was requested.
#pragma once

#include "calls/gpu_calls.h"
#include "engine/arena.h"
#include "simulated/call_record.h"
#include "simulated/stream_model.h"

namespace ccgraph::runtime {

class RecordedCalls final : public GpuCalls {
public:
  RecordedCalls(StreamModel &model, size_t rank, bool records) : model_(model), rank_(rank), record_(records) {}
  ~RecordedCalls() override;
  RecordedCalls(const RecordedCalls &) = delete;
  RecordedCalls &operator=(const RecordedCalls &) = delete;

  [[nodiscard]] CallRecord &record() { return record_; }

  [[nodiscard]] std::string errorText(int code) const override;
  [[nodiscard]] std::string ruleOf(int code) const override;
  [[nodiscard]] bool isSimulated() const override { return true; }
  [[nodiscard]] std::optional<int64_t> simulatedClock() const override { return model_.now(); }
  int allocate(GpuPurpose purpose, int64_t bytes, std::byte *&memory) override;
  int release(std::byte *memory) override;
  int createStream(const std::string &name, GpuStream &stream) override;
  int destroyStream(GpuStream stream) override;
  int createEvent(const std::string &name, GpuEvent &event) override;
  int destroyEvent(GpuEvent event) override;
  int record(GpuEvent event, GpuStream stream) override;
  int wait(GpuStream stream, GpuEvent event) override;
  int query(GpuEvent event, bool &ended) override;
  int createTimer(const std::string &name, GpuEvent &timer) override { return createEvent(name, timer); }
  int takeTime(GpuEvent timer, GpuStream stream) override;
  int elapsed(GpuEvent from, GpuEvent to, int64_t &nanoseconds) override;
  int copy(GpuCopy way, std::byte *to, const std::byte *from, int64_t bytes, GpuStream stream) override;
  int copyElements(const GpuElements &elements, GpuStream stream) override;
  int reduceRows(const GpuGathered &rows, GpuStream stream) override;
  int compute(llvm::StringRef name, const device::Job &job, GpuStream stream) override;
  int launch(std::shared_ptr<GpuWork> work, GpuStream stream) override;
  int makeJobId(GpuJobId &id) override;
  int openJob(const GpuJobId &id, int ranks, int rank, GpuComm &comm) override;
  int split(GpuComm parent, int color, int key, GpuComm &comm) override;
  int placeIn(GpuComm comm, int &ranks, int &rank) override;
  int closeComm(GpuComm comm) override;
  int abortComm(GpuComm comm) override;
  int asyncError(GpuComm comm) override;
  int registerMemory(GpuComm comm, std::byte *memory, int64_t bytes, GpuRegistration &registration) override;
  int deregister(GpuComm comm, GpuRegistration registration) override;
  int groupStart() override;
  int groupEnd() override;
  int allReduce(const GpuRow &row, GpuReduceOp reduction, GpuCommStream on) override;
  int reduceScatter(const GpuRow &row, GpuReduceOp reduction, GpuCommStream on) override;
  int allGather(const GpuRow &row, GpuCommStream on) override;
  int broadcast(const GpuRow &row, int root, GpuCommStream on) override;
  int send(const GpuRow &row, int peer, GpuCommStream on) override;
  int receive(const GpuRow &row, int peer, GpuCommStream on) override;
  int beginCapture(GpuStream stream) override;
  int isCaptured(GpuStream stream, bool &captured) override;
  int endCapture(GpuStream stream, GpuGraph &graph) override;
  int launchGraph(GpuGraph graph, GpuStream stream) override;
  int destroyGraph(GpuGraph graph) override;

  enum Code : int { Fine, Over, OutOfMemory, NotInGroup, Isolation, WhileCaptured, Unjoined, NotCaptured, NotTaken };

private:
  /// The content of a graph: work as it was enqueued, with its predecessors by number.
  struct Captured {
    size_t stream = 0;
    std::function<bool()> work;
    std::vector<CommPart> parts;
    std::vector<size_t> after;
  };
  struct Event;
  struct CapturedTimer {
    Event *timer = nullptr;
    std::vector<size_t> after;
  };
  struct Graph {
    std::vector<Captured> nodes;
    std::vector<CapturedTimer> timers;
  };
  struct Stream {
    std::string name;
    size_t number = 0;
    /// later work begins after these
    Moment after;
    /// in place of `after` while it is captured
    bool captured = false;
    std::vector<size_t> capturedAfter;
  };
  struct Event {
    std::string name;
    Moment moment;
    bool captured = false;
    std::vector<size_t> capturedMoment;
    /// for an event that takes the time: when the host requested it, or launched the graph that contains it
    std::optional<int64_t> askedAt;
  };
  struct Comm {
    ModelComm *comm = nullptr;
    size_t member = 0;
  };
  struct Grouped {
    Stream *stream = nullptr;
    CommPart part;
  };

  static Stream &streamOf(GpuStream stream) { return *reinterpret_cast<Stream *>(stream.raw); }
  static Event &eventOf(GpuEvent event) { return *reinterpret_cast<Event *>(event.raw); }
  static Comm &commOf(GpuComm comm) { return *reinterpret_cast<Comm *>(comm.raw); }
  int enqueue(Stream &stream, std::function<bool()> work);
  void enqueueBatch(Stream &stream, std::vector<CommPart> parts);
  int add(RowCall call, GpuCommStream on);
  void flushGroup();
  static void joinStreams(llvm::ArrayRef<Grouped> members);
  void replay(const Graph &graph, Stream &stream);
  [[nodiscard]] std::optional<int64_t> timeOf(GpuEvent timer) const;
  int openComm(ModelComm *made, GpuComm &comm);

  StreamModel &model_;
  size_t rank_;
  CallRecord record_;
  std::map<std::byte *, Arena> memory_;
  std::deque<std::unique_ptr<Stream>> streams_;
  std::deque<std::unique_ptr<Event>> events_;
  std::deque<std::unique_ptr<Comm>> comms_;
  std::deque<std::unique_ptr<Graph>> graphs_;
  uint64_t jobs_ = 0;
  /// what a job has failed at, which is why the run ended
  std::string failedJob_;
  int groups_ = 0;
  std::vector<Grouped> grouped_;
  /// the capture in progress
  std::unique_ptr<Graph> capture_;
  Stream *captureOrigin_ = nullptr;
};

} // namespace ccgraph::runtime

// FlightRecorder: the last launches and steps of one rank, and its current activity.
//
// It has two rings, one of calls and one of steps: a rank runs many steps for each call, and steps must not displace
// calls. The request sets their lengths, and they are allocated before the first run: while a plan runs, nothing is
// allocated. A run begins with empty rings, since all ranks have ended the previous one.
//
//   call = recorder.enrol(step, index);                // in the order in which the rank will launch
//   recorder.begin();
//   recorder.schedule(call); recorder.start(call, launch); recorder.complete(call);
//
// The plan describes a call and its expected form; they are looked up when a record is taken. The rings hold only the
// facts of the run.
//
// Ownership: borrows the plan. Failure: none. Thread-safe: a record may be taken at any time, by any thread. Cost of
// each event: a clock read where no moment is given, and an uncontended lock, about 30 ns. A record copies the rings.
#pragma once

#include "ccgraph/ir/flight_record.h"
#include "ccgraph/ir/plan.h"
#include "collectives/launch.h"
#include "watch/brief_lock.h"

#include <atomic>
#include <bit>
#include <chrono>
#include <map>
#include <mutex>

namespace ccgraph::runtime {

class FlightRecorder {
public:
  struct Setup {
    const Plan *plan = nullptr;
    int64_t rank = 0;
    size_t numRanks = 1;
    /// of the engine
    llvm::StringRef engine;
    /// lengths of the rings, at least 1
    size_t calls = 1;
    size_t steps = 1;
  };
  explicit FlightRecorder(const Setup &setup);

  /// A call that was enrolled.
  using Call = size_t;
  /// Before the first run. Its number among those of the same ranks, or of its channel, is one more than that of the
  /// last. `step`: place in Plan::steps; `index`: in CollectiveStep::calls.
  [[nodiscard]] Call enrol(size_t step, size_t index);

  // --- While a plan runs: called by the rank's own thread ------------------------------------------------
  /// The time since begin(). For simulated durations it is the simulated time; otherwise it is one clock reading for
  /// all events of a moment; empty: now.
  using Moment = std::optional<std::chrono::nanoseconds>;
  [[nodiscard]] Moment moment() const;
  void begin();
  void schedule(Call call, Moment moment = {});
  void start(Call call, const Launch &launch, Moment moment = {});
  void complete(Call call, Moment moment = {});
  /// Records the beginning of a step; the step of a collective begins at its launch.
  void beginStep(size_t step, Moment moment = {});
  void endStep(size_t step, Moment moment = {});
  /// The real times of a completed step or call, from a source that is more precise than the reporting host, in
  /// nanoseconds since 1970.
  struct Span {
    int64_t began = 0;
    int64_t ended = 0;
  };
  void correct(Call call, Span span);
  void correctStep(size_t step, Span span);
  /// Nanoseconds since 1970 that never go backwards.
  [[nodiscard]] static int64_t now();
  /// Records that the rank begins or resumes the step.
  void setBusyWith(size_t step) { activity_.store(static_cast<uint32_t>(step), std::memory_order_relaxed); }
  void setBusy() { activity_.store(busy, std::memory_order_relaxed); }
  void setWaiting() { activity_.store(waiting, std::memory_order_relaxed); }
  /// The rank is no more: it leaves no record.
  void setLost() { lost_.store(true, std::memory_order_relaxed); }
  void setEnded() { activity_.store(ended, std::memory_order_relaxed); }

  // --- Called by any thread -------------------------------------------------------------------------------
  /// The step that the rank executes, if it is in the middle of one.
  [[nodiscard]] std::optional<size_t> busyWith() const;
  [[nodiscard]] bool isLost() const { return lost_.load(std::memory_order_relaxed); }
  [[nodiscard]] FlightRecord record() const;

private:
  /// Every smaller number is a step that the rank executes.
  static constexpr uint32_t busy = ~0U, waiting = ~0U - 1, ended = ~0U - 2;
  /// The participants of a call: members in order, and for a transfer from, to and tag.
  struct Line {
    std::vector<int64_t> members;
    int64_t from = -1;
    int64_t to = -1;
    int64_t tag = 0;
    friend auto operator<=>(const Line &, const Line &) = default; // NOLINT(modernize-use-nullptr): no pointer
  };
  /// A call with the facts of this rank.
  struct Enrolled {
    size_t step = 0;
    size_t index = 0;
    int64_t sequence = 0;
    /// by the plan's own order
    int64_t planned = 0;
    /// the number of its last entry
    uint64_t last = ~uint64_t{0};
  };
  struct Row {
    DType sentType{}, receivedType{};
    /// negative: no row
    int64_t sent = -1;
    int64_t received = -1;
  };
  struct CallEntry {
    Call call = 0;
    FlightState state = FlightState::Scheduled;
    FlightTimes times;
    /// how many of its rows are known; none before it starts
    size_t rows = 0;
  };
  struct StepEntry {
    size_t step = 0;
    FlightTimes times;
  };
  /// Entries are numbered from 0; the last ones are kept. The capacity is a power of two, so that an index is computed
  /// fast for every step.
  template <typename Entry>
  struct Ring {
    std::vector<Entry> entries;
    uint64_t kept = 1;
    uint64_t next = 0;
    void keep(size_t last) {
      kept = std::max<size_t>(last, 1);
      entries.resize(std::bit_ceil(kept));
    }
    [[nodiscard]] size_t placeOf(uint64_t number) const { return number & (entries.size() - 1); }
    Entry &add() { return entries[placeOf(next++)] = {}; }
    [[nodiscard]] bool holds(uint64_t number) const { return number < next && number + kept >= next; }
    [[nodiscard]] Entry &at(uint64_t number) { return entries[placeOf(number)]; }
    [[nodiscard]] uint64_t first() const { return next < kept ? 0 : next - kept; }
    [[nodiscard]] std::vector<Entry> take() const;
  };
  using Lock = std::lock_guard<BriefLock>;

  [[nodiscard]] int64_t timeOf(Moment moment) const;
  [[nodiscard]] Line lineOf(const PlanCollective &call) const;
  void numberPlan();
  [[nodiscard]] const PlanCollective &planned(const Enrolled &call) const;
  [[nodiscard]] size_t groupOf(llvm::ArrayRef<int64_t> members, FlightRecord &record) const;
  [[nodiscard]] FlightCall describe(const CallEntry &entry, llvm::ArrayRef<Row> rows, FlightRecord &record) const;
  void describeActivity(FlightRecord &record) const;
  [[nodiscard]] std::string departure(const Enrolled &call, const FlightCall &described) const;

  Setup setup_;
  std::string engine_;
  std::vector<Enrolled> enrolled_;
  std::map<Line, int64_t> numbers_;
  /// by step and index
  std::map<std::pair<size_t, size_t>, int64_t> plannedNumbers_;
  size_t mostRows_ = 0;
  std::atomic<uint32_t> activity_ = busy;
  std::atomic<bool> lost_ = false;
  /// when the run began
  int64_t begun_ = 0;

  mutable BriefLock mutex_;
  Ring<CallEntry> calls_;
  /// mostRows_ for each place in the ring
  std::vector<Row> rows_;
  Ring<StepEntry> steps_;
  /// by step: the number of its last entry
  std::vector<uint64_t> lastOfStep_;
};

} // namespace ccgraph::runtime

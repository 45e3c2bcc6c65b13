// GroupRecorder: the last calls of one rank's process groups, as a flight record.
//
// A backend of this library records the ends of its calls itself (RecordingBackend); the works of other backends are
// wrapped.
//
// Times are those of the steady clock, which also gives the deadline of a call. record() converts them to wall time.
//
// Ownership: owns its entries, whose memory is used again. Thread-safe. Failure: none. Cost: two brief locks and two
// readings of the clock for each call, and no memory for a call with a tensor.
#pragma once

#include "ccgraph/ir/flight_record.h"
#include "ccgraph/runtime/backend.h"
#include "watch/brief_lock.h"

#include "llvm/ADT/SmallVector.h"

#include <map>
#include <mutex>

namespace ccgraph::runtime {

class GroupRecorder {
public:
  GroupRecorder(int64_t rank, int64_t worldSize, size_t calls)
      : rank_(rank), worldSize_(worldSize), mostCalls_(calls) {}

  using Clock = std::chrono::steady_clock;
  /// The place of a call in the records. Its entry is that of a later call once there are too many.
  struct Place {
    int64_t number = 0;
    size_t entry = 0;
  };
  /// The place of a group in the records: its name, and its members as global ranks.
  [[nodiscard]] size_t groupOf(const FlightGroup &group);
  /// `group`: its place; `sequence`: of the call in its group, from 1.
  /// The backend launches the call next, so it counts as started.
  [[nodiscard]] Place begin(const GroupCall &call, size_t group, int64_t sequence, Clock::time_point begun);
  /// The backend has refused the call: it is scheduled only.
  void withdraw(Place call);
  void complete(Place call);
  [[nodiscard]] FlightRecord record() const;

private:
  struct Row {
    DType dtype = DType::F32;
    int64_t elements = 0;
  };
  /// A call without texts, which record() makes.
  struct Entry {
    int64_t number = 0;
    GroupOp op = GroupOp::Barrier;
    ReduceOp reduction = ReduceOp::Sum;
    int64_t root = 0;
    int64_t peer = 0;
    int64_t tag = 0;
    size_t group = 0;
    int64_t sequence = 0;
    llvm::SmallVector<Row, 1> inputs, outputs;
    FlightState state = FlightState::Scheduled;
    Clock::time_point begun, completed;
  };
  /// One moment, by both clocks.
  struct Now {
    Clock::time_point steady;
    /// nanoseconds since 1970
    int64_t wall = 0;
    [[nodiscard]] static Now read();
    [[nodiscard]] int64_t wallOf(Clock::time_point time) const;
  };
  using Lock = std::lock_guard<BriefLock>;
  static void fill(Entry &entry, const GroupCall &call);
  [[nodiscard]] size_t entryForNext();
  [[nodiscard]] static FlightCall describe(const Entry &entry, const Now &now);
  [[nodiscard]] Entry *find(Place call);

  int64_t rank_;
  int64_t worldSize_;
  size_t mostCalls_;
  mutable BriefLock mutex_;
  std::vector<FlightGroup> groups_;
  /// at most mostCalls_; then the oldest one is at oldest_
  std::vector<Entry> calls_;
  size_t oldest_ = 0;
  int64_t next_ = 0;
  /// transfers, by channel
  std::map<std::tuple<size_t, bool, int64_t, int64_t>, int64_t> transfers_;
};

/// One call in the records.
struct GroupCallRecord {
  /// null: the call is not recorded
  std::shared_ptr<GroupRecorder> recorder;
  GroupRecorder::Place call;
  GroupRecorder::Clock::time_point begun;

  void complete() const {
    if (recorder)
      recorder->complete(call);
  }
};
/// The work, which also records its completion.
[[nodiscard]] WorkPtr recordedWork(WorkPtr work, GroupCallRecord record);

/// A backend whose works record their completion.
class RecordingBackend : public Backend {
public:
  [[nodiscard]] llvm::Expected<WorkPtr> launch(GroupCall call) final {
    return launchRecorded(std::move(call), {nullptr, {}, GroupRecorder::Clock::now()});
  }
  [[nodiscard]] virtual llvm::Expected<WorkPtr> launchRecorded(GroupCall &&call, GroupCallRecord &&record) = 0;
};

} // namespace ccgraph::runtime

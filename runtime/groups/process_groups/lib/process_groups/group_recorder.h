// GroupRecorder: the last calls of one rank's process groups, as a flight record.
//
// A backend of this library records the ends of its calls itself (RecordingBackend); the works of other backends are
// wrapped.
//
// Ownership: owns its entries, whose memory is used again. Thread-safe. Failure: none. Cost: two locks and times for
// each call, and no memory for a call with a tensor.
#pragma once

#include "ccgraph/ir/flight_record.h"
#include "ccgraph/runtime/backend.h"

#include "llvm/ADT/SmallVector.h"

#include <map>
#include <mutex>

namespace ccgraph::runtime {

class GroupRecorder {
public:
  GroupRecorder(int64_t rank, int64_t worldSize, size_t calls)
      : rank_(rank), worldSize_(worldSize), mostCalls_(calls) {}

  using Number = int64_t;
  /// The place of a group in the records: its name, and its members as global ranks.
  [[nodiscard]] size_t groupOf(const FlightGroup &group);
  /// `group`: its place; `sequence`: of the call in its group, from 1.
  /// The backend launches the call next, so it counts as started.
  [[nodiscard]] Number begin(const GroupCall &call, size_t group, int64_t sequence);
  /// The backend has refused the call: it is scheduled only.
  void withdraw(Number call);
  void complete(Number call);
  [[nodiscard]] FlightRecord record() const;

private:
  struct Row {
    DType dtype = DType::F32;
    int64_t elements = 0;
  };
  /// A call without texts, which record() makes.
  struct Entry {
    GroupOp op = GroupOp::Barrier;
    ReduceOp reduction = ReduceOp::Sum;
    int64_t root = 0;
    int64_t peer = 0;
    int64_t tag = 0;
    size_t group = 0;
    int64_t sequence = 0;
    llvm::SmallVector<Row, 1> inputs, outputs;
    FlightState state = FlightState::Scheduled;
    FlightTimes times;
  };
  static void fill(Entry &entry, const GroupCall &call);
  [[nodiscard]] Entry &entryForNext();
  [[nodiscard]] static FlightCall describe(const Entry &entry);
  [[nodiscard]] Entry *find(Number call);
  [[nodiscard]] Number first() const { return next_ - static_cast<Number>(calls_.size()); }

  int64_t rank_;
  int64_t worldSize_;
  size_t mostCalls_;
  mutable std::mutex mutex_;
  std::vector<FlightGroup> groups_;
  /// call n at n % mostCalls_
  std::vector<Entry> calls_;
  Number next_ = 0;
  /// transfers, by channel
  std::map<std::tuple<size_t, bool, int64_t, int64_t>, int64_t> transfers_;
};

/// One call in the records.
struct GroupCallRecord {
  /// null: the call is not recorded
  std::shared_ptr<GroupRecorder> recorder;
  GroupRecorder::Number call = 0;

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
  [[nodiscard]] llvm::Expected<WorkPtr> launch(GroupCall call) final { return launchRecorded(std::move(call), {}); }
  [[nodiscard]] virtual llvm::Expected<WorkPtr> launchRecorded(GroupCall &&call, GroupCallRecord record) = 0;
};

} // namespace ccgraph::runtime

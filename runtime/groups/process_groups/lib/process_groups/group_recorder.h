// GroupRecorder: the last calls of one rank's process groups, as a flight record.
//
// Ownership: owns its entries. Thread-safe. Failure: none. Cost: a lock, and a small record without
// texts, for each call.
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
  /// `group`: its name, and its members as global ranks; `sequence`: of the call in its group, from 1.
  [[nodiscard]] Number begin(const GroupCall &call, const FlightGroup &group, int64_t sequence);
  void start(Number call);
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
  [[nodiscard]] static Entry entryOf(const GroupCall &call);
  [[nodiscard]] static FlightCall describe(const Entry &entry);
  [[nodiscard]] Entry *find(Number call);
  [[nodiscard]] Number first() const { return next_ - static_cast<Number>(calls_.size()); }
  [[nodiscard]] size_t groupOf(const FlightGroup &group);

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

/// The work, which also records its completion.
[[nodiscard]] WorkPtr recordedWork(WorkPtr work, std::shared_ptr<GroupRecorder> recorder, GroupRecorder::Number call);

} // namespace ccgraph::runtime

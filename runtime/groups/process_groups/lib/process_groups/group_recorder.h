// GroupRecorder: the last calls of one rank's process groups, as a flight record.
//
// Ownership: owns its entries. Thread-safe. Failure: none. Cost: a lock, and a small record for each call.
#pragma once

#include "ccgraph/ir/flight_record.h"
#include "ccgraph/runtime/backend.h"

#include <deque>
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
  [[nodiscard]] FlightCall *find(Number call);
  [[nodiscard]] size_t groupOf(const FlightGroup &group);

  int64_t rank_;
  int64_t worldSize_;
  size_t mostCalls_;
  mutable std::mutex mutex_;
  std::vector<FlightGroup> groups_;
  std::deque<FlightCall> calls_;
  Number first_ = 0;
  /// transfers, by channel
  std::map<std::tuple<size_t, bool, int64_t, int64_t>, int64_t> transfers_;
};

/// The work, which also records its completion.
[[nodiscard]] WorkPtr recordedWork(WorkPtr work, std::shared_ptr<GroupRecorder> recorder, GroupRecorder::Number call);

} // namespace ccgraph::runtime

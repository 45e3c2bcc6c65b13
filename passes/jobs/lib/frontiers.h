// Frontiers: the launches that must have completed before a value can be computed.
//
// A launch arrives only after the previous launch of its group (of its channel) has completed, so the last launch of
// each group stands for all before it. A frontier is therefore at most as long as a program has groups and channels,
// and equal frontiers share one number.
//
// Ownership: owns the lists. Failure: none. Cost: unite() is linear in the two lists, and a look-up for two that were
// united before.
#pragma once

#include "job_data.h"

#include "llvm/ADT/SmallVector.h"

#include <deque>
#include <map>

namespace ccgraph::jobs {

class Frontiers {
public:
  static constexpr Id empty = 0;
  Frontiers() { intern({}); }

  /// Returns the frontier of one launch. `keys` are its group or channels; launches must come in program order.
  Id addLaunch(llvm::SmallVector<Id, 2> keys);
  [[nodiscard]] Id unite(Id a, Id b);
  [[nodiscard]] llvm::ArrayRef<Id> operator[](Id frontier) const { return lists_[frontier]; }

private:
  using List = std::vector<Id>;
  Id intern(List list);

  /// by launch
  std::vector<llvm::SmallVector<Id, 2>> keys_;
  /// by launch: the frontier of this launch alone
  std::vector<Id> alone_;
  /// of the other frontiers
  std::map<List, Id> ids_;
  std::deque<List> lists_;
  llvm::DenseMap<std::pair<Id, Id>, Id> united_;
};

} // namespace ccgraph::jobs

// Simulates a job under one semantics, with one rank of each class.
//
// Ownership: a Progress refers to the classes. Failure: none. Cost: linear in the launches and what must precede them.
#pragma once

#include "classes.h"

#include "ccgraph/jobs/semantics.h"

namespace ccgraph::jobs {

/// What must come first at one rank before each launch.
struct Precedence {
  /// by launch: launches that must have completed
  std::vector<std::vector<Id>> before;
  /// Sets of launches at which the rank stops, in order; launch i follows the first `gates[i]` of them.
  std::vector<std::vector<Id>> stops;
  std::vector<Id> gates;
  /// the largest number of collectives of the rank in flight; 0: any number. A collective is issued if fewer of those
  /// before it are incomplete.
  Id mostInFlight = 0;
};

[[nodiscard]] Precedence precedenceOf(const Program &program, const Role &role, Semantics under);

struct LaunchState {
  bool arrived = false;
  bool completed = false;
};

/// The least fixpoint.
struct Progress {
  Semantics under = Semantics::Dataflow;
  /// by role, which several classes may share
  std::vector<Precedence> precedence;
  /// by class and launch
  std::vector<std::vector<LaunchState>> states;
  bool deadlock = false;
};

[[nodiscard]] Progress simulate(const JobData &job, const Classes &classes, Semantics under);

} // namespace ccgraph::jobs

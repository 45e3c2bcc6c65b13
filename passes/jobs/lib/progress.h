// Simulates a job under one semantics, with one rank of each class.
//
// A limit of resident communicators refines `streams`: a collective is issued, in the order of the program, while the
// collectives before it that are incomplete belong to fewer communicators than the limit, or if its own communicator is
// one of them, since it follows the collective of that communicator. The condition can only become true as more
// collectives complete, so the fixpoint remains the least one. A limit of one is `one-at-a-time`.
//
// Ownership: a Progress refers to the classes. Failure: none. Cost: linear in the launches and what must precede them.
#pragma once

#include "classes.h"

#include "ccgraph/jobs/semantics.h"

namespace ccgraph::jobs {

/// What decides how far a rank gets while it waits.
struct Rules {
  Rules(Semantics under, Id mostResident = 0) : under(under), mostResident(mostResident) {} // NOLINT: a semantics alone
  Semantics under;
  /// the most communicators of a rank with collectives in flight; 0: any number
  Id mostResident;
};

/// What must come first at one rank before each launch.
struct Precedence {
  /// by launch: launches that must have completed
  std::vector<std::vector<Id>> before;
  /// Sets of launches at which the rank stops, in order; launch i follows the first `gates[i]` of them.
  std::vector<std::vector<Id>> stops;
  std::vector<Id> gates;
  /// the most communicators of the rank with collectives in flight; 0: any number
  Id mostResident = 0;
};

[[nodiscard]] Precedence precedenceOf(const Program &program, const Role &role, const Rules &rules);

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
  /// by class and launch: numbers that grow in the order of completion; all launches of one collective have the same
  std::vector<std::vector<Id>> completedAt;
  bool deadlock = false;
};

[[nodiscard]] Progress simulate(const JobData &job, const Classes &classes, const Rules &rules);

} // namespace ccgraph::jobs

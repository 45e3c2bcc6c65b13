// StepTimes holds the duration of each step of a plan, computed from the durations of the nodes.
//
// A node's time is divided equally among its collectives if it has any, else among its kernels. Steps that lowering
// adds, such as copies for a collective's buffers, take no time, since no time is given for them.
//
// Ownership: plain values. Failure: none. Cost: linear in the steps.
#pragma once

#include "ccgraph/ir/plan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ccgraph {

struct StepTimes {
  /// picoseconds of each step
  std::vector<int64_t> steps;
  /// nodes of kernels and collectives without a time, in the order of the steps
  std::vector<std::string> unknown;

  /// The sums over the steps of collectives, and over all other steps.
  int64_t communication = 0;
  int64_t computation = 0;
};

/// `timeOf` returns the picoseconds of a node; empty if unknown.
[[nodiscard]] StepTimes timesOfSteps(const Plan &plan,
                                     llvm::function_ref<std::optional<int64_t>(llvm::StringRef node)> timeOf);

} // namespace ccgraph

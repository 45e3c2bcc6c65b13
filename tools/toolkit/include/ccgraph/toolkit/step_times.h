// StepTimes: how long each step of a plan takes, by what the nodes that it was made of take.
//
// A node's time goes to its collectives, where it has any, else to its kernels, in equal parts. What lowering adds, copies into and out
// of what a collective can read, takes no time: nobody has said any.
//
// Ownership: plain values. Failure: none. Cost: linear in the steps.
#pragma once

#include "ccgraph/ir/plan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ccgraph {

struct StepTimes {
  /// by step: picoseconds
  std::vector<int64_t> steps;
  /// nodes of kernels and collectives that have no time, in the order of the steps
  std::vector<std::string> unknown;

  /// Of steps of collectives, and of all others.
  int64_t communication = 0;
  int64_t computation = 0;
};

/// `timeOf`: picoseconds of a node; empty where nothing is known.
[[nodiscard]] StepTimes timesOfSteps(const Plan &plan,
                                     llvm::function_ref<std::optional<int64_t>(llvm::StringRef node)> timeOf);

} // namespace ccgraph

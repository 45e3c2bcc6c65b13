// Parses fault flags: `--fault KIND:RANK:STEP[:MS]` describes a fault as one word of a command line.
//
//   skip:1:all_reduce   reorder:0:4   slow:2:mm:500
//
// STEP is the name of a node or a position in the plan. If several steps belong to one node, a fault of a collective
// selects the step that communicates, and any other fault selects the first step.
//
// Ownership: plain values. Failure: parsing returns a usage error; resolving returns an error about the plan. Cost:
// negligible.
#pragma once

#include "ccgraph/runtime/fault.h"

namespace ccgraph::driver {

struct FaultFlag {
  runtime::Fault fault;
  /// name of a node, or position in the plan
  std::string step;
};

[[nodiscard]] llvm::Expected<FaultFlag> parseFaultFlag(llvm::StringRef text);
/// Finds the step of the fault; `plan` is the plan of the fault's rank.
[[nodiscard]] llvm::Expected<runtime::Fault> resolveFault(const FaultFlag &flag, const Plan &plan);
/// Returns "skip, reorder, ...".
[[nodiscard]] std::string faultKindsText();

} // namespace ccgraph::driver

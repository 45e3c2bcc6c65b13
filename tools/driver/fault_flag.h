// Fault flags: `--fault KIND:RANK:STEP[:MS]`, a fault as one word of a command line.
//
//   skip:1:all_reduce   reorder:0:4   slow:2:mm:500
//
// A step is named by its node or by its place in the plan. Where several steps are of one node, a fault of a collective means the one
// that communicates, any other the first.
//
// Ownership: plain values. Failure: parsing gives an error of usage, resolving one about the plan. Cost: none worth naming.
#pragma once

#include "ccgraph/runtime/fault.h"

namespace ccgraph::driver {

struct FaultFlag {
  runtime::Fault fault;
  /// name, or place in the plan
  std::string step;
};

[[nodiscard]] llvm::Expected<FaultFlag> parseFaultFlag(llvm::StringRef text);
/// `plan`: of the fault's rank.
[[nodiscard]] llvm::Expected<runtime::Fault> resolveFault(const FaultFlag &flag, const Plan &plan);
/// "skip, reorder, ...".
[[nodiscard]] std::string faultKindsText();

} // namespace ccgraph::driver

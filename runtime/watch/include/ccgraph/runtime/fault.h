// Fault: an injected error on one rank, to test how the other ranks and the reports handle it.
//
// A fault occurs where a real one would: the rank misbehaves towards its peers through the engine's own transport, and
// no other component is informed. Faults are part of the request (engine.h), so tests run the same code as users.
//
//   skip         the rank leaves out the collective, and continues
//   reorder      it launches the collective after the next one on the same ranks
//   wrong-size   it sends one element less
//   wrong-dtype  it sends elements of another dtype, of the same size in bytes
//   kill         it ends before the step begins; an engine of processes kills its process
//   stop         it silently never begins the step; an engine of processes stops its process
//   slow         it begins the step later by `delay`
//
// The first four are faults of a collective; the others may happen at any step.
//
// Plain values. Failure: checkFault() reports why a plan has no place for the fault. Cost: none without faults.
#pragma once

#include "ccgraph/ir/plan.h"

#include "llvm/Support/Error.h"

#include <chrono>

namespace ccgraph::runtime {

enum class FaultKind : uint8_t { Skip, Reorder, WrongSize, WrongDType, Kill, Stop, Slow };
/// Returns "skip", ..., in the order of the table.
[[nodiscard]] llvm::StringRef faultName(FaultKind kind);
[[nodiscard]] std::optional<FaultKind> parseFaultKind(llvm::StringRef text);
[[nodiscard]] llvm::ArrayRef<FaultKind> allFaultKinds();

struct Fault {
  FaultKind kind = FaultKind::Stop;
  int64_t rank = 0;
  /// index in Plan::steps
  size_t step = 0;
  /// delay of `slow`
  std::chrono::milliseconds delay{0};
};

/// `plan` is that of the fault's rank. Errors have the rule run.request.
[[nodiscard]] llvm::Error checkFault(const Fault &fault, const Plan &plan);

} // namespace ccgraph::runtime

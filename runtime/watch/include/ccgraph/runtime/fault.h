// Fault: what goes wrong on purpose on one rank, so that it can be seen what is made of it.
//
// A fault happens where the real one would: what a rank does wrong, it does to its peers through the engine's own transport, and
// nothing else is told of it. Faults are part of the request (engine.h), so that what is tested is what users run.
//
//   skip         the rank leaves out the collective, and goes on
//   reorder      it launches the collective after the next one on the same ranks
//   wrong-size   it sends one element less
//   wrong-dtype  it sends elements of another dtype, of the same size in bytes
//   kill         it ends when the step is to begin; an engine of processes kills its process
//   stop         it never begins the step, and never says so; an engine of processes stops its process
//   slow         it begins the step later by `delay`
//
// The first four are faults of a collective; the others may happen at any step.
//
// Plain values. Failure: checkFault() tells why a plan has no place for the fault. Cost: none where no fault is asked for.
#pragma once

#include "ccgraph/ir/plan.h"

#include "llvm/Support/Error.h"

#include <chrono>

namespace ccgraph::runtime {

enum class FaultKind : uint8_t { Skip, Reorder, WrongSize, WrongDType, Kill, Stop, Slow };
/// "skip", ..., in the order of the table.
[[nodiscard]] llvm::StringRef faultName(FaultKind kind);
[[nodiscard]] std::optional<FaultKind> parseFaultKind(llvm::StringRef text);
[[nodiscard]] llvm::ArrayRef<FaultKind> allFaultKinds();

struct Fault {
  FaultKind kind = FaultKind::Stop;
  int64_t rank = 0;
  /// place in Plan::steps
  size_t step = 0;
  /// of slow
  std::chrono::milliseconds delay{0};
};

/// `plan`: of the fault's rank. Error: rule run.request.
[[nodiscard]] llvm::Error checkFault(const Fault &fault, const Plan &plan);

} // namespace ccgraph::runtime

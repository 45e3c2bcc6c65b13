// Random operators: the distributions that they draw from, and the stream of numbers.
//
// A rank has one stream, and every random operator draws its elements from it in row-major order. So its result depends
// on the earlier draws: two random operators that change places change values, as they do in PyTorch. All ranks start
// from the same state, as programs that seed every rank alike do. The numbers are not PyTorch's, so a recorded program
// that draws cannot be compared with its record.
//
// Ownership: results are new tensors; the stream is the rank's. Failure: a missing or wrong argument is a
// DiagnosticError of rule run.collective, from CallSite. Cost: a few nanoseconds an element.
#pragma once

#include "kernels/call_site.h"
#include "tensor/numbers.h"

namespace ccgraph::runtime {

struct RandomOp {
  llvm::StringLiteral target;
  llvm::Expected<Value> (*draw)(const CallSite &site, Numbers &numbers);
};

/// Null if the operator draws nothing, or is not known here.
[[nodiscard]] const RandomOp *findRandomOp(llvm::StringRef target);

} // namespace ccgraph::runtime

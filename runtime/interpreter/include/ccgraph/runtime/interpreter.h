// The reference interpreter: runs graphs on N ranks inside one process, one step after another.
// It is the specification.
//
// Every other engine, every golden and every equivalence check is compared with this interpreter, so it is simple: no
// threads, no clock, no reordering. Each rank executes its graph in program order until a wait needs peers that have
// not launched; then the next rank continues. Collectives of ranks match by the members of a group and the order of
// issue, never by a group's name.
//   - A collective reads its inputs as late as allowed: functional all_reduce and broadcast copy at launch; all others
//     read once every member has launched and some rank waits. Results are written to their storage at a rank's own
//     wait.
//   - A value is a tensor object, as in PyTorch. A wait, a getitem or an in-place operator returns the same object. An
//     in-place change of its shape (t_, resize_, set_) is visible under every name, but not through earlier views.
//   - In between, only views, getitem and waits may touch the storage: any other read or write
//     is an error that names launch and offender.
//   - Reductions add in rank order, in f64 for floats, rounded to the dtype at the end: merged collectives, coalesced
//     or flat, are bitwise equal.
//   - A launch that is returned, or never waited for, is waited for at the end of its rank's graph. A send waits for
//     its receive.
//   - Random operators draw from one stream a rank, which has the same start on all ranks; the numbers are not
//     PyTorch's.
//   - Each result is checked against its node's type: dtype, sizes, and the values of symbolic sizes.
//
// Errors have one of these rules:
//   run.ranks-disagree    two ranks launch different collectives or transfers as one
//   run.deadlock          no rank can continue; lists what each waits for
//   run.in-flight-result  a value is read or written before the wait on the launch that fills it
//   run.in-flight-input   a value is written while a launch still reads it
//   run.freed             a value is used after a wait has freed its storage
//   run.no-copy           ao.wait_tensor finds no copy to or from the host in flight
//   run.copied-again      a wait copies all results of a launch again, and one of them was changed and is in use by now
//   run.collective        a call is invalid for its group: splits, source, peer, reduction, members
//   run.type              a value differs from its node's type
//   run.kernel            a kernel rejected its arguments
//   run.no-kernel         the operator has no kernel
//   run.no-input          an input or attribute has no value
//   run.memory            the graph, or a node, needs more memory than the run may hold; as far as types show
//                           (memory_need.h), it is rejected before it starts
//   guards.fact           an assumption of the trace (ccgraph/ir/guard.h) is false on some rank
//   run.arguments, run.not-computed, run.unknown-symbol, run.no-output, run.request
//                         the graph or the request is not well formed
//
// Ownership: borrows graphs and inputs for the call; the result is the caller's. Failure: a DiagnosticError. An error
// about ranks that disagree names them, their nodes and the difference. It never hangs, and a failed run leaves the
// inputs unchanged. Cost: that of the kernels, plus a few microseconds a node and rank; a value lives until its last
// reader has run.
#pragma once

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/object_meaning.h"
#include "ccgraph/runtime/run_result.h"

#include <vector>

namespace ccgraph::runtime {

struct RunRequest {
  /// One graph that serves every rank, or one for each.
  std::vector<const Graph *> graphs;
  size_t ranks = 1;
  /// By rank: `in.<placeholder>` and `attr.<name>`; other names are ignored. Placeholders that are not tensors or
  /// numbers (a device mesh) have none.
  std::vector<TensorMap> inputs;
  ObjectMeanings objects;
  /// Bytes that all ranks may hold together: their tensors, the working memory of their nodes, and the copies for the
  /// caller.
  int64_t memoryLimit = defaultMemoryLimit;
  /// Names of the kernel providers that are asked, in this order, for operators that no builtin kernel computes
  /// (kernel_provider.h). An unknown or unavailable one is an error of rule run.request.
  std::vector<std::string> kernels;
};

[[nodiscard]] llvm::Expected<RunResult> interpret(const RunRequest &request);

} // namespace ccgraph::runtime

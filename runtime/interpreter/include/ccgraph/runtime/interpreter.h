// The reference interpreter: runs graphs on N ranks inside one process, one step after another.
// It is the specification.
//
// Every other engine, every golden and every equivalence check is held to what happens here, so
// it is plain: no threads, no clock, no reordering. Each rank executes its program in program
// order until a wait needs peers that have not launched; then the next rank goes on. Ranks meet
// by the members of a group and the order of issue, never by a group's name.
//   - A collective reads its inputs as late as it may: functional all_reduce and broadcast copy
//     at launch, all others are read once every member has launched and some rank waits. Results
//     land in their storage at a rank's own wait.
//   - A value is a tensor object, as in PyTorch: what a wait, a getitem or an in-place operator yields is the object that
//     went in, and an in-place change of its shape (t_, resize_, set_) is seen under every name, though not through
//     views made before.
//   - In between, only views, getitem and waits may touch the storage: any other read or write
//     is an error that names launch and offender.
//   - Reductions add in rank order, in f64 for floats, rounded to the dtype at the end: merging
//     collectives, grouped or flat, changes no bit.
//   - A launch that is returned, or never waited for, is waited for at the end of its rank's
//     program. A send waits for its receive.
//   - Random operators draw from one stream a rank, which starts alike on all of them; the
//     numbers are not PyTorch's.
//   - Each result is held to its node's type: dtype, sizes, and what symbolic sizes have turned
//     out to be.
//
// Errors have one of these rules:
//   run.ranks-disagree    two ranks mean different things by one collective or transfer
//   run.deadlock          no rank can go on; says what each waits for
//   run.in-flight-result  a value is read or written before the wait on the launch that fills it
//   run.in-flight-input   a value is written while a launch still reads it
//   run.copied-again      a wait copies all results of a launch again, and one of them was changed and is in use by now
//   run.collective        a call makes no sense for its group: splits, source, peer, reduction, members
//   run.type              a value is not what its node's type says
//   run.kernel            a kernel refused its arguments
//   run.no-kernel         nothing here computes the operator
//   run.no-input          an input or attribute has no value
//   run.memory            the program, or a step, needs more memory than the run may hold; as far as types tell
//                         (memory_need.h), it is refused before it starts
//   guards.fact           what a graph was traced with (ccgraph/ir/guard.h) is not so on some rank
//   run.arguments, run.not-computed, run.unknown-symbol, run.no-output, run.request
//                         the program, or the request, is not well formed
//
// Ownership: borrows graphs and inputs for the call; the result is the caller's.
// Failure: a DiagnosticError. Ranks that disagree are named with their nodes and what differs. It
// never hangs, and a run that fails leaves the inputs as they were.
// Cost: that of the kernels, plus a few microseconds a node and rank; a value lives until its
// last reader has run.
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
  /// By rank: `in.<placeholder>` and `attr.<name>`; other names are ignored. Placeholders that
  /// are no tensors or numbers (a device mesh) have none.
  std::vector<TensorMap> inputs;
  ObjectMeanings objects;
  /// Bytes that all ranks may hold together: their tensors, the working memory of their steps, and the copies that the caller gets.
  int64_t memoryLimit = defaultMemoryLimit;
  /// Names of the kernel providers that are asked, in this order, for operators that no builtin kernel computes
  /// (kernel_provider.h). An unknown or unavailable one is an error of rule run.request.
  std::vector<std::string> kernels;
};

[[nodiscard]] llvm::Expected<RunResult> interpret(const RunRequest &request);

} // namespace ccgraph::runtime

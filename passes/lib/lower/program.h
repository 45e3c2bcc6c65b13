// The output of lowering before memory and events are planned: the steps in order, and how long each buffer is needed.
//
// Moments are positions in program order, counted from 0; a step has the moment of the node from which it was created.
// Ownership: borrows the plan; plain data otherwise. Failure: none.
#pragma once

#include "ccgraph/ir/plan.h"

#include "llvm/Support/Error.h"

#include <limits>

namespace ccgraph {
class Node;
} // namespace ccgraph

namespace ccgraph::lower {

using Moment = uint32_t;
/// The moment after the last node: returned buffers are needed then.
inline constexpr Moment theEnd = std::numeric_limits<Moment>::max() - 1;

/// The moments from the first step that accesses a buffer to the last that needs it, both included.
struct Needed {
  Moment begin = theEnd;
  Moment end = 0;
  void at(Moment moment) {
    begin = std::min(begin, moment);
    end = std::max(end, moment);
  }
};

/// A row that the graph lets a collective copy at launch, but that the step reads in place.
struct LateRead {
  size_t step = 0;
  size_t row = 0;
  /// the last wait on the launch
  Moment completion = 0;
};

/// A result of a list of reduce_scatters, which each wait on the list may copy again (CollectiveSpec::waitsRewriteAll).
struct CopiedAgain {
  const Node *launch = nullptr;
  BufferId buffer = 0;
  /// the last wait on any result of the launch
  Moment completion = 0;
};

struct Program {
  Plan &plan;
  /// by step
  std::vector<Moment> moments;
  /// by buffer
  std::vector<Needed> needed;
  std::vector<LateRead> lateReads;
  std::vector<CopiedAgain> copiedAgain;
};

/// Adds a buffer, whose place is not yet known.
BufferId addBuffer(Program &program, Identifier name, Home home, Dim bytes);
/// Appends a step, and records which buffers it needs.
void addStep(Program &program, PlanStep step, Moment moment);

/// Puts a copy before each late read whose tensor is written before the launch has completed. Without the copy the
/// writer would have to wait for the collective. No rank that runs the original graph waits there, so the other ranks
/// may be waiting for this one.
void copyWhatIsOverwritten(Program &program);

/// Returns an error (lower.rewritten) if such a result is written before the last wait, since its final contents would
/// depend on the backend.
[[nodiscard]] llvm::Error checkCopiedAgain(const Program &program);

/// Returns, by buffer, the operand's buffer whose bytes its step may reuse in place, or the buffer itself. Bytes can be
/// reused several times in a chain.
[[nodiscard]] std::vector<BufferId> findReusedBuffers(const Program &program);

/// Places all buffers for the layout's binding of symbols; if `separate`, buffers that a collective accesses are in an
/// arena of their own.
void layOut(Program &program, bool separate);

/// Computes the events that steps record and wait for.
void orderByEvents(Plan &plan);

} // namespace ccgraph::lower

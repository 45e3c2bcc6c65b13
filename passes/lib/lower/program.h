// What lowering makes before memory and events are planned: the steps in order, and how long each buffer is needed.
//
// Moments are places in the program's order, counted from 0: a step stands at the node that it was made of. Ownership: the
// plan; plain data otherwise. Nothing fails here.
#pragma once

#include "ccgraph/ir/plan.h"

#include "llvm/Support/Error.h"

#include <limits>

namespace ccgraph {
class Node;
} // namespace ccgraph

namespace ccgraph::lower {

using Moment = uint32_t;
/// After the last node: what the caller gets is needed then.
inline constexpr Moment theEnd = std::numeric_limits<Moment>::max() - 1;

/// From the first step that touches a buffer to the last that needs it, both included.
struct Needed {
  Moment begin = theEnd;
  Moment end = 0;
  void at(Moment moment) {
    begin = std::min(begin, moment);
    end = std::max(end, moment);
  }
};

/// A row that the program lets a collective copy at launch, and that the step reads where it lies.
struct LateRead {
  size_t step = 0;
  size_t row = 0;
  /// the last wait on the launch
  Moment landing = 0;
};

/// A result of a list of reduce_scatters, which each wait on the list may copy again (CollectiveSpec::waitsRewriteAll).
struct CopiedAgain {
  const Node *launch = nullptr;
  BufferId buffer = 0;
  /// the last wait on any result of the launch
  Moment landing = 0;
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

/// Adds a buffer; where it lies is not known yet.
BufferId addBuffer(Program &program, Identifier name, Home home, Dim bytes);
/// Adds a step at the end of the list, and notes what it needs.
void addStep(Program &program, PlanStep step, Moment moment);

/// Puts a copy before each late read whose tensor is written before the launch has landed. Without it the writer would have
/// to wait for the collective, which no rank that runs the program as it stands does: the others may be waiting for it.
void copyWhatIsOverwritten(Program &program);

/// Error (lower.rewritten): such a result is written before the last wait, so that what it holds in the end hangs on the backend.
[[nodiscard]] llvm::Error checkCopiedAgain(const Program &program);

/// By buffer: the operand's buffer on whose bytes its step may write it, or itself. Taken over again, bytes go from one to the next.
[[nodiscard]] std::vector<BufferId> findTakeovers(const Program &program);

/// Gives all buffers a place for the layout's binding of symbols; where `separate`, those that a collective touches in an arena
/// of their own.
void layOut(Program &program, bool separate);

/// Gives steps the events that they record and wait for.
void orderByEvents(Plan &plan);

} // namespace ccgraph::lower

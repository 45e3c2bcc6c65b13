// Plans for people: a table and a picture. Neither is read back; files of plans are JSON (json_plan.h).
//
//   plan         forward: 3 steps, 1 event, for every rank of 2
//   groups       tp: 2 ranks
//   streams      host, compute (2 steps), comm:tp (1 step)
//   memory       192 B: compute 128 B, communication 64 B; lower bound 192 B
//
//   step  stream   waits  records  what
//      0  comm:tp         e0       all_reduce sum on tp: a f32[4, 4] -> c f32[4, 4]
//      1  compute                  aten.relu.default(x f32[4, 4]) -> b f32[4, 4]
//      2  compute  e0              aten.add.Tensor(c f32[4, 4], b f32[4, 4], alpha = 2) -> r f32[4, 4]
//
// A window is the name of its buffer ("c+16": 16 elements behind where it begins), dtype and sizes; strides stand there
// where it is not contiguous, a device where the plan has several. "x!" is written, of "x~" only the sizes are looked at.
//
// Ownership: borrows. Failure: none; the stream keeps what the system said. Cost: linear, some microseconds a step.
#pragma once

#include "ccgraph/ir/plan.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

/// What the plan is, its steps one a line, what comes in and goes out, and where each buffer lies.
void writePlanText(llvm::raw_ostream &os, const Plan &plan);

/// For Graphviz (`dot -Tsvg`): a column a stream, its steps from top to bottom, and an edge from the step that records an
/// event to each that waits for it.
void writePlanDot(llvm::raw_ostream &os, const Plan &plan);

} // namespace ccgraph

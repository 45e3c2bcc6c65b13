// Plans in readable form: a table and a picture. Neither is read back; plan files are JSON (json_plan.h).
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
// A window shows the name of its buffer ("c+16": 16 elements after its beginning), dtype and sizes. Strides follow
// where it is not contiguous, and a device where the plan has several. "x!" is written; of "x~" only the sizes are
// read.
//
// Ownership: borrows. Failure: none; errors of the system stay in the stream. Cost: linear, some microseconds a step.
#pragma once

#include "ccgraph/ir/plan.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

/// Writes a summary of the plan, its steps (one a line), its inputs and outputs, and the place of each buffer.
void writePlanText(llvm::raw_ostream &os, const Plan &plan);

/// Writes a graph for Graphviz (`dot -Tsvg`): a column a stream, its steps from top to bottom, and an edge from the
/// step that records an event to each step that waits for it.
void writePlanDot(llvm::raw_ostream &os, const Plan &plan);

} // namespace ccgraph

// Pipeline files: a pipeline schedule (ccgraph/ir/pipeline_schedule.h) in the CSV form of PyTorch's pipelining
// (`_PipelineScheduleRuntime._load_csv` and `_dump_csv` of torch.distributed.pipelining.schedules, PyTorch 2.15).
//
//   0F0,0F1,,0B0,0B1         a line for each rank, a cell for each action; an empty cell is an idle slot
//   ,1F0,1B0,1F1,1B1
//
// A cell is stage, kind of action and microbatch: 1F0. The kinds are F, B (the whole backward), I and W (its halves for
// the input and the weights), the transfers SEND_F, RECV_F, SEND_B and RECV_B, and the rest of PipelineActionKind.
// Actions of a stage as a whole have no microbatch: 1UNSHARD. (1F3;0B0)OVERLAP_F_B contains two actions that overlap.
//
// Ownership: plain values; the text may be freed once the reader returns. Errors: up to 20 cells that are no action,
// each with line and column; a file without actions. Cost: linear in the text.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/pipeline_schedule.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

/// The numbers of stages and microbatches are one more than the largest in the file.
[[nodiscard]] llvm::Expected<PipelineSchedule> readPipelineSchedule(const SourceText &source);

/// Writes the form that readPipelineSchedule reads.
void writePipelineSchedule(llvm::raw_ostream &os, const PipelineSchedule &schedule);

/// Returns true if the first cell that is not empty has the form of an action; such a text is no graph.
[[nodiscard]] bool isPipelineSchedule(llvm::StringRef text);

} // namespace ccgraph

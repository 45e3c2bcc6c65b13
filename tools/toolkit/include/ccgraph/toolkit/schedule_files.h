// Loads a schedule file that a user names, and the pipeline that a text or a schedule stands for.
//
// Ownership: plain values. Failure: DiagnosticErrors with file and line; warnings go to the collector. Cost: that of
// the reader.
#pragma once

#include "ccgraph/frontend/schedule_file.h"
#include "ccgraph/passes/pipeline.h"

#include <optional>

namespace ccgraph {

[[nodiscard]] llvm::Expected<Schedule> loadSchedule(llvm::StringRef path, Diagnostics &warnings);

/// A schedule, and the pipeline that applies it.
struct ScheduledPipeline {
  Schedule schedule;
  Pipeline pipeline;
};
[[nodiscard]] llvm::Expected<ScheduledPipeline> loadScheduledPipeline(llvm::StringRef path, Diagnostics &warnings);

/// Returns the level of a text such as "-O2"; empty for any other text.
[[nodiscard]] std::optional<unsigned> levelOfText(llvm::StringRef text);
/// Returns the pipeline of a list of passes. Here, and not within a pipeline, an empty text means no passes.
[[nodiscard]] llvm::Expected<Pipeline> pipelineOfText(llvm::StringRef text);

} // namespace ccgraph

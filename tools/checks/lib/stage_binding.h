// Binds the graphs of a pipeline's stages to one another: finds the placeholders and results by which stages exchange
// values, and checks that their types fit.
//
// Ownership: borrows everything for the call; sets pointers into the graphs. Failure: returns diagnostics of rule
// pipeline.graphs. Cost: linear in the placeholders and results of the graphs.
#pragma once

#include "ccgraph/checks/pipeline_stages.h"
#include "ccgraph/frontend/stages_file.h"

namespace ccgraph {

/// A diagnostic of rule pipeline.graphs about a file.
[[nodiscard]] Diagnostic stagesError(const std::string &file, std::string message, std::string repair);

/// `entries` has one entry for each stage.
[[nodiscard]] std::vector<Diagnostic> bindStages(llvm::ArrayRef<StagesFileEntry> entries,
                                                 std::vector<PipelineStage> &stages);

} // namespace ccgraph

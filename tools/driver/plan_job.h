// Handles plans in ccgraph-opt: writes them in each form, and reads them from a file.
//
// No pass rewrites a plan that was read from a file. The plan is printed as a table, written in the form of --emit or
// -o, or verified.
//
// Ownership: borrows everything for the call. Failure: diagnostics on the error stream, and the exit code. Cost: that
// of reading, verifying and writing, each linear or nearly so.
#pragma once

#include "ccgraph/frontend/files.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/plan.h"
#include "driver/opt_options.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// Lowers a graph to a plan; the file of --groups gives the meaning of objects.
[[nodiscard]] llvm::Expected<std::unique_ptr<Plan>> lowerFor(const OptOptions &options, const Graph &graph,
                                                             Streams streams);

/// Writes a plan in one of its forms.
void writePlanAs(llvm::raw_ostream &os, const Plan &plan, OutputFormat format);

/// Does the requested work for a file that holds a plan.
[[nodiscard]] ExitCode runPlanFile(const OptOptions &options, const InputFile &file, Streams streams);

} // namespace ccgraph::driver

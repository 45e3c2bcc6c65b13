// Plans in ccgraph-opt: written in each of their forms, and read back from a file.
//
// A file that holds a plan goes no way of a graph: no pass rewrites it. It is printed as a table, written in the form
// that --emit or -o asks for, or verified.
//
// Ownership: borrows everything for the call. Failure: diagnostics on the error stream, and the exit code. Cost: that of
// reading, verifying and writing, each linear or nearly so.
#pragma once

#include "ccgraph/frontend/files.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/plan.h"
#include "driver/opt_options.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// The plan of a graph; objects mean what the file of --groups says.
[[nodiscard]] llvm::Expected<std::unique_ptr<Plan>> lowerFor(const OptOptions &options, const Graph &graph,
                                                             Streams streams);

/// In one of the forms of plans.
void writePlanAs(llvm::raw_ostream &os, const Plan &plan, OutputFormat format);

/// What is asked for of a file that holds a plan.
[[nodiscard]] ExitCode runPlanFile(const OptOptions &options, const InputFile &file, Streams streams);

} // namespace ccgraph::driver

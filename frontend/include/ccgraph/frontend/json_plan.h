// The JSON format `ccgraph.plan`, version 1.0: a Plan read and written without loss (docs/plan-format.md).
//
// Written files are canonical, as those of graphs are (json_graph.h): one step, buffer, stream or input a line, keys in
// a fixed order. So a diff of two files shows the steps that differ, and reading and writing a canonical file yields
// the same bytes. Another major version is rejected; a newer minor version is read with a warning. A plan is run and
// not annotated, so an unknown key is a mistake. It is an error in a file of version 1.0; in a newer minor version it
// is dropped with a warning.
//
// After reading, every index is within its list: buffers, streams, events, numbers, groups, operands. Every window has
// a tensor type with strides. Offsets, sizes in bytes and counts that are literal numbers are not negative. The
// verifier (plan_verifier.h) checks order and memory.
//
// Ownership: the plan is the caller's and lives in `context`; the text may be freed once reading is done. Errors: all
// of a file up to the limit, each with line, column and JSON pointer; arbitrary bytes never crash. Cost: linear; the
// memory of the plan, since one step is parsed at a time.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/plan.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

namespace ccgraph {

struct PlanReadOptions {
  size_t errorLimit = 20;          ///< errors reported; the rest is counted
  Diagnostics *warnings = nullptr; ///< receives warnings (a newer minor version, ...); null drops them
};

/// Returns true for a JSON object whose "format" is "ccgraph.plan". Does not look at the rest of the object.
[[nodiscard]] bool isPlan(llvm::StringRef text);

[[nodiscard]] llvm::Expected<std::unique_ptr<Plan>> readPlan(Context &context, const SourceText &source,
                                                             const PlanReadOptions &options = {});

/// Writes the plan and a final newline. Never fails; errors of the system stay in the stream. Where the layout has no
/// entry for a buffer, its offset is written as 0.
void writePlan(llvm::raw_ostream &os, const Plan &plan);

} // namespace ccgraph

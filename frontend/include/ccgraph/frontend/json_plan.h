// The JSON format `ccgraph.plan`, version 1.0: a Plan read and written without loss (docs/plan-format.md).
//
// Written files are canonical, as those of graphs are (json_graph.h): one step, buffer, stream or input a line, keys in
// a fixed order, so that a diff of two files shows the steps that differ, and reading a canonical file and
// writing it again gives the same bytes. Another major version is refused, a newer minor one read with a
// warning. Because a plan is run and not annotated, a key that is not known is a mistake: in a file of
// version 1.0 it is an error; of a newer minor one it is left out, with a warning.
//
// Every index of a plan that is read is within its list: buffers, streams, events, numbers, groups, operands; every
// window has a tensor type with strides; offsets, sizes in bytes and counts that are stated as numbers are not negative. Whether its
// order and its memory are right is the verifier's question (plan_verifier.h).
//
// Ownership: the plan is the caller's and lives in `context`; the text may go once reading is done.
// Errors: all of a file up to the limit, each with line, column and JSON pointer; arbitrary bytes never crash.
// Cost: linear; the memory of the plan, since one step is parsed at a time.
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

/// True of a JSON object that says so itself: its "format" is "ccgraph.plan". What stands behind that is not looked at.
[[nodiscard]] bool isPlan(llvm::StringRef text);

[[nodiscard]] llvm::Expected<std::unique_ptr<Plan>> readPlan(Context &context, const SourceText &source,
                                                             const PlanReadOptions &options = {});

/// Ends in a newline. Never fails; the stream keeps what the system said. A layout that says nothing of a buffer is taken to
/// say 0.
void writePlan(llvm::raw_ostream &os, const Plan &plan);

} // namespace ccgraph

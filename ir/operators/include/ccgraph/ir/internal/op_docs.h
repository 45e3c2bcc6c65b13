// Operator documentation: describes the operator table in words.
//
// docs/ops.md is generated from the table, so that the two always agree (a test compares them).
//
// Ownership: plain text. Failure: none. Cost: looks up every described operator, some milliseconds; only tools/docs and
// its test use it.
#pragma once

#include "ccgraph/ir/op_def.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

/// Returns the effects of a call, e.g. "view of `self`", "writes `self`", "launches all_gather; reads `input` in
/// flight; fills `out`", "ordered with the host", "pure".
[[nodiscard]] std::string effectText(const OpDef &op);

/// Writes the Markdown of docs/ops.md.
void writeOperatorDocs(llvm::raw_ostream &os, OpTable &ops);

} // namespace ccgraph

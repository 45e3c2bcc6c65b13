// Operator documentation: what the operator table says, in words.
//
// docs/ops.md is written from the table, so that it cannot differ from it (a test compares them).
//
// Ownership: plain text. Failure: none. Cost: looks up every described operator, some milliseconds
// in all; only tools/docs and its test pay it.
#pragma once

#include "ccgraph/ir/op_def.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

/// What a call does, e.g. "view of `self`", "writes `self`", "launches all_gather; reads `input` in
/// flight; fills `out`", "ordered with the host", "pure".
[[nodiscard]] std::string effectText(const OpDef &op);

/// The Markdown of docs/ops.md.
void writeOperatorDocs(llvm::raw_ostream &os, OpTable &ops);

} // namespace ccgraph

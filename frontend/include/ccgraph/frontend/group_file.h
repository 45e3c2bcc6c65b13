// Group files: which ranks a group name of the graph means (`--groups FILE`).
//
// Any JSON object serves whose member `groups` maps names to members; all other members are ignored, so the facts
// that a capture writes beside a graph can be given as they are:
//   {"groups": {"0": {"ranks": [0, 1], "desc": "default_pg"}, "1": {"partition": [[0, 1], [2, 3]]}}, ...}
//
// Ownership: a plain value. Errors: every group that is not well formed, with its place; a file without `groups`.
// Cost: one pass over the file; only `groups` is held in memory.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/group_table.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

[[nodiscard]] llvm::Expected<GroupTable> readGroupFile(const SourceText &source);

} // namespace ccgraph

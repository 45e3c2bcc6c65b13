// Group files: which ranks a group name of the graph means (`--groups FILE`).
//
// Traced graphs name groups and never list their ranks, so whoever captured the graph must say. Any
// JSON object serves whose member `groups` maps names to members; all other members are ignored, so
// the facts that a capture writes beside a graph can be given as they are:
//   {"groups": {"0": {"ranks": [0, 1], "desc": "default_pg"}, "1": {"partition": [[0, 1], [2, 3]]}}, ...}
//
// Ownership: a plain value; the text may go once this returns. Errors: up to 20 groups that are not
// well formed (no ranks, a rank that is negative or stands twice, both or neither of the two
// members), each with its place; a file without `groups`; a text that is no JSON. Cost: one pass
// over the file; only `groups` is held in memory.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/group_table.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

/// Groups in the order of the file.
[[nodiscard]] llvm::Expected<GroupTable> readGroupFile(const SourceText &source);

} // namespace ccgraph

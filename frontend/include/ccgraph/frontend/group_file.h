// Group files: the ranks of each group name of a graph (`--groups FILE`).
//
// Traced graphs name groups and never list their ranks, so the user must supply the ranks. A group file is any JSON
// object whose member `groups` maps names to members. All other members are ignored, so the facts that a capture writes
// beside a graph can serve unchanged:
//   {"groups": {"0": {"ranks": [0, 1], "desc": "default_pg"}, "1": {"partition": [[0, 1], [2, 3]]}}, ...}
//
// Ownership: a plain value; the text may be freed once this returns. Errors: up to 20 malformed groups, each with its
// place (no ranks, a negative or duplicate rank, both or neither of the two members); a file without `groups`; a text
// that is not JSON. Cost: one pass over the file; only `groups` is held in memory.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/group_table.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

/// Returns the groups in the order of the file.
[[nodiscard]] llvm::Expected<GroupTable> readGroupFile(const SourceText &source);

} // namespace ccgraph

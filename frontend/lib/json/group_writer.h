// Writes the object of one group in the format of group_reader.h, in the canonical order of keys.
//
// Ownership: borrows. Failure: none; errors of the system stay in the stream. Cost: linear in the ranks.
#pragma once

#include "ccgraph/ir/group_table.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

/// Writes {"ranks": [0, 1], "desc": "mesh_tp"}. The name of the group is the key, which the caller writes.
void writeJsonGroup(llvm::raw_ostream &os, const Group &group);

} // namespace ccgraph

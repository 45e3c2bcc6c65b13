// Writes the object of one group as group_reader.h reads it, in the canonical order of keys.
//
// Ownership: borrows. Failure: none; the stream keeps what the system said. Cost: linear in the ranks.
#pragma once

#include "ccgraph/ir/group_table.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

/// {"ranks": [0, 1], "desc": "mesh_tp"}; its name is the key, which the caller writes.
void writeJsonGroup(llvm::raw_ostream &os, const Group &group);

} // namespace ccgraph

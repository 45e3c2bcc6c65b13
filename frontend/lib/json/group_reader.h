// Reads the `groups` object, which has the same form in graph files and group files.
//
//   "groups": {"0": {"ranks": [0, 1, 2, 3], "desc": "default_pg"},
//              "1": {"partition": [[0, 1], [2, 3]], "desc": "mesh_tp"}}
//
// Ranks are global, from 0 to 2^31 - 1, each once in a group; their order is the group's own. `desc`, `tag`, `backend`,
// `mesh`, `axis` and `assumed` are optional; other members are kept unchanged.
//
// Ownership: copies into the table. Failure: through the report, at the member that is wrong;
// groups after it are still read. Cost: linear in the ranks.
#pragma once

#include "ccgraph/ir/group_table.h"
#include "json/json_report.h"

namespace ccgraph {

/// Adds every valid group of `groups`; reports the errors of the others.
void readGroups(const JsonValue &groups, JsonReport &report, GroupTable &table);

} // namespace ccgraph

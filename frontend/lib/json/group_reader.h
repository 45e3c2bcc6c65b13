// The `groups` object, which graph files and group files share.
//
//   "groups": {"0": {"ranks": [0, 1, 2, 3], "desc": "default_pg"},
//              "1": {"partition": [[0, 1], [2, 3]], "desc": "mesh_tp"}}
#pragma once

#include "ccgraph/ir/group_table.h"
#include "json/json_report.h"

namespace ccgraph {

/// Adds every group that `groups` names; reports what is wrong with the others.
void readGroups(const JsonValue &groups, JsonReport &report, GroupTable &table);

} // namespace ccgraph

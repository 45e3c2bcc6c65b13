// Turns one entry of `steps` into a step of the plan.
//
//   {"name": "mm", "stream": 1, "waits": [0], "op": "aten.mm.default", "args": ["%0", "%1"],
//    "operands": ["b0 f32[2, 3][3, 1]cpu", "b1 f32[3, 2][2, 1]cpu"], "result": "b2 f32[2, 2][2, 1]cpu"}
//   {"name": "ar", "stream": 2, "records": 0, "calls": [{"kind": "all_reduce", "group": "tp", "reduce": "sum",
//    "rows": [["b2 f32[2, 2][2, 1]cpu", "b3 f32[2, 2][2, 1]cpu"]]}]}
//   {"name": "copy", "stream": 1, "from": "b3 f32[4][1]cpu", "to": "b4 f32[4][1]cpu"}
//
// Ownership: argument trees go into the plan's arena. Failure: through the report of the scope; reading continues with
// the next step. Cost: about a microsecond a step.
#pragma once

#include "plan/plan_scope.h"

namespace ccgraph {

/// Appends the step that `value` describes.
void readPlanStep(PlanScope &scope, const JsonValue &value);

} // namespace ccgraph

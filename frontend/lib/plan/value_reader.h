// Values of a plan: windows, numbers, lists, objects.
//
//   "b3 f32[4, 4][4, 1]cpu"        a tensor: it begins where buffer 3 does
//   "b3+16 bf16[8][1]cuda:0"       it begins 16 elements after that
//   "b3+(4*s0) f32[4][1]cpu"       the same by an expression
//   "n2"  "n2 Sym(u0)"             number 2; its name in the graph, where it has one
//   {"literal": 2.5}               a constant of the graph, as an argument that is not a list
//   [..]  {"object": "mesh"}       a list; an object that a graph only passes on
//   null                           nothing
//
// An operand is a value that is read. {"write": ..} holds one that is written, {"update": ..} one that is read and
// written, and {"sizes": ..} one of which only the sizes are read.
//
// Ownership: types and texts are the context's. Failure: through the report of the scope, with an empty result. Cost: a
// hash lookup a type; recursion is as deep as the nesting, which the parser bounds.
#pragma once

#include "plan/plan_scope.h"

namespace ccgraph {

[[nodiscard]] PlanValue readPlanValue(PlanScope &scope, const JsonValue &value);
[[nodiscard]] std::optional<PlanWindow> readWindow(PlanScope &scope, const JsonValue &value);
[[nodiscard]] PlanOperand readPlanOperand(PlanScope &scope, const JsonValue &value);

} // namespace ccgraph

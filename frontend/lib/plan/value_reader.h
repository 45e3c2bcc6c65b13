// Values of a plan: windows, numbers, lists, objects.
//
//   "b3 f32[4, 4][4, 1]cpu"        a tensor: it begins where buffer 3 does
//   "b3+16 bf16[8][1]cuda:0"       it begins 16 elements behind that
//   "b3+(4*s0) f32[4][1]cpu"       the same by an expression
//   "n2"  "n2 Sym(u0)"             number 2; what the program calls it, where it says so
//   {"literal": 2.5}               what the program spells out, as an argument that is no list
//   [..]  {"object": "mesh"}       a list; what a program only passes on
//   null                           nothing
//
// An operand is a value that is read; {"write": ..}, {"update": ..} and {"sizes": ..} hold one that is
// written, read and written, or of which only the sizes are looked at.
//
// Ownership: types and texts are the context's. Failure: through the report of the scope, with an empty result.
// Cost: a hash look-up a type; recursion is as deep as the nesting, which the parser bounds.
#pragma once

#include "plan/plan_scope.h"

namespace ccgraph {

[[nodiscard]] PlanValue readPlanValue(PlanScope &scope, const JsonValue &value);
[[nodiscard]] std::optional<PlanWindow> readWindow(PlanScope &scope, const JsonValue &value);
[[nodiscard]] PlanOperand readPlanOperand(PlanScope &scope, const JsonValue &value);

} // namespace ccgraph

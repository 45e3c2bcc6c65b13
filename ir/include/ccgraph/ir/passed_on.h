// Which operators return the very tensor that they are given, and no view of it, where they have nothing to do:
// contiguous() of what is contiguous, to() that changes nothing. A later change of the sizes of either name is then
// seen through both, where a view stays as it was made.
//
// Example: d = contiguous(c); t_(c); e = unbind(d) reads d as t_ left it. With d = view(c, ...) it reads d as it was
// made.
//
// Ownership: none. Failure: none. Cost: a look-up in a sorted table.
#pragma once

#include "ccgraph/ir/op_def.h"

namespace ccgraph {

/// Is the result, of type `to`, the operand itself? `from` is the type of the operand at the call; the call must
/// share its operand and not copy it.
[[nodiscard]] bool isPassedOn(const OpDef &op, const Type &from, const Type &to);

} // namespace ccgraph

// Finds operators that return their operand itself, and no view of it, if they have nothing to do: contiguous() of a
// contiguous tensor, to() without a change. A later change of sizes is then visible through both names, while a view
// keeps its sizes.
//
// Example: after d = contiguous(c); t_(c), e = unbind(d) reads d with the shape that t_ produced. With d = view(c, ...)
// it reads d with its original shape.
//
// Ownership: none. Failure: none. Cost: a look-up in a sorted table.
#pragma once

#include "ccgraph/ir/op_def.h"

namespace ccgraph {

/// Returns true if the result, of type `to`, is the operand itself. `from` is the type of the operand at the call; the
/// call must share its operand and not copy it.
[[nodiscard]] bool isPassedOn(const OpDef &op, const Type &from, const Type &to);

} // namespace ccgraph

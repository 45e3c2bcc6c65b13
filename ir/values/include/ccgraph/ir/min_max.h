// maximum() and minimum(): the larger and the smaller one of two sizes, written as sympy writes them.
//
//   maximum(u0, 3)  ->  Max(u0, 3)        minimum(s0, s1)  ->  Min(s0, s1)
//
// The operands keep their order, and nothing is simplified: maximum(3, 0) is "Max(3, 0)". atLeastOne() of symbol.h
// simplifies a maximum.
//
// Failure: none. Cost: linear in the texts.
#pragma once

#include "ccgraph/ir/symbol.h"

namespace ccgraph {

[[nodiscard]] Dim maximum(Context &context, const Dim &a, const Dim &b);
[[nodiscard]] Dim minimum(Context &context, const Dim &a, const Dim &b);

} // namespace ccgraph

// sympyText: converts the srepr() of a sympy expression to the text that sympy prints.
//
//   Add(Mul(Integer(2), Symbol('s17', positive=True, integer=True)), Symbol('u0', integer=True))  ->  2*s17 + u0
//
// Ownership: plain values. Failure: empty for a text that is not an srepr, or nests deeper than 200. Cost: linear.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace ccgraph {

[[nodiscard]] std::optional<std::string> sympyText(llvm::StringRef srepr);
/// Returns "s17" for Symbol('s17', ..); empty for any other expression.
[[nodiscard]] llvm::StringRef sympySymbol(llvm::StringRef srepr);

} // namespace ccgraph

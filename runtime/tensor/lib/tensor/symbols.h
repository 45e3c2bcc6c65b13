// Symbols: what the symbolic sizes of one rank's program have turned out to be.
//
// They are one rank's: u0 is whatever that rank's data says. A symbol gets its value from the first value whose type has it
// as its whole type, or as a whole size of a tensor; later values are held to it.
//
// Ownership: plain values. Failure: what is wrong is a text, for the rank to say where. Cost: a hash look-up for each symbolic
// size; static sizes are compared.
#pragma once

#include "ccgraph/ir/type.h"
#include "ccgraph/runtime/value.h"

#include "llvm/ADT/StringMap.h"

namespace ccgraph::runtime {

using Symbols = llvm::StringMap<int64_t>;

/// Holds a value to a type and learns symbols from it. Returns what is wrong, or "".
[[nodiscard]] std::string conform(const Type *type, const Value &value, Symbols &symbols);

/// Empty where it depends on an unknown symbol.
[[nodiscard]] std::optional<int64_t> valueOf(const SymExpr &expression, const Symbols &symbols);
/// The value of a size or stride, likewise.
[[nodiscard]] std::optional<int64_t> dimValue(const Dim &dim, const Symbols &symbols);

} // namespace ccgraph::runtime

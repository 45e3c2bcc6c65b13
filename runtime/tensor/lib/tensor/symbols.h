// Symbols: the values of the symbolic sizes of one rank's graph.
//
// They are local to one rank: u0 depends on that rank's data. A symbol gets its value from the first value whose type
// has it as its whole type, or as a whole size of a tensor; later values are checked against it.
//
// Ownership: plain values. Failure: a text; the rank adds the place. Cost: a hash lookup for each symbolic size; static
// sizes are compared.
#pragma once

#include "ccgraph/ir/type.h"
#include "ccgraph/runtime/value.h"

#include "llvm/ADT/StringMap.h"

namespace ccgraph::runtime {

using Symbols = llvm::StringMap<int64_t>;

/// Checks a value against a type and takes symbols from it. Returns the error, or "".
[[nodiscard]] std::string conform(const Type *type, const Value &value, Symbols &symbols);

/// Empty where it depends on an unknown symbol.
[[nodiscard]] std::optional<int64_t> valueOf(const SymExpr &expression, const Symbols &symbols);
/// The value of a size or stride, likewise.
[[nodiscard]] std::optional<int64_t> dimValue(const Dim &dim, const Symbols &symbols);

} // namespace ccgraph::runtime

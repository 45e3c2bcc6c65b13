// jsonSyntaxError: says where and why a text is no JSON.
//
// The parser that reads is made for speed and tells little of what it refuses; this one, nlohmann's,
// is asked only then. Only json_syntax.cpp knows nlohmann.
//
// Ownership: the error owns its words. Failure: that is its result; success where this parser finds nothing wrong.
// Cost: linear, about 15 ns a byte.
#pragma once

#include "ccgraph/frontend/source_text.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

/// The first place where the text is no JSON, with line, column and pointer.
[[nodiscard]] llvm::Error jsonSyntaxError(const SourceText &source);

} // namespace ccgraph

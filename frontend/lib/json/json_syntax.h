// jsonSyntaxError: reports where and why a text is not JSON.
//
// The main parser is fast and gives few details on errors. So after an error, nlohmann's parser reads the text again.
// Only json_syntax.cpp uses nlohmann.
//
// Ownership: the error owns its text. Failure: an error is the result; success where this parser finds no error. Cost:
// linear, about 15 ns a byte.
#pragma once

#include "ccgraph/frontend/source_text.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

/// Returns the first place where the text is not JSON, with line, column and pointer.
[[nodiscard]] llvm::Error jsonSyntaxError(const SourceText &source);

} // namespace ccgraph

// JSON durations: times of nodes from traces and artifacts of PyTorch. durations_file.h documents the formats.
//
// Ownership: a plain value. Failure: a text that is of neither kind or holds no times; a syntax error. Cost: linear.
#pragma once

#include "ccgraph/frontend/durations_file.h"

namespace ccgraph {

/// Returns true where the text starts as JSON does.
[[nodiscard]] bool looksLikeJson(llvm::StringRef text);
[[nodiscard]] llvm::Expected<Durations> readJsonDurations(const SourceText &source);

} // namespace ccgraph

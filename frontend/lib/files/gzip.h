// gzip, told by its two magic bytes. Several members in a row are one text, as gzip(1) has it.
#pragma once

#include "ccgraph/frontend/source_text.h"

#include "llvm/Support/Error.h"

#include <string>

namespace ccgraph {

[[nodiscard]] bool isGzip(llvm::StringRef bytes);

/// Error: where the stream breaks (offset into the compressed bytes), or more than maxInflatedBytes.
[[nodiscard]] llvm::Expected<std::string> inflateGzip(const SourceText &source);

} // namespace ccgraph

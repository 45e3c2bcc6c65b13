// gzip (RFC 1952), told by its two magic bytes. Several members in a row are one text, as gzip(1)
// has it; what follows the last of them is ignored, as gzip(1) does too.
//
// Ownership: the inflated text is the caller's; the compressed bytes are borrowed, for the call or for the life of a
// GzipReader. Failure: a DiagnosticError that says at which compressed byte the stream is cut off or broken.
// Cost: linear in the inflated size, which may be a thousand times the file's and is therefore
// bounded (mostInflatedBytes, files.h), give or take one step, which is no larger than what was read before it.
#pragma once

#include "ccgraph/frontend/source_text.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace ccgraph {

[[nodiscard]] bool isGzip(llvm::StringRef bytes);

/// Error: where the stream breaks (offset into the compressed bytes), or more than mostInflatedBytes.
[[nodiscard]] llvm::Expected<std::string> inflateGzip(const SourceText &source);

/// The same in pieces, for a text that need not be in memory as a whole.
class GzipReader {
public:
  /// `source.text` must outlive the reader.
  explicit GzipReader(SourceText source);
  ~GzipReader();
  GzipReader(GzipReader &&) noexcept;

  /// Fills the front of `into` with the bytes that come next, and says how many they are; 0 at the end.
  [[nodiscard]] llvm::Expected<size_t> read(llvm::MutableArrayRef<char> into);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ccgraph

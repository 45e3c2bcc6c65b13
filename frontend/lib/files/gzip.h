// gzip (RFC 1952), recognised by its two magic bytes. Several members in a row are one text, and bytes after the last
// member are ignored, both as in gzip(1).
//
// Ownership: the inflated text is the caller's; the compressed bytes are borrowed, for the call or for the life of a
// GzipReader. Failure: a DiagnosticError with the compressed byte at which the stream is truncated or damaged. Cost:
// linear in the inflated size. This may be a thousand times the size of the file, so it is bounded (mostInflatedBytes,
// files.h), up to one step, which is no larger than all that was read before it.
#pragma once

#include "ccgraph/frontend/source_text.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace ccgraph {

[[nodiscard]] bool isGzip(llvm::StringRef bytes);

/// Inflates a whole file. Fails where the stream is damaged (with the offset into the compressed bytes), or beyond
/// mostInflatedBytes.
[[nodiscard]] llvm::Expected<std::string> inflateGzip(const SourceText &source);

/// Inflates in pieces, for a text that need not be in memory as a whole.
class GzipReader {
public:
  /// `source.text` must outlive the reader.
  explicit GzipReader(SourceText source);
  ~GzipReader();
  GzipReader(GzipReader &&) noexcept;

  /// Fills the front of `into` with the next bytes and returns their number; 0 at the end.
  [[nodiscard]] llvm::Expected<size_t> read(llvm::MutableArrayRef<char> into);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ccgraph

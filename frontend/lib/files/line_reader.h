// LineReader: reads a file line by line, in memory that does not grow with the file.
//
// A log of a long job has hundreds of megabytes, of which a reader needs a few. So a file is read, and inflated if it
// is gzip, in pieces of a megabyte at most. A text that is in memory already (standard input) is not copied.
//
// Ownership: a line is valid until the next call. Failure: a file that does not open, or that breaks off (a damaged
// gzip stream); the lines before the damage are still returned. Cost: linear; memory of a piece and of the longest
// line, of which no more than `maxLine` bytes are kept.
#pragma once

#include "ccgraph/frontend/source_text.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <optional>

namespace ccgraph {

class LineReader {
public:
  /// Longest line in bytes; no line of a graph is longer. The rest of a longer line is dropped.
  static constexpr size_t maxLine = size_t(1) << 28;

  /// Opens a plain or gzipped file.
  [[nodiscard]] static llvm::Expected<LineReader> open(llvm::StringRef path);
  /// Reads a text that outlives the reader.
  explicit LineReader(SourceText text);
  ~LineReader();
  LineReader(LineReader &&) noexcept;

  /// Returns the next line without its end, "\n" or "\r\n"; nothing at the end of the file, or where it breaks off.
  [[nodiscard]] std::optional<llvm::StringRef> next();
  /// Returns the beginning of the file, a piece at most; next() still returns these lines. Only before the first
  /// next().
  [[nodiscard]] llvm::StringRef front();
  /// Returns the number of the last line from next(), from 1.
  [[nodiscard]] size_t number() const { return number_; }
  /// Returns whether that line was longer than maxLine.
  [[nodiscard]] bool wasCut() const { return cut_; }
  /// Returns the error that ended the file early; success where it was read to its end. Call once.
  [[nodiscard]] llvm::Error takeError();

private:
  struct Source;
  explicit LineReader(std::unique_ptr<Source> source);
  bool refill();
  llvm::StringRef lineOf(size_t length);

  std::unique_ptr<Source> source_;
  std::string buffer_;
  size_t at_ = 0;     ///< start of the next line in the buffer
  size_t seen_ = 0;   ///< up to here the buffer contains no line end
  size_t number_ = 0; ///< number of the line
  bool cut_ = false;
};

} // namespace ccgraph

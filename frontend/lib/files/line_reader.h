// LineReader: a file, line by line, in memory that does not grow with the file.
//
// A log of a long job has hundreds of megabytes, of which a reader wants a few. So a file is read, and inflated where it
// is gzip, in pieces of a megabyte at most; a text that is in memory already (standard input) is handed out as it is.
//
// Ownership: a line is valid until the next call. Failure: a file that does not open, or breaks off (a gzip stream that
// is damaged): the lines before that have been handed out. Cost: linear; memory of a piece and of the longest line, of
// which no more than `maxLine` bytes are kept.
#pragma once

#include "ccgraph/frontend/source_text.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <optional>

namespace ccgraph {

class LineReader {
public:
  /// No graph has a line that is longer; what follows in it is dropped.
  static constexpr size_t maxLine = size_t(1) << 28;

  /// Opens a plain or gzipped file.
  [[nodiscard]] static llvm::Expected<LineReader> open(llvm::StringRef path);
  /// Over a text that outlives the reader.
  explicit LineReader(SourceText text);
  ~LineReader();
  LineReader(LineReader &&) noexcept;

  /// The next line without its end, "\n" or "\r\n"; nothing at the end of the file, or where it breaks.
  [[nodiscard]] std::optional<llvm::StringRef> next();
  /// The beginning of the file, a piece at most, which next() gives all the same. Before the first next() only.
  [[nodiscard]] llvm::StringRef front();
  /// The number of the line that next() gave last, from 1.
  [[nodiscard]] size_t number() const { return number_; }
  /// Whether that line was longer than maxLine.
  [[nodiscard]] bool wasCut() const { return cut_; }
  /// What broke the file off; success where it was read to its end. Call once.
  [[nodiscard]] llvm::Error takeError();

private:
  struct Source;
  explicit LineReader(std::unique_ptr<Source> source);
  bool refill();
  llvm::StringRef lineOf(size_t length);

  std::unique_ptr<Source> source_;
  std::string buffer_;
  size_t at_ = 0;     ///< in the buffer: where the next line begins
  size_t seen_ = 0;   ///< in the buffer: up to here no line end was found
  size_t number_ = 0; ///< of the line
  bool cut_ = false;
};

} // namespace ccgraph

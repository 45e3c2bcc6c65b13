#include "files/line_reader.h"

#include "files/devices.h"
#include "files/gzip.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <limits>

namespace ccgraph {
namespace {

constexpr size_t largestPiece = size_t(1) << 20;
/// lower bound, also where a file has grown since it was opened
constexpr size_t smallestPiece = size_t(1) << 12;

llvm::Error openError(llvm::StringRef path, const std::error_code &code) {
  Diagnostic diagnostic;
  diagnostic.file = path.str();
  diagnostic.message = "cannot open: " + code.message();
  return makeError(std::move(diagnostic));
}

} // namespace

/// The origin of the bytes: a file, a gzip stream over the bytes of a file, or a text.
struct LineReader::Source {
  llvm::sys::fs::file_t file = llvm::sys::fs::kInvalidFile;
  std::string name;
  std::unique_ptr<llvm::MemoryBuffer> compressed;
  std::optional<GzipReader> gzip;
  llvm::StringRef text; ///< the unread rest of a text in memory
  /// unread bytes of a file, as far as known
  size_t expected = std::numeric_limits<size_t>::max();
  std::optional<llvm::Error> error;

  Source() = default;
  ~Source() {
    if (error)
      llvm::consumeError(std::move(*error));
    if (file != llvm::sys::fs::kInvalidFile)
      llvm::sys::fs::closeFile(file);
  }
  Source(const Source &) = delete;
  Source &operator=(const Source &) = delete;

  /// Returns the number of bytes to read next. Most files are small, and unused memory costs time too.
  [[nodiscard]] size_t piece() const {
    size_t left = gzip ? largestPiece : file != llvm::sys::fs::kInvalidFile ? expected : text.size();
    return std::clamp(left, smallestPiece, largestPiece);
  }

  llvm::Expected<size_t> read(llvm::MutableArrayRef<char> into) {
    if (gzip)
      return gzip->read(into);
    if (file != llvm::sys::fs::kInvalidFile) {
      llvm::Expected<size_t> count = llvm::sys::fs::readNativeFile(file, into);
      expected -= count ? std::min(expected, *count) : 0;
      return count;
    }
    size_t count = std::min(into.size(), text.size());
    std::copy_n(text.begin(), count, into.begin());
    text = text.drop_front(count);
    return count;
  }
};

LineReader::LineReader(std::unique_ptr<Source> source) : source_(std::move(source)) {}
LineReader::~LineReader() = default;
LineReader::LineReader(LineReader &&) noexcept = default;

LineReader::LineReader(SourceText text) : LineReader(std::make_unique<Source>()) {
  source_->name = text.name;
  source_->text = text.text;
}

// The compressed bytes are mapped: zlib requires all of them in memory, and they are few.
llvm::Expected<LineReader> LineReader::open(llvm::StringRef path) {
  auto source = std::make_unique<Source>();
  source->name = path.str();
  llvm::Expected<llvm::sys::fs::file_t> file = llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return openError(path, llvm::errorToErrorCode(file.takeError()));
  source->file = *file;
  if (isEndless(*file))
    return endlessError(path);
  // A pipe has no size.
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(*file, status) && status.type() == llvm::sys::fs::file_type::regular_file)
    source->expected = status.getSize();
  char magic[2] = {};
  llvm::Expected<size_t> length = llvm::sys::fs::readNativeFileSlice(*file, magic, 0);
  if (!length)
    return openError(path, llvm::errorToErrorCode(length.takeError()));
  if (isGzip(llvm::StringRef(magic, *length))) {
    auto mapped = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!mapped)
      return openError(path, mapped.getError());
    source->compressed = std::move(*mapped);
    source->gzip.emplace(SourceText{path.str(), source->compressed->getBuffer()});
  }
  return LineReader(std::move(source));
}

llvm::Error LineReader::takeError() {
  if (!source_->error)
    return llvm::Error::success();
  llvm::Error error = std::move(*source_->error);
  source_->error.reset();
  return error;
}

/// Reads more bytes and appends them to the unread ones; returns false at the end.
bool LineReader::refill() {
  if (source_->error) // Because what broke off once is not read on.
    return false;
  buffer_.erase(0, at_);
  seen_ -= at_;
  at_ = 0;
  // The dropped part of a long line is discarded before the end of the line is found.
  if (buffer_.size() > maxLine + largestPiece) {
    buffer_.resize(maxLine + largestPiece);
    seen_ = buffer_.size();
  }
  size_t used = buffer_.size(), piece = source_->piece();
  buffer_.resize(used + piece);
  llvm::Expected<size_t> count = source_->read({buffer_.data() + used, piece});
  buffer_.resize(used + (count ? *count : 0));
  if (count)
    return *count != 0;
  source_->error = count.takeError();
  return false;
}

llvm::StringRef LineReader::lineOf(size_t length) {
  llvm::StringRef line(buffer_.data() + at_, length);
  at_ = std::min(at_ + length + 1, buffer_.size());
  seen_ = at_;
  ++number_;
  cut_ = line.size() > maxLine;
  line.consume_back("\r");
  return line.take_front(maxLine);
}

llvm::StringRef LineReader::front() {
  refill();
  return buffer_;
}

std::optional<llvm::StringRef> LineReader::next() {
  while (true) {
    size_t end = llvm::StringRef(buffer_).find('\n', seen_);
    if (end != llvm::StringRef::npos)
      return lineOf(end - at_);
    seen_ = buffer_.size();
    if (refill())
      continue;
    if (at_ == buffer_.size())
      return std::nullopt;
    return lineOf(buffer_.size() - at_);
  }
}

} // namespace ccgraph

#include "files/gzip.h"

#include "ccgraph/frontend/files.h"

#include <algorithm>
#include <zlib.h>

namespace ccgraph {
namespace {

class Inflater {
public:
  explicit Inflater(const SourceText &source) : source_(source), left_(source.text) {
    // 15 bits of window, +16: a gzip header and trailer around the stream.
    ready_ = inflateInit2(&stream_, 15 + 16) == Z_OK;
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater &) = delete;
  Inflater &operator=(const Inflater &) = delete;

  llvm::Error run(std::string &out) {
    if (!ready_)
      return broken("zlib could not start");
    int state = Z_OK;
    while (state != Z_STREAM_END || restart()) {
      if (out.size() >= maxInflatedBytes)
        return broken("inflates to more than " + std::to_string(maxInflatedBytes) + " bytes");
      state = step(out);
      if (state != Z_OK && state != Z_STREAM_END)
        return broken(state == Z_BUF_ERROR ? "the gzip stream ends early" : "this is not a valid gzip stream");
    }
    return llvm::Error::success();
  }

private:
  /// Inflates into the room that is left, which doubles from 64 KiB to 64 MiB: a small file wastes little, and a large
  /// one is not moved often.
  int step(std::string &out) {
    // zlib counts in 32 bits; what is left of a larger input is fed in the next step.
    stream_.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(left_.data()));
    stream_.avail_in = static_cast<uInt>(std::min<size_t>(left_.size(), 1U << 30));
    size_t given = stream_.avail_in;
    size_t used = out.size();
    size_t room = std::clamp<size_t>(used, 1U << 16, 1U << 26);
    out.resize(used + room);
    stream_.next_out = reinterpret_cast<Bytef *>(out.data() + used);
    stream_.avail_out = static_cast<uInt>(room);
    int state = inflate(&stream_, Z_NO_FLUSH);
    out.resize(used + room - stream_.avail_out);
    left_ = left_.drop_front(given - stream_.avail_in);
    return state;
  }

  /// A gzip file may hold several streams, one after another, as `cat a.gz b.gz` makes them: their texts follow one
  /// another. Bytes after the last one that begin no stream are not read.
  bool restart() { return isGzip(left_) && inflateReset(&stream_) == Z_OK; }

  llvm::Error broken(const std::string &what) const {
    Diagnostic diagnostic;
    diagnostic.file = source_.name;
    diagnostic.message = what + ", at byte " + std::to_string(source_.text.size() - left_.size()) + " of it";
    diagnostic.notes.push_back("copy or compress the file again");
    return makeError(std::move(diagnostic));
  }

  const SourceText &source_;
  llvm::StringRef left_;
  z_stream stream_ = {};
  bool ready_ = false;
};

} // namespace

bool isGzip(llvm::StringRef bytes) { return bytes.startswith("\x1f\x8b"); }

llvm::Expected<std::string> inflateGzip(const SourceText &source) {
  std::string text;
  if (llvm::Error error = Inflater(source).run(text))
    return error;
  text.shrink_to_fit();
  return text;
}

} // namespace ccgraph

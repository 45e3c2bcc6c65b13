#include "files/gzip.h"

#include "ccgraph/frontend/files.h"

#include <algorithm>
#include <zlib.h>

namespace ccgraph {

struct GzipReader::State {
  explicit State(SourceText given) : source(std::move(given)), left(source.text) {
    // 15 bits of window, +16: a gzip header and trailer around the stream.
    ready = inflateInit2(&stream, 15 + 16) == Z_OK;
  }
  ~State() { inflateEnd(&stream); }
  State(const State &) = delete;
  State &operator=(const State &) = delete;

  /// Starts the next stream. A gzip file may hold several streams, one after another, as `cat a.gz b.gz` makes them;
  /// their texts are concatenated. Bytes after the last stream are not read.
  bool restart() { return isGzip(left) && inflateReset(&stream) == Z_OK; }

  llvm::Error broken(const std::string &what) const {
    Diagnostic diagnostic;
    diagnostic.file = source.name;
    diagnostic.message = what + ", at byte " + std::to_string(source.text.size() - left.size()) + " of it";
    diagnostic.notes.push_back("copy or compress the file again");
    return makeError(std::move(diagnostic));
  }

  [[nodiscard]] size_t limit() const { return mostInflatedBytes(source.text.size()); }
  llvm::Error tooLarge() const {
    Diagnostic diagnostic;
    diagnostic.file = source.name;
    diagnostic.message = "the gzip stream of " + std::to_string(source.text.size()) + " bytes inflates to more than " +
                         std::to_string(limit()) + ", expected at most 100 times its size";
    diagnostic.notes.push_back("if it is a graph all the same, inflate it (gunzip) and give that file");
    return makeError(std::move(diagnostic));
  }

  /// Calls inflate once and returns the number of bytes it wrote.
  size_t step(llvm::MutableArrayRef<char> into) {
    // zlib counts in 32 bits; the rest of a larger input is fed in the next step.
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(left.data()));
    stream.avail_in = static_cast<uInt>(std::min<size_t>(left.size(), 1U << 30));
    size_t given = stream.avail_in;
    auto room = static_cast<uInt>(std::min<size_t>(into.size(), 1U << 30));
    stream.next_out = reinterpret_cast<Bytef *>(into.data());
    stream.avail_out = room;
    code = inflate(&stream, Z_NO_FLUSH);
    left = left.drop_front(given - stream.avail_in);
    return room - stream.avail_out;
  }

  SourceText source;
  llvm::StringRef left;
  z_stream stream = {};
  bool ready = false;
  int code = Z_OK;  ///< result of the last step
  size_t total = 0; ///< bytes written
};

GzipReader::GzipReader(SourceText source) : state_(std::make_unique<State>(std::move(source))) {}
GzipReader::~GzipReader() = default;
GzipReader::GzipReader(GzipReader &&) noexcept = default;

llvm::Expected<size_t> GzipReader::read(llvm::MutableArrayRef<char> into) {
  State &state = *state_;
  if (!state.ready)
    return state.broken("zlib could not start");
  // A step may write nothing, as at the header of a stream; 0 bytes are returned at the end only.
  while (state.code != Z_STREAM_END || state.restart()) {
    size_t made = state.step(into);
    if (state.total + made > state.limit())
      return state.tooLarge();
    if (state.code != Z_OK && state.code != Z_STREAM_END && made == 0)
      return state.broken(state.code == Z_BUF_ERROR ? "the gzip stream ends early" : "this is not a valid gzip stream");
    state.total += made;
    if (made != 0)
      return made;
  }
  return 0;
}

bool isGzip(llvm::StringRef bytes) { return bytes.startswith("\x1f\x8b"); }

// The buffer doubles from 64 KiB to 64 MiB: a small file wastes little, and a large one is not moved often.
llvm::Expected<std::string> inflateGzip(const SourceText &source) {
  GzipReader reader(source);
  std::string text;
  while (true) {
    size_t used = text.size();
    size_t room = std::clamp<size_t>(used, 1U << 16, 1U << 26);
    text.resize(used + room);
    llvm::Expected<size_t> made = reader.read({text.data() + used, room});
    if (!made)
      return made.takeError();
    text.resize(used + *made);
    if (*made == 0)
      break;
  }
  text.shrink_to_fit();
  return text;
}

} // namespace ccgraph

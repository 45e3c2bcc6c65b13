// Footprint: for each byte, its last writer, the buffer under which it was written, and its readers since.
//
// Steps are entered in list order. Bytes of one history form a segment, and a write joins all segments that it covers
// into one, so that segments stay few: each access adds at most two. Only the last of several readers
// on one stream is kept, because the earlier ones have ended before it began: a step ordered after the last reader is
// ordered after all.
//
// Ownership: plain values; a segment passed to `visit` is valid only during the call. Failure: none. Cost: logarithmic
// in the segments of the space, and linear in those that an access covers.
#pragma once

#include "plan_verifier/plan_rules.h"

#include <limits>
#include <map>

namespace ccgraph::plan_verifier {

/// No step and no buffer.
inline constexpr uint32_t absent = std::numeric_limits<uint32_t>::max();
/// The writer of bytes that exist before the first step.
inline constexpr uint32_t theCaller = absent - 1;

struct Reader {
  StreamId stream = 0;
  uint32_t step = 0;
};

struct Segment {
  int64_t end = 0;
  /// a step, the caller, or `absent` for none
  uint32_t writer = absent;
  /// the buffer that the writer wrote; `absent` if nothing is written
  BufferId buffer = absent;
  llvm::SmallVector<Reader, 2> readers;
};

class Footprint {
public:
  using Visit = llvm::function_ref<void(ByteRange, const Segment &)>;

  explicit Footprint(size_t numSpaces);
  /// Calls `visit` with the segments in the stretch.
  void look(const Stretch &stretch, Visit visit);
  /// The same, and enters the reader.
  void read(const Stretch &stretch, Reader reader, Visit visit);
  /// Calls `visit` with the earlier segments in the stretch, and enters the writer.
  void write(const Stretch &stretch, uint32_t writer, BufferId buffer, Visit visit);

private:
  using Segments = std::map<int64_t, Segment>; ///< by first byte; together they cover the space

  /// Returns the segment that begins at `at`; splits one if necessary.
  static Segments::iterator splitAt(Segments &segments, int64_t at);

  std::vector<Segments> spaces_;
};

} // namespace ccgraph::plan_verifier

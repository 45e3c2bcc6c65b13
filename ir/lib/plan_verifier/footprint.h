// Footprint: for each byte, who wrote it last, under which buffer, and who has read it since.
//
// Steps are entered in the order of the list. Bytes of one history form a segment, and a write makes one segment of all
// that it covers, so that segments stay few: each access adds at most two. Of several readers on one stream only the last
// is kept, because the earlier ones have ended before it began: whoever is ordered after the last is so after all.
//
// Ownership: plain values; a segment that is shown dies with the call. Failure: none. Cost: logarithmic in the segments
// of the space, and linear in those that an access covers.
#pragma once

#include "plan_verifier/rules.h"

#include <limits>
#include <map>

namespace ccgraph::plan_verifier {

inline constexpr uint32_t nobody = std::numeric_limits<uint32_t>::max();
/// Wrote what was there before the first step.
inline constexpr uint32_t theCaller = nobody - 1;

struct Reader {
  StreamId stream = 0;
  uint32_t step = 0;
};

struct Segment {
  int64_t end = 0;
  /// a step, the caller, or nobody
  uint32_t writer = nobody;
  /// that the writer wrote to; nobody where nothing is written
  BufferId buffer = nobody;
  llvm::SmallVector<Reader, 2> readers;
};

class Footprint {
public:
  using Visit = llvm::function_ref<void(ByteRange, const Segment &)>;

  explicit Footprint(size_t numSpaces);
  /// Calls `visit` with what the stretch holds.
  void look(const Stretch &stretch, Visit visit);
  /// Likewise, and enters the reader.
  void read(const Stretch &stretch, Reader reader, Visit visit);
  /// Calls `visit` with what the stretch held, and enters the writer.
  void write(const Stretch &stretch, uint32_t writer, BufferId buffer, Visit visit);

private:
  using Segments = std::map<int64_t, Segment>; ///< by first byte; together they cover the space

  /// The segment that begins at `at`, which is made to if none does.
  static Segments::iterator splitAt(Segments &segments, int64_t at);

  std::vector<Segments> spaces_;
};

} // namespace ccgraph::plan_verifier

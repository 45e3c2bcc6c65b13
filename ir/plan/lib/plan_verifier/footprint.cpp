#include "plan_verifier/footprint.h"

namespace ccgraph::plan_verifier {

Footprint::Footprint(size_t numSpaces) : spaces_(numSpaces) {
  for (Segments &segments : spaces_)
    segments[0].end = std::numeric_limits<int64_t>::max();
}

Footprint::Segments::iterator Footprint::splitAt(Segments &segments, int64_t at) {
  auto found = std::prev(segments.upper_bound(at));
  if (found->first == at || at >= found->second.end)
    return found->first == at ? found : segments.end();
  Segment tail = found->second;
  found->second.end = at;
  return segments.emplace_hint(std::next(found), at, std::move(tail));
}

void Footprint::look(const Stretch &stretch, Visit visit) {
  if (stretch.empty())
    return;
  Segments &segments = spaces_[stretch.space];
  auto end = splitAt(segments, stretch.bytes.end);
  for (auto at = splitAt(segments, stretch.bytes.begin); at != end; ++at)
    visit({at->first, at->second.end}, at->second);
}

void Footprint::read(const Stretch &stretch, Reader reader, Visit visit) {
  if (stretch.empty())
    return;
  Segments &segments = spaces_[stretch.space];
  auto end = splitAt(segments, stretch.bytes.end);
  for (auto at = splitAt(segments, stretch.bytes.begin); at != end; ++at) {
    visit({at->first, at->second.end}, at->second);
    auto &readers = at->second.readers;
    auto *same = llvm::find_if(readers, [&](const Reader &other) { return other.stream == reader.stream; });
    if (same == readers.end())
      readers.push_back(reader);
    else
      same->step = reader.step;
  }
}

void Footprint::write(const Stretch &stretch, uint32_t writer, BufferId buffer, Visit visit) {
  if (stretch.empty())
    return;
  look(stretch, visit);
  Segments &segments = spaces_[stretch.space];
  auto begin = segments.find(stretch.bytes.begin);
  auto end = segments.lower_bound(stretch.bytes.end);
  segments.erase(std::next(begin), end);
  begin->second = {stretch.bytes.end, writer, buffer, {}};
}

} // namespace ccgraph::plan_verifier

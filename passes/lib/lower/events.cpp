#include "lower/program.h"

#include "ccgraph/ir/int_list.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <map>
#include <memory>

// Steps are visited in issue order. For each step, the earlier steps of other streams that conflict with it are found:
// one of the two writes bytes that the other accesses. The step has to wait for such an earlier step unless that step
// is already certain to have ended.
//
// This certainty is a vector clock: for each stream, the last step that has certainly ended before this step begins.
// The clock starts with the clock of the previous step on its stream, and that step itself. A wait for a step merges
// that step's clock. If the latest conflicting step is waited for first, its clock often covers the earlier ones; the
// reverse cannot occur. So the remaining waits are the fewest for this assignment to streams (the transitive reduction
// of the order; Fidge 1988 and Mattern 1989 for the clocks).
//
//   0 compute  a          1 comm  c = all_reduce(a)  waits for 0
//   2 compute  b = ..     3 comm  d = all_reduce(b)  waits for 2 (whose clock covers 0)
//   4 compute  use d      waits for 3                5 compute  use c: no wait, since 3 came after 1 on its stream
//
// Buffers that use the same bytes in turn conflict like accesses to one buffer: the first step of the later buffer must
// come after all steps of the earlier one. Numbers need no events: the host computes them, and steps that it issues
// afterwards begin afterwards.

namespace ccgraph::lower {
namespace {

using StepId = uint32_t;
constexpr StepId none = std::numeric_limits<StepId>::max();

/// By stream: one more than the last step that has certainly ended; 0 for none.
using Clock = std::vector<StepId>;
using ClockRef = std::shared_ptr<const Clock>;

struct Touch {
  StepId step = 0;
  ByteRange range;
};

bool isEmpty(const ByteRange &range) { return range.begin >= range.end; }
/// Returns true if the ranges overlap; an empty range overlaps nothing, wherever it begins.
bool overlap(const ByteRange &a, const ByteRange &b) {
  return a.begin < b.end && b.begin < a.end && !isEmpty(a) && !isEmpty(b);
}
bool covers(const ByteRange &a, const ByteRange &b) { return a.begin <= b.begin && b.end <= a.end; }

/// The accesses of one stream to one buffer, in order, as far as they may still conflict with later ones.
struct Touches {
  StreamId stream = 0;
  std::vector<Touch> reads;
  std::vector<Touch> writes;
};

/// An access by an earlier owner of this buffer's bytes.
struct Inherited {
  StreamId stream = 0;
  Touch touch;
};

/// The accesses to a buffer. Few streams access one buffer. Inherited accesses are dropped at the first write over
/// them, so they do not accumulate from one owner of the bytes to the next.
struct BufferHistory {
  llvm::SmallVector<Touches, 2> streams;
  std::vector<Inherited> inherited;
};

Touches &touchesOf(BufferHistory &history, StreamId stream) {
  for (Touches &touches : history.streams)
    if (touches.stream == stream)
      return touches;
  history.streams.push_back({stream, {}, {}});
  return history.streams.back();
}

StepId latestOverlap(llvm::ArrayRef<Touch> touches, const ByteRange &range) {
  for (const Touch &touch : llvm::reverse(touches))
    if (overlap(touch.range, range))
      return touch.step;
  return none;
}

constexpr ByteRange everything{0, std::numeric_limits<int64_t>::max()};

/// The last buffer that occupied each byte range of an arena.
class Occupants {
public:
  /// Assigns the buffer's bytes to it, and reports the buffers that occupied some of them before.
  void take(BufferId buffer, ByteRange range, llvm::function_ref<void(BufferId)> before) {
    if (range.begin == range.end)
      return;
    split(range.begin);
    split(range.end);
    auto first = pieces_.lower_bound(range.begin), last = pieces_.lower_bound(range.end);
    for (auto piece = first; piece != last; ++piece)
      before(piece->second.second);
    pieces_.erase(first, last);
    pieces_[range.begin] = {range.end, buffer};
  }

private:
  void split(int64_t at) {
    auto piece = pieces_.upper_bound(at);
    if (piece == pieces_.begin())
      return;
    --piece;
    auto [end, buffer] = piece->second;
    if (piece->first == at || end <= at)
      return;
    piece->second.first = at;
    pieces_[at] = {end, buffer};
  }
  /// by beginning: end and buffer
  std::map<int64_t, std::pair<int64_t, BufferId>> pieces_;
};

class EventMaker {
public:
  explicit EventMaker(Plan &plan)
      : plan_(plan), histories_(plan.buffers.size()), taken_(plan.buffers.size()), clocks_(plan.steps.size()),
        last_(plan.streams.size(), none), hostSeen_(plan.streams.size()),
        host_(std::make_shared<Clock>(plan.streams.size())) {}

  void run() {
    for (StepId step = 0; step < plan_.steps.size(); ++step)
      visit(step);
  }

private:
  [[nodiscard]] StreamId streamOf(StepId step) const { return plan_.steps[step].stream; }
  void visit(StepId step);
  void takePlace(BufferId buffer);
  void inherit(BufferId buffer, const ByteRange &taken, BufferId before);
  void dropImplied(std::vector<Inherited> &inherited) const;
  void findConflicts(StepId step, BufferId buffer, const ByteRange &range, bool writes);
  void record(StepId step, BufferId buffer, const ByteRange &range, bool writes);
  ClockRef knownBefore(StepId step);
  ClockRef waitForAll(StepId step, ClockRef known);
  /// Merges the clock that is valid once `step` has ended.
  void join(Clock &clock, StepId step) const;
  [[nodiscard]] ByteRange rangeOf(const PlanWindow &window) const;

  Plan &plan_;
  std::vector<BufferHistory> histories_;
  std::vector<bool> taken_;
  Occupants compute_, communication_;
  /// by step: its clock when it begins. Steps without waits share the clock of the previous step
  std::vector<ClockRef> clocks_;
  /// by stream: its last step, and the host's clock when that was issued
  std::vector<StepId> last_;
  std::vector<ClockRef> hostSeen_;
  /// the host's clock, which all steps that it issues inherit
  ClockRef host_;
  /// of the current step
  llvm::SmallVector<StepId, 8> conflicts_;
};

ByteRange EventMaker::rangeOf(const PlanWindow &window) const {
  // An unbacked size has no value here, so such a window may be all of its buffer.
  return bytesOf(window, symbolsOf(plan_.layout)).value_or(everything);
}

void EventMaker::join(Clock &clock, StepId step) const {
  const Clock &known = *clocks_[step];
  for (size_t i = 0; i < clock.size(); ++i)
    clock[i] = std::max(clock[i], known[i]);
  clock[streamOf(step)] = std::max(clock[streamOf(step)], step + 1);
}

/// Orders a buffer's first use after all uses of the bytes that it occupies: these become part of its own history.
void EventMaker::takePlace(BufferId buffer) {
  Home home = plan_.buffers[buffer].home;
  if (taken_[buffer] || (home != Home::Compute && home != Home::Communication))
    return;
  taken_[buffer] = true;
  auto bytes = plan_.buffers[buffer].bytes.evaluate(symbolsOf(plan_.layout));
  int64_t begin = plan_.layout.offsets[buffer];
  Occupants &arena = home == Home::Compute ? compute_ : communication_;
  ByteRange taken{begin, begin + bytes.value_or(0)};
  arena.take(buffer, taken, [&](BufferId before) { inherit(buffer, taken, before); });
  dropImplied(histories_[buffer].inherited);
}

/// Drops accesses that precede another access to the same bytes: a step that follows the later access also follows the
/// earlier one.
void EventMaker::dropImplied(std::vector<Inherited> &inherited) const {
  llvm::stable_sort(inherited, [](const Inherited &a, const Inherited &b) { return a.touch.step > b.touch.step; });
  std::vector<Inherited> kept;
  for (const Inherited &older : inherited) {
    auto implies = [&](const Inherited &later) {
      bool knows = later.stream == older.stream || (*clocks_[later.touch.step])[older.stream] > older.touch.step;
      return knows && covers(later.touch.range, older.touch.range);
    };
    if (llvm::none_of(kept, implies))
      kept.push_back(older);
  }
  inherited = std::move(kept);
}

/// Adds the accesses to an earlier buffer that overlap this buffer's bytes, in this buffer's byte offsets.
void EventMaker::inherit(BufferId buffer, const ByteRange &taken, BufferId before) {
  int64_t shift = plan_.layout.offsets[before] - taken.begin;
  std::vector<Inherited> &inherited = histories_[buffer].inherited;
  auto take = [&](StreamId stream, const Touch &touch) {
    ByteRange range{std::max<int64_t>(touch.range.begin + shift, 0),
                    std::min(touch.range.end + shift, taken.end - taken.begin)};
    if (!isEmpty(range))
      inherited.push_back({stream, {touch.step, range}});
  };
  for (const Touches &touches : histories_[before].streams)
    for (const auto *list : {&touches.reads, &touches.writes})
      for (const Touch &touch : *list)
        take(touches.stream, touch);
  for (const Inherited &older : histories_[before].inherited)
    take(older.stream, older.touch);
}

void EventMaker::findConflicts(StepId step, BufferId buffer, const ByteRange &range, bool writes) {
  for (const Inherited &inherited : histories_[buffer].inherited)
    if (inherited.stream != streamOf(step) && overlap(inherited.touch.range, range))
      conflicts_.push_back(inherited.touch.step);
  for (const Touches &touches : histories_[buffer].streams) {
    if (touches.stream == streamOf(step))
      continue;
    if (StepId write = latestOverlap(touches.writes, range); write != none)
      conflicts_.push_back(write);
    if (StepId read = writes ? latestOverlap(touches.reads, range) : none; read != none)
      conflicts_.push_back(read);
  }
}

void EventMaker::record(StepId step, BufferId buffer, const ByteRange &range, bool writes) {
  BufferHistory &history = histories_[buffer];
  auto known = [&](const Touch &touch) { return covers(range, touch.range); };
  // This step now follows all accesses that it conflicts with, so a later step that follows this one follows them too.
  if (writes) {
    llvm::erase_if(history.inherited, [&](const Inherited &inherited) { return known(inherited.touch); });
    for (Touches &touches : history.streams)
      if (touches.stream != streamOf(step)) {
        llvm::erase_if(touches.reads, known);
        llvm::erase_if(touches.writes, known);
      }
  }
  Touches &own = touchesOf(history, streamOf(step));
  std::vector<Touch> &list = writes ? own.writes : own.reads;
  // A later access of the same stream covers an earlier one of the same bytes.
  if (!list.empty() && covers(range, list.back().range))
    list.back() = {step, range};
  else
    list.push_back({step, range});
}

/// Returns the step's clock before its waits: the clock of the previous step on its stream, merged with the host's.
ClockRef EventMaker::knownBefore(StepId step) {
  StreamId stream = streamOf(step);
  StepId before = last_[stream];
  ClockRef known = before == none ? host_ : clocks_[before];
  if (known == host_ || hostSeen_[stream] == host_)
    return known;
  auto joined = std::make_shared<Clock>(*known);
  for (size_t i = 0; i < joined->size(); ++i)
    (*joined)[i] = std::max((*joined)[i], (*host_)[i]);
  return joined;
}

/// Waits for conflicting steps that the clock does not cover, and merges their clocks.
ClockRef EventMaker::waitForAll(StepId step, ClockRef known) {
  llvm::sort(conflicts_, std::greater<>());
  conflicts_.erase(std::unique(conflicts_.begin(), conflicts_.end()), conflicts_.end());
  std::shared_ptr<Clock> learnt;
  for (StepId before : conflicts_) {
    if ((learnt ? *learnt : *known)[streamOf(before)] > before)
      continue;
    PlanStep &producer = plan_.steps[before];
    if (!producer.event)
      producer.event = plan_.numEvents++;
    plan_.steps[step].waits.push_back(*producer.event);
    learnt = learnt ? learnt : std::make_shared<Clock>(*known);
    join(*learnt, before);
  }
  return learnt ? learnt : known;
}

void EventMaker::visit(StepId step) {
  conflicts_.clear();
  const PlanStep &planned = plan_.steps[step];
  forEachAccess(planned, [&](const PlanAccess &access) {
    if (!access.window)
      return;
    takePlace(access.window->buffer);
    findConflicts(step, access.window->buffer, rangeOf(*access.window), access.writes);
  });
  clocks_[step] = waitForAll(step, knownBefore(step));
  forEachAccess(planned, [&](const PlanAccess &access) {
    if (access.window)
      record(step, access.window->buffer, rangeOf(*access.window), access.writes);
  });
  last_[planned.stream] = step;
  hostSeen_[planned.stream] = host_;
  if (planned.stream != Plan::hostStream)
    return;
  auto known = std::make_shared<Clock>(*host_);
  join(*known, step);
  host_ = std::move(known);
}

} // namespace

void orderByEvents(Plan &plan) { EventMaker(plan).run(); }

} // namespace ccgraph::lower

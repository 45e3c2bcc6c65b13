#include "simulated/recorded_calls.h"

#include "ccgraph/ir/int_list.h"
#include "collectives/reduce_rows.h"
#include "device/run_on_host.h"

#include <cstring>

namespace ccgraph::runtime {

using llvm::raw_ostream;

RecordedCalls::~RecordedCalls() = default;

std::string RecordedCalls::errorText(int code) const {
  switch (static_cast<Code>(code)) {
  case Fine:
    return "no error";
  case Over:
    return failedJob_.empty() ? model_.ending().why : failedJob_;
  case OutOfMemory:
    return "the device has no more memory";
  case NotInGroup:
    return "a group ends that has not begun";
  case Isolation:
    return "a stream that is captured waits for an event that was recorded outside of the capture";
  case WhileCaptured:
    return "the call is not permitted while a stream is captured";
  case Unjoined:
    return "the capture ends while a stream that it has forked to has not been joined";
  case NotCaptured:
    return "a capture ends that has not begun on this stream";
  case NotTaken:
    return "a time is read that has not been measured";
  }
  return "unknown error " + std::to_string(code);
}

std::string RecordedCalls::ruleOf(int code) const {
  if (code != Over)
    return "run.nccl";
  return failedJob_.empty() ? model_.ending().rule : "run.kernel";
}

// --- Memory ---------------------------------------------------------------------------------------------------

int RecordedCalls::allocate(GpuPurpose purpose, int64_t bytes, std::byte *&memory) {
  if (capture_)
    return WhileCaptured;
  Arena arena(bytes, arenaAlignment);
  memory = arena.data();
  memory_[memory] = std::move(arena);
  record_.allocate(purpose, memory, bytes);
  return Fine;
}

int RecordedCalls::release(std::byte *memory) {
  if (capture_)
    return WhileCaptured;
  record_.add([&](raw_ostream &os) { os << "release " << record_.place(memory); });
  record_.release(memory);
  memory_.erase(memory);
  return Fine;
}

// --- Streams and events ---------------------------------------------------------------------------------------

int RecordedCalls::createStream(const std::string &name, GpuStream &stream) {
  auto made = std::make_unique<Stream>();
  made->name = name;
  made->number = streams_.size();
  stream.raw = reinterpret_cast<uintptr_t>(made.get());
  streams_.push_back(std::move(made));
  return Fine;
}

int RecordedCalls::destroyStream(GpuStream stream) {
  streamOf(stream).after.clear();
  return Fine;
}

int RecordedCalls::createEvent(const std::string &name, GpuEvent &event) {
  auto made = std::make_unique<Event>();
  made->name = name;
  event.raw = reinterpret_cast<uintptr_t>(made.get());
  events_.push_back(std::move(made));
  return Fine;
}

int RecordedCalls::destroyEvent(GpuEvent event) {
  eventOf(event).moment.clear();
  return Fine;
}

int RecordedCalls::record(GpuEvent event, GpuStream stream) {
  const Stream &on = streamOf(stream);
  Event &recorded = eventOf(event);
  recorded.captured = on.captured;
  recorded.capturedMoment = on.capturedAfter;
  recorded.moment = on.captured ? Moment() : on.after;
  record_.add([&](raw_ostream &os) { os << "record " << recorded.name << " on " << on.name; });
  return Fine;
}

int RecordedCalls::wait(GpuStream stream, GpuEvent event) {
  Stream &on = streamOf(stream);
  const Event &awaited = eventOf(event);
  record_.add([&](raw_ostream &os) { os << on.name << " waits for " << awaited.name; });
  if (on.captured && !awaited.captured)
    return Isolation;
  if (!awaited.captured) {
    on.after.insert(on.after.end(), awaited.moment.begin(), awaited.moment.end());
    return Fine;
  }
  if (!capture_)
    return Isolation;
  on.captured = true;
  on.capturedAfter.insert(on.capturedAfter.end(), awaited.capturedMoment.begin(), awaited.capturedMoment.end());
  return Fine;
}

int RecordedCalls::query(GpuEvent event, bool &ended) {
  const Event &awaited = eventOf(event);
  if (awaited.captured || capture_)
    return WhileCaptured;
  StreamModel::Answer answer = model_.await(rank_, awaited.moment);
  ended = answer == StreamModel::Answer::Ended;
  if (ended)
    record_.add([&](raw_ostream &os) { os << "the host has waited for " << awaited.name; });
  return answer == StreamModel::Answer::Over ? Over : Fine;
}

// --- Times ----------------------------------------------------------------------------------------------------

int RecordedCalls::takeTime(GpuEvent timer, GpuStream stream) {
  const Stream &on = streamOf(stream);
  Event &taken = eventOf(timer);
  record_.add([&](raw_ostream &os) { os << "take the time, " << taken.name << ", on " << on.name; });
  if (on.captured) {
    capture_->timers.push_back({&taken, on.capturedAfter});
    return Fine;
  }
  taken.moment = on.after;
  taken.askedAt = model_.now();
  return Fine;
}

std::optional<int64_t> RecordedCalls::timeOf(GpuEvent timer) const {
  const Event &taken = eventOf(timer);
  std::optional<int64_t> ended = model_.endOf(taken.moment);
  return taken.askedAt && ended ? std::optional(std::max(*taken.askedAt, *ended)) : std::nullopt;
}

int RecordedCalls::elapsed(GpuEvent from, GpuEvent to, int64_t &nanoseconds) {
  std::optional<int64_t> first = timeOf(from), second = timeOf(to);
  if (!first || !second)
    return NotTaken;
  nanoseconds = *second - *first;
  return Fine;
}

// --- Work -----------------------------------------------------------------------------------------------------

int RecordedCalls::enqueue(Stream &stream, std::function<bool()> work) {
  if (stream.captured) {
    capture_->nodes.push_back({stream.number, std::move(work), {}, stream.capturedAfter});
    stream.capturedAfter = {capture_->nodes.size() - 1};
    return Fine;
  }
  stream.after = {model_.addWork(rank_, stream.number, stream.after, std::move(work))};
  return Fine;
}

int RecordedCalls::copy(GpuCopy way, std::byte *to, const std::byte *from, int64_t bytes, GpuStream stream) {
  constexpr llvm::StringLiteral ways[] = {"to the device", "to the host", "on the device"};
  Stream &on = streamOf(stream);
  record_.add([&](raw_ostream &os) {
    os << "copy " << record_.place(from) << " -> " << record_.place(to) << ", " << bytes << " bytes "
       << ways[static_cast<size_t>(way)] << " on " << on.name;
  });
  return enqueue(on, [to, from, bytes] {
    if (bytes != 0)
      std::memmove(to, from, static_cast<size_t>(bytes));
    return true;
  });
}

/// Dimension by dimension, the last one innermost.
static void copyDimension(const GpuElements &elements, size_t dimension, const std::byte *from, std::byte *to) {
  if (dimension == elements.sizes.size()) {
    std::memcpy(to, from, static_cast<size_t>(elements.elementSize));
    return;
  }
  for (int64_t i = 0; i < elements.sizes[dimension]; ++i)
    copyDimension(elements, dimension + 1, from + i * elements.fromStrides[dimension] * elements.elementSize,
                  to + i * elements.toStrides[dimension] * elements.elementSize);
}

int RecordedCalls::copyElements(const GpuElements &elements, GpuStream stream) {
  Stream &on = streamOf(stream);
  record_.add([&](raw_ostream &os) {
    os << "copy " << record_.place(elements.from) << " -> " << record_.place(elements.to) << ", "
       << intListText(elements.sizes) << " elements of " << elements.elementSize << " bytes, strides "
       << intListText(elements.fromStrides) << " -> " << intListText(elements.toStrides) << ", on " << on.name;
  });
  return enqueue(on, [kept = elements, sizes = elements.sizes.vec(), fromStrides = elements.fromStrides.vec(),
                      toStrides = elements.toStrides.vec()]() mutable {
    kept.sizes = sizes;
    kept.fromStrides = fromStrides;
    kept.toStrides = toStrides;
    copyDimension(kept, 0, kept.from, kept.to);
    return true;
  });
}

int RecordedCalls::reduceRows(const GpuGathered &rows, GpuStream stream) {
  Stream &on = streamOf(stream);
  record_.add([&](raw_ostream &os) {
    os << "reduce " << rows.numRows << " rows " << reduceOpName(rows.op) << " " << shortName(rows.dtype) << "["
       << rows.elements << "], " << record_.place(rows.rows) << " -> " << record_.place(rows.to) << ", on " << on.name;
  });
  return enqueue(on, [rows] {
    std::vector<const std::byte *> from;
    for (int64_t row = 0; row < rows.numRows; ++row)
      from.push_back(rows.rows + row * rows.rowBytes);
    ccgraph::runtime::reduceRows({rows.op, rows.dtype, from, rows.to, rows.elements});
    return true;
  });
}

// Units of one job run in another order than those of the next, because a device promises none.
int RecordedCalls::compute(llvm::StringRef name, const device::Job &job, GpuStream stream) {
  Stream &on = streamOf(stream);
  record_.add([&](raw_ostream &os) {
    os << "compute " << name;
    device::Addresses addresses = device::addressesOf(job);
    for (const std::byte *from : addresses.reads)
      os << ", " << record_.place(from);
    for (const std::byte *to : addresses.writes)
      os << " -> " << record_.place(to);
    os << ", on " << on.name;
  });
  return enqueue(on, [this, name, job, order = jobs_++] {
    if (device::runOnHost(job, order))
      return true;
    failedJob_ = name.str() + ": got an index that is out of range";
    return false;
  });
}

int RecordedCalls::launch(std::shared_ptr<GpuWork> work, GpuStream stream) {
  Stream &on = streamOf(stream);
  record_.add([&](raw_ostream &os) { os << "launch " << work->name() << " on " << on.name; });
  return enqueue(on, [this, work = std::move(work)] {
    if (work->run())
      return true;
    failedJob_ = work->why();
    return false;
  });
}

} // namespace ccgraph::runtime

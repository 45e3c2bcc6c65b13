#include "recorded/recorded_calls.h"

#include "ccgraph/ir/dims.h"
#include "collectives/reduce_rows.h"
#include "device/run_on_host.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Twine.h"

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
    return "a time is asked for that has not been taken";
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
       << dimsText(elements.sizes) << " elements of " << elements.elementSize << " bytes, strides "
       << dimsText(elements.fromStrides) << " -> " << dimsText(elements.toStrides) << ", on " << on.name;
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

// --- Communicators --------------------------------------------------------------------------------------------

int RecordedCalls::makeJobId(GpuJobId &id) {
  id = {};
  return Fine;
}

int RecordedCalls::openComm(ModelComm *made, GpuComm &comm) {
  comm = {};
  if (!made)
    return Fine;
  auto member = static_cast<size_t>(llvm::find(made->members, rank_) - made->members.begin());
  comms_.push_back(std::make_unique<Comm>(Comm{made, member}));
  comm.raw = reinterpret_cast<uintptr_t>(comms_.back().get());
  return Fine;
}

int RecordedCalls::openJob(const GpuJobId &, int ranks, int rank, GpuComm &comm) {
  ModelComm *made = model_.split(nullptr, rank_, 0, rank);
  if (!made)
    return Over;
  record_.add(
      [&](raw_ostream &os) { os << "open the job of " << ranks << " ranks as rank " << rank << ": " << made->name(); });
  return openComm(made, comm);
}

int RecordedCalls::split(GpuComm parent, int color, int key, GpuComm &comm) {
  ModelComm *made = model_.split(commOf(parent).comm, rank_, color, key);
  if (!made && color != noColor)
    return Over;
  record_.add([&](raw_ostream &os) {
    os << "split " << commOf(parent).comm->name() << ", ";
    if (made)
      os << "color " << color << ", key " << key << ": " << made->name();
    else
      os << "no color";
  });
  return openComm(made, comm);
}

int RecordedCalls::placeIn(GpuComm comm, int &ranks, int &rank) {
  ranks = static_cast<int>(commOf(comm).comm->members.size());
  rank = static_cast<int>(commOf(comm).member);
  return Fine;
}

int RecordedCalls::closeComm(GpuComm comm) {
  record_.add([&](raw_ostream &os) { os << "close " << commOf(comm).comm->name(); });
  return Fine;
}

int RecordedCalls::abortComm(GpuComm comm) {
  record_.add([&](raw_ostream &os) { os << "abort " << commOf(comm).comm->name(); });
  model_.end({});
  return Fine;
}

int RecordedCalls::asyncError(GpuComm) { return Fine; }

int RecordedCalls::registerMemory(GpuComm comm, std::byte *memory, int64_t bytes, GpuRegistration &registration) {
  Comm &with = commOf(comm);
  record_.add([&](raw_ostream &os) {
    os << "register " << record_.place(memory) << ", " << bytes << " bytes with " << with.comm->name();
  });
  // Because other ranks' hosts look at what devices look at, while they wait in the model.
  registration.raw = reinterpret_cast<uintptr_t>(memory);
  model_.registerMemory(*with.comm, with.member, {memory, bytes});
  return Fine;
}

int RecordedCalls::deregister(GpuComm comm, GpuRegistration registration) {
  Comm &with = commOf(comm);
  auto *memory = reinterpret_cast<std::byte *>(registration.raw);
  record_.add([&](raw_ostream &os) { os << "deregister " << record_.place(memory) << " with " << with.comm->name(); });
  model_.deregister(*with.comm, with.member, memory);
  return Fine;
}

// --- Communication --------------------------------------------------------------------------------------------

int RecordedCalls::groupStart() {
  record_.add([](raw_ostream &os) { os << "begin a group"; });
  ++groups_;
  return Fine;
}

int RecordedCalls::groupEnd() {
  if (groups_ == 0)
    return NotInGroup;
  record_.add([](raw_ostream &os) { os << "end the group"; });
  if (--groups_ == 0)
    flushGroup();
  return Fine;
}

int RecordedCalls::add(RowCall call, GpuLane lane) {
  const Comm &comm = commOf(lane.comm);
  Stream &on = streamOf(lane.stream);
  call.comm = lane.comm;
  record_.add([&](raw_ostream &os) {
    os << textOf(call);
    if (call.row.send)
      os << ", " << record_.place(call.row.send);
    if (call.row.receive)
      os << " -> " << record_.place(call.row.receive);
    os << ", on " << comm.comm->name() << ", on " << on.name;
  });
  grouped_.push_back({&on, {comm.comm, comm.member, call, 0}});
  if (groups_ == 0)
    flushGroup();
  return Fine;
}

// A batch for each communicator, in the order of their numbers, which is the same on all ranks; all streams of a group wait for each
// other before it and after it.
void RecordedCalls::flushGroup() {
  std::vector<Grouped> members = std::move(grouped_);
  grouped_.clear();
  llvm::stable_sort(members,
                    [](const Grouped &a, const Grouped &b) { return a.part.comm->number < b.part.comm->number; });
  joinStreams(members);
  for (size_t begin = 0; begin < members.size();) {
    size_t end = begin;
    std::vector<CommPart> parts;
    for (; end < members.size() && members[end].part.comm == members[begin].part.comm; ++end)
      parts.push_back(std::move(members[end].part));
    Stream &stream = *members[begin].stream;
    enqueueBatch(stream, std::move(parts));
    for (const Grouped &other : members)
      if (other.stream != &stream)
        other.stream->after = stream.after;
    begin = end;
  }
}

/// Each of the streams comes after what any of them comes after.
void RecordedCalls::joinStreams(llvm::ArrayRef<Grouped> members) {
  llvm::SmallSetVector<Stream *, 4> streams;
  for (const Grouped &one : members)
    streams.insert(one.stream);
  if (streams.size() < 2)
    return;
  Moment all;
  for (const Stream *stream : streams)
    all.insert(all.end(), stream->after.begin(), stream->after.end());
  for (Stream *stream : streams)
    stream->after = all;
}

void RecordedCalls::enqueueBatch(Stream &stream, std::vector<CommPart> parts) {
  if (stream.captured) {
    capture_->nodes.push_back({stream.number, nullptr, std::move(parts), stream.capturedAfter});
    stream.capturedAfter = {capture_->nodes.size() - 1};
    return;
  }
  stream.after = {model_.addBatch(rank_, stream.number, stream.after, std::move(parts))};
}

int RecordedCalls::allReduce(const GpuRow &row, GpuReduction reduction, GpuLane lane) {
  return add({RowCall::Kind::AllReduce, lane.comm, row, reduction}, lane);
}
int RecordedCalls::reduceScatter(const GpuRow &row, GpuReduction reduction, GpuLane lane) {
  return add({RowCall::Kind::ReduceScatter, lane.comm, row, reduction}, lane);
}
int RecordedCalls::allGather(const GpuRow &row, GpuLane lane) {
  return add({RowCall::Kind::AllGather, lane.comm, row}, lane);
}
int RecordedCalls::broadcast(const GpuRow &row, int root, GpuLane lane) {
  return add({RowCall::Kind::Broadcast, lane.comm, row, {}, root}, lane);
}
int RecordedCalls::send(const GpuRow &row, int peer, GpuLane lane) {
  return add({RowCall::Kind::Send, lane.comm, row, {}, peer}, lane);
}
int RecordedCalls::receive(const GpuRow &row, int peer, GpuLane lane) {
  return add({RowCall::Kind::Receive, lane.comm, row, {}, peer}, lane);
}

// --- Capture --------------------------------------------------------------------------------------------------

int RecordedCalls::beginCapture(GpuStream stream) {
  if (capture_)
    return WhileCaptured;
  record_.add([&](raw_ostream &os) { os << "begin to capture " << streamOf(stream).name; });
  capture_ = std::make_unique<Graph>();
  captureOrigin_ = &streamOf(stream);
  captureOrigin_->captured = true;
  captureOrigin_->capturedAfter.clear();
  return Fine;
}

int RecordedCalls::isCaptured(GpuStream stream, bool &captured) {
  captured = streamOf(stream).captured;
  return Fine;
}

int RecordedCalls::endCapture(GpuStream stream, GpuGraph &graph) {
  if (!capture_ || captureOrigin_ != &streamOf(stream))
    return NotCaptured;
  record_.add([&](raw_ostream &os) { os << "end the capture, " << capture_->nodes.size() << " nodes"; });
  // What the origin comes after, directly or not.
  std::vector<bool> joined(capture_->nodes.size());
  std::vector<size_t> open = captureOrigin_->capturedAfter;
  while (!open.empty()) {
    size_t node = open.back();
    open.pop_back();
    if (joined[node])
      continue;
    joined[node] = true;
    llvm::append_range(open, capture_->nodes[node].after);
  }
  graphs_.push_back(std::move(capture_));
  graph.raw = reinterpret_cast<uintptr_t>(graphs_.back().get());
  for (const auto &one : streams_) {
    one->captured = false;
    one->capturedAfter.clear();
  }
  return llvm::is_contained(joined, false) ? Unjoined : Fine;
}

int RecordedCalls::launchGraph(GpuGraph graph, GpuStream stream) {
  Stream &on = streamOf(stream);
  const auto &launched = *reinterpret_cast<const Graph *>(graph.raw);
  record_.add([&](raw_ostream &os) { os << "launch the graph on " << on.name; });
  replay(launched, on);
  return Fine;
}

void RecordedCalls::replay(const Graph &graph, Stream &stream) {
  Moment nodes;
  auto momentOf = [&](const std::vector<size_t> &captured) {
    Moment moment = stream.after;
    for (size_t before : captured)
      moment.push_back(nodes[before]);
    return moment;
  };
  for (const Captured &captured : graph.nodes) {
    Moment after = momentOf(captured.after);
    nodes.push_back(captured.work ? model_.addWork(rank_, captured.stream, after, captured.work)
                                  : model_.addBatch(rank_, captured.stream, after, captured.parts));
  }
  for (const CapturedTimer &captured : graph.timers) {
    captured.timer->moment = momentOf(captured.after);
    captured.timer->askedAt = model_.now();
  }
  stream.after.insert(stream.after.end(), nodes.begin(), nodes.end());
}

int RecordedCalls::destroyGraph(GpuGraph) { return Fine; }

} // namespace ccgraph::runtime

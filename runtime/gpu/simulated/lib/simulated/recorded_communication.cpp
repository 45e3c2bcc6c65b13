// Communicators and what is sent over them, as recorded_calls.h has it.
#include "simulated/recorded_calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace ccgraph::runtime {

using llvm::raw_ostream;

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
  // The hosts of other ranks read the state that devices read, while they wait in the model.
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

int RecordedCalls::add(RowCall call, GpuCommStream on) {
  const Comm &comm = commOf(on.comm);
  Stream &stream = streamOf(on.stream);
  call.comm = on.comm;
  record_.add([&](raw_ostream &os) {
    os << textOf(call);
    if (call.row.send)
      os << ", " << record_.place(call.row.send);
    if (call.row.receive)
      os << " -> " << record_.place(call.row.receive);
    os << ", on " << comm.comm->name() << ", on " << stream.name;
  });
  grouped_.push_back({&stream, {comm.comm, comm.member, call, 0}});
  if (groups_ == 0)
    flushGroup();
  return Fine;
}

// Makes a batch for each communicator, in the order of their numbers, which is the same on all ranks. All streams of a
// group wait for each other before it and after it.
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

int RecordedCalls::allReduce(const GpuRow &row, GpuReduceOp reduction, GpuCommStream on) {
  return add({RowCall::Kind::AllReduce, on.comm, row, reduction}, on);
}
int RecordedCalls::reduceScatter(const GpuRow &row, GpuReduceOp reduction, GpuCommStream on) {
  return add({RowCall::Kind::ReduceScatter, on.comm, row, reduction}, on);
}
int RecordedCalls::allGather(const GpuRow &row, GpuCommStream on) {
  return add({RowCall::Kind::AllGather, on.comm, row}, on);
}
int RecordedCalls::broadcast(const GpuRow &row, int root, GpuCommStream on) {
  return add({RowCall::Kind::Broadcast, on.comm, row, {}, root}, on);
}
int RecordedCalls::send(const GpuRow &row, int peer, GpuCommStream on) {
  return add({RowCall::Kind::Send, on.comm, row, {}, peer}, on);
}
int RecordedCalls::receive(const GpuRow &row, int peer, GpuCommStream on) {
  return add({RowCall::Kind::Receive, on.comm, row, {}, peer}, on);
}

} // namespace ccgraph::runtime

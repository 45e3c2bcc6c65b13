#include "mpi/mpi_transport.h"

#include "collectives/agreement.h"
#include "collectives/reduce_rows.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <numeric>

namespace ccgraph::runtime {
namespace {

using llvm::Twine;

std::byte *dataOf(const Buffer &row) { return row.pieces().empty() ? nullptr : row.pieces().front().data(); }
int64_t elementSize(const Buffer &row) { return static_cast<int64_t>(sizeInBytes(row.dtype())); }
int64_t bytesOf(const Buffer &row) { return row.numElements() * elementSize(row); }

void copyBytes(std::byte *to, const std::byte *from, int64_t size) {
  if (size != 0 && to != from)
    std::memcpy(to, from, static_cast<size_t>(size));
}

/// `count` elements of each member, one member after the other, into one row.
void reduceStretch(const Launch &launch, size_t row, const std::byte *stretch, int64_t members, int64_t count,
                   std::byte *to) {
  DType dtype = launch.send[row].dtype();
  llvm::SmallVector<const std::byte *, 16> rows;
  for (int64_t member = 0; member < members; ++member)
    rows.push_back(stretch + member * count * static_cast<int64_t>(sizeInBytes(dtype)));
  if (count != 0)
    reduceRows({*launch.reduceOp, dtype, rows, to, count});
}

} // namespace

// --- Before a run -------------------------------------------------------------------------------------------

Transport::Ticket MpiTransport::enrol(const CallSeat &seat) {
  calls_.emplace_back();
  calls_.back().seat = seat;
  return calls_.size() - 1;
}

void MpiTransport::open(std::vector<MpiCommKey> communicators, Context &context) {
  context_ = &context;
  communicators_ = std::move(communicators);
  active_.resize(communicators_.size());
}

llvm::Error MpiTransport::open(const ProgramAgreement &agreement, Context &context) {
  open(agreement.communicators, context);
  for (size_t i = 0; i < calls_.size(); ++i)
    if (llvm::Error error = place(i, agreement.calls[i]))
      return error;
  return llvm::Error::success();
}

llvm::Error MpiTransport::place(Ticket ticket, const AgreedCall &agreed) {
  Call &call = calls_[ticket];
  call.agreed = agreed;
  call.comm = job_.communicator(agreed.comm);
  call.commIndex = static_cast<size_t>(llvm::lower_bound(communicators_, agreed.comm) - communicators_.begin());
  if (call.seat.tag >= 0 && call.seat.tag <= job_.largestTransferTag())
    return llvm::Error::success();
  return makeError(diagnose("run.collective", "rank " + std::to_string(job_.rank()) + ": got a transfer with tag " +
                                                  std::to_string(call.seat.tag) + ", expected 0 to " +
                                                  std::to_string(job_.largestTransferTag()) +
                                                  ", which is what MPI has"));
}

void MpiTransport::begin() {
  known_.clear();
  for (Call &call : calls_)
    call.launch = nullptr;
}

// --- One call -----------------------------------------------------------------------------------------------

llvm::Error MpiTransport::launch(Ticket ticket, const Launch &launch) {
  Call &call = calls_[ticket];
  call.launch = &launch;
  call.error = 0;
  splitRows(call);
  active_[call.commIndex].push_back(ticket);
  return post(call, call.agreed.compares ? Phase::Open : Phase::Move);
}

bool MpiTransport::isReady(Ticket ticket) {
  Call &call = calls_[ticket];
  while (call.next < call.open.size()) {
    Request &request = call.open[call.next];
    bool complete = false;
    MpiReceived received;
    call.error = job_.calls().test(request.mpi, complete, request.expected < 0 ? nullptr : &received);
    if (call.error != 0)
      return true;
    if (!complete)
      return false;
    if (request.expected >= 0 && received.bytes != request.expected)
      return true;
    call.from = received.from;
    ++call.next;
  }
  return isNextOnComm(ticket);
}

llvm::Expected<bool> MpiTransport::advance(Ticket ticket) {
  Call &call = calls_[ticket];
  if (call.error != 0)
    return wrong(call, call.error);
  if (call.next < call.open.size())
    return makeError(diagnoseCall(call.launch->call, "run.ranks-disagree",
                                  ("rank " + Twine(job_.rank()) + ": " + describe(*call.launch) + ": got fewer than " +
                                   Twine(call.open[call.next].expected) + " bytes from the other end")
                                      .str(),
                                  "the two ends of a transfer must agree on dtype and number of elements"));
  llvm::Expected<Phase> next = finish(call);
  if (!next)
    return next.takeError();
  if (*next != Phase::Done) {
    llvm::Error error = post(call, *next);
    return error ? llvm::Expected<bool>(std::move(error)) : false;
  }
  end(ticket);
  return true;
}

bool MpiTransport::isNextOnComm(Ticket ticket) const {
  const Call &call = calls_[ticket];
  bool last = call.phase == Phase::Share || (call.phase == Phase::Move && !call.hasShare);
  return last || active_[call.commIndex].front() == ticket;
}

void MpiTransport::end(Ticket ticket) {
  Call &call = calls_[ticket];
  for (Arena &stretch : call.scratch)
    scratch_.give(std::move(stretch));
  call.scratch.clear();
  call.open.clear();
  call.phase = Phase::Done;
  llvm::erase_value(active_[call.commIndex], ticket);
}

llvm::Error MpiTransport::wrong(const Call &call, int code) const {
  return makeError(diagnoseCall(
      call.launch->call, "run.mpi",
      ("rank " + Twine(job_.rank()) + ": " + describe(*call.launch) + ": MPI reports " + job_.calls().errorText(code))
          .str()));
}

// --- Its phases ---------------------------------------------------------------------------------------------

llvm::Error MpiTransport::post(Call &call, Phase phase) {
  call.phase = phase;
  call.open.clear();
  call.next = 0;
  int error = 0;
  switch (phase) {
  case Phase::Done:
    break;
  case Phase::Open:
    error = postOpening(call);
    break;
  case Phase::Compare:
    error = postCompare(call);
    break;
  case Phase::Move:
    if (!call.early.empty()) {
      call.open.swap(call.early);
      break;
    }
    if (call.seat.kind == CollectiveKind::Barrier)
      error = job_.calls().barrier(call.comm, add(call));
    for (size_t row = 0; row < call.rows() && error == 0; ++row)
      error = postMove(call, row);
    break;
  case Phase::Share:
    for (size_t row = 0; row < call.rows() && error == 0; ++row)
      error = postShare(call, row);
    break;
  }
  return error == 0 ? llvm::Error::success() : wrong(call, error);
}

llvm::Expected<MpiTransport::Phase> MpiTransport::finish(Call &call) {
  switch (call.phase) {
  case Phase::Open:
    return afterOpening(call);
  case Phase::Compare:
    return compare(call);
  case Phase::Move:
    for (size_t row = 0; row < call.rows() && call.launch->reduceOp; ++row)
      reduceRow(call, row);
    return call.hasShare ? Phase::Share : Phase::Done;
  case Phase::Share:
  case Phase::Done:
    return Phase::Done;
  }
  return Phase::Done;
}

MpiRequest &MpiTransport::add(Call &call, int64_t expected) {
  call.open.push_back({{}, expected});
  return call.open.back().mpi;
}

// --- Rows ---------------------------------------------------------------------------------------------------

MpiTransport::Split MpiTransport::splitOf(const Call &call, size_t row) {
  const Buffer &sent = call.launch->send[row];
  int64_t elements = sent.numElements();
  if (elements * elementSize(sent) * call.size() <= smallBytes || elements < call.size())
    return {true};
  return {false, elements / call.size(), elements % call.size()};
}

void MpiTransport::splitRows(Call &call) {
  if (call.seat.kind != CollectiveKind::AllReduce)
    return;
  call.splits.clear();
  for (size_t row = 0; row < call.rows(); ++row)
    call.splits.push_back(splitOf(call, row));
  call.hasShare = llvm::any_of(call.splits, [](const Split &split) { return !split.whole; });
}

int MpiTransport::postMove(Call &call, size_t row) {
  MpiCalls &mpi = job_.calls();
  const Buffer &sent = call.launch->send[row], &received = call.launch->receive[row];
  std::byte *from = dataOf(sent), *to = dataOf(received);
  auto member = static_cast<int64_t>(call.seat.member);
  auto root = static_cast<int>(call.launch->root);
  bool isRoot = member == root;
  switch (call.seat.kind) {
  case CollectiveKind::AllReduce:
    return postAllReduce(call, row);
  case CollectiveKind::ReduceScatter:
    call.scratch.push_back(scratch_.take(bytesOf(sent)));
    return mpi.allToAll(call.comm, from, call.scratch.back().data(), bytesOf(received), add(call));
  case CollectiveKind::AllGather:
    return mpi.allGather(call.comm, from == to + member * bytesOf(sent) ? nullptr : from, to, bytesOf(sent), add(call));
  case CollectiveKind::AllToAll:
  case CollectiveKind::ShardDimAllToAll:
    return postAllToAll(call, row);
  case CollectiveKind::Broadcast:
    if (isRoot)
      copyBytes(to, from, bytesOf(received));
    return mpi.broadcast(call.comm, to, bytesOf(received), root, add(call));
  case CollectiveKind::Scatter:
    return mpi.scatter(call.comm, from, isRoot && to == from + member * bytesOf(received) ? nullptr : to,
                       bytesOf(received), root, add(call));
  case CollectiveKind::Send:
    return mpi.send(call.comm, {from, bytesOf(sent), static_cast<int>(call.seat.peer), static_cast<int>(call.seat.tag)},
                    add(call));
  case CollectiveKind::Recv: {
    int peer = call.seat.peer == anyPeer ? MpiCalls::anyMember : static_cast<int>(call.seat.peer);
    return mpi.receive(call.comm, {to, bytesOf(received), peer, static_cast<int>(call.seat.tag)},
                       add(call, bytesOf(received)));
  }
  case CollectiveKind::BatchP2P:
  case CollectiveKind::Barrier:
    return 0;
  }
  return 0;
}

// The scratch holds n chunks, one of each member, then n rests; or n rows.
int MpiTransport::postAllReduce(Call &call, size_t row) {
  MpiCalls &mpi = job_.calls();
  const Buffer &sent = call.launch->send[row];
  const Split &split = call.splits[row];
  call.scratch.push_back(
      scratch_.take(bytesOf(sent) * (split.whole ? call.size() : 1) + split.rest * call.size() * elementSize(sent)));
  std::byte *stretch = call.scratch.back().data();
  if (split.whole)
    return mpi.allGather(call.comm, dataOf(sent), stretch, bytesOf(sent), add(call));
  int64_t chunk = split.chunk * elementSize(sent), chunks = chunk * call.size();
  if (int error = mpi.allToAll(call.comm, dataOf(sent), stretch, chunk, add(call)))
    return error;
  if (split.rest == 0)
    return 0;
  return mpi.allGather(call.comm, dataOf(sent) + chunks, stretch + chunks, split.rest * elementSize(sent), add(call));
}

int MpiTransport::postShare(Call &call, size_t row) {
  const Split &split = call.splits[row];
  if (split.whole)
    return 0;
  const Buffer &received = call.launch->receive[row];
  return job_.calls().allGather(call.comm, nullptr, dataOf(received), split.chunk * elementSize(received), add(call));
}

void MpiTransport::reduceRow(const Call &call, size_t row) {
  const Launch &launch = *call.launch;
  const Buffer &received = launch.receive[row];
  const std::byte *stretch = call.scratch[row].data();
  if (launch.kind == CollectiveKind::ReduceScatter)
    return reduceStretch(launch, row, stretch, call.size(), received.numElements(), dataOf(received));
  const Split &split = call.splits[row];
  if (split.whole)
    return reduceStretch(launch, row, stretch, call.size(), received.numElements(), dataOf(received));
  int64_t chunk = split.chunk * elementSize(received), chunks = chunk * call.size();
  reduceStretch(launch, row, stretch, call.size(), split.chunk,
                dataOf(received) + static_cast<int64_t>(call.seat.member) * chunk);
  reduceStretch(launch, row, stretch + chunks, call.size(), split.rest, dataOf(received) + chunks);
}

int MpiTransport::postAllToAll(Call &call, size_t row) {
  const Launch &launch = *call.launch;
  int64_t size = elementSize(launch.receive[row]);
  std::byte *to = dataOf(launch.receive[row]), *from = dataOf(launch.send[row]);
  for (size_t peer = 0; peer < call.seat.members.size(); ++peer) {
    int64_t bytes = launch.receiveCounts[peer] * size;
    if (bytes != 0 && peer != call.seat.member)
      if (int error = job_.calls().receive(call.comm, {to, bytes, static_cast<int>(peer), 0}, add(call, bytes)))
        return error;
    to += bytes;
  }
  for (size_t peer = 0; peer < call.seat.members.size(); ++peer) {
    int64_t bytes = launch.sendCounts[peer] * size;
    if (peer == call.seat.member)
      copyBytes(dataOf(launch.receive[row]) +
                    std::accumulate(launch.receiveCounts.begin(),
                                    launch.receiveCounts.begin() + static_cast<std::ptrdiff_t>(peer), int64_t{0}) *
                        size,
                from, bytes);
    else if (bytes != 0)
      if (int error = job_.calls().send(call.comm, {from, bytes, static_cast<int>(peer), 0}, add(call)))
        return error;
    from += bytes;
  }
  return 0;
}

// --- What a call waits for ------------------------------------------------------------------------------------

LaunchCounts MpiTransport::counts() const {
  LaunchCounts counts;
  for (const Call &call : calls_)
    if (call.launch && call.agreed.sequence != 0)
      counts[call.seat.members] = std::max(counts[call.seat.members], call.agreed.sequence);
  return counts;
}

std::string MpiTransport::waitText(Ticket ticket) const {
  const Call &call = calls_[ticket];
  std::string text = describe(*call.launch);
  if (call.agreed.sequence == 0)
    return text + ", tag " + std::to_string(call.seat.tag) +
           (call.seat.peer == anyPeer
                ? ", whose other end may be any rank of " + intListText(call.seat.members)
                : ", whose other end is rank " + std::to_string(call.seat.members[call.seat.peer]));
  text += " (collective " + std::to_string(call.agreed.sequence) + " on ranks " + intListText(call.seat.members) + ")";
  std::vector<int64_t> missing;
  for (int64_t member : call.seat.members) {
    if (known_.empty() || !known_[static_cast<size_t>(member)])
      continue;
    auto count = known_[static_cast<size_t>(member)]->find(call.seat.members);
    if (count == known_[static_cast<size_t>(member)]->end() || count->second < call.agreed.sequence)
      missing.push_back(member);
  }
  return missing.empty() ? text : text + ", which ranks " + intListText(missing) + " have not launched";
}

} // namespace ccgraph::runtime

// The openings of MpiTransport: launches that are compared as they meet.
#include "collectives/agreement.h"
#include "mpi/mpi_transport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace ccgraph::runtime {
namespace {

/// Of a message of an opening. A longer notice is gathered in one more round.
constexpr size_t openingBytes = 1024;

/// A notice begins with its length in bytes.
size_t lengthAt(const std::byte *notice) {
  int64_t length = 0;
  std::memcpy(&length, notice, sizeof(length));
  return static_cast<size_t>(length);
}

/// Without the facts that the place of the sender and the communicator imply, so that notices of equal launches are
/// equal.
CallNotice placelessNotice(const CallSeat &seat, const Launch &launch) {
  return noticeOf({{}, 0, seat.kind, seat.peer, seat.tag}, launch);
}

std::vector<std::byte> bytesOf(const CallNotice &notice) {
  ByteWriter to;
  to.bytes.reserve(openingBytes);
  to.number(0);
  write(to, notice);
  auto length = static_cast<int64_t>(to.bytes.size());
  std::memcpy(to.bytes.data(), &length, sizeof(length));
  return std::move(to.bytes);
}

/// For these, equal launches of all members agree; others must fit each other.
bool agreeWhereEqual(const Launch &launch) {
  return launch.sendCounts.empty() && launch.kind != CollectiveKind::Scatter;
}

} // namespace

// The row is sent to the other members before they have agreed to receive it. So it is sent from a copy: a call that
// fails leaves the memory of the caller alone.
int MpiTransport::postEarly(Call &call) {
  const Buffer &row = call.launch->send.front();
  const std::byte *data = row.pieces().front().data();
  auto size = static_cast<int64_t>(sizeInBytes(row.dtype())), bytes = row.numElements() * size;
  const Split &split = call.splits.front();
  int64_t part = split.whole ? bytes : split.chunk * size, step = split.whole ? 0 : part;
  auto own = static_cast<int64_t>(call.seat.member);
  call.scratch.push_back(scratch_.take(split.whole ? bytes * call.size() : bytes));
  // A whole row is a part itself, so its copy lies where the parts of all members lie.
  if (!split.whole)
    call.scratch.push_back(scratch_.take(bytes));
  std::byte *to = call.scratch.front().data(), *copy = split.whole ? to + own * part : call.scratch.back().data();
  if (bytes != 0)
    std::memcpy(copy, data, static_cast<size_t>(bytes));
  if (bytes != 0 && !split.whole)
    std::memcpy(to + own * part, copy + own * step, static_cast<size_t>(part));
  auto tag = static_cast<int>(job_.tagOfRows());
  auto receive = [&](int64_t peer) {
    call.early.push_back({{}, part});
    return job_.calls().receive(call.comm, {to + peer * part, part, static_cast<int>(peer), tag},
                                call.early.back().mpi);
  };
  auto send = [&](int64_t peer) {
    call.early.push_back({{}, -1});
    return job_.calls().send(call.comm, {copy + peer * step, part, static_cast<int>(peer), tag}, call.early.back().mpi);
  };
  int error = 0;
  for (int64_t peer = 0; peer < call.size() && error == 0; ++peer)
    error = peer == own ? 0 : send(peer);
  for (int64_t peer = 0; peer < call.size() && error == 0; ++peer)
    error = peer == own ? 0 : receive(peer);
  return error;
}

bool MpiTransport::movesEarly(const Call &call) {
  if (call.seat.kind != CollectiveKind::AllReduce || call.rows() != 1)
    return false;
  const Buffer &row = call.launch->send.front();
  return call.splits.front().rest == 0 && !row.pieces().empty() &&
         row.numElements() * static_cast<int64_t>(sizeInBytes(row.dtype())) <= earlyBytes;
}

int MpiTransport::postNotices(Call &call) {
  auto tag = static_cast<int>(job_.tagOfNotices());
  auto length = static_cast<int64_t>(std::min(call.notice.size(), openingBytes));
  int error = 0;
  for (size_t peer = 0; peer < call.seat.members.size() && error == 0; ++peer)
    if (peer != call.seat.member)
      error = job_.calls().send(call.comm, {call.notice.data(), length, static_cast<int>(peer), tag}, add(call));
  for (size_t peer = 0; peer < call.seat.members.size() && error == 0; ++peer)
    if (peer != call.seat.member)
      error = job_.calls().receive(
          call.comm,
          {call.notices.data() + peer * openingBytes, static_cast<int64_t>(openingBytes), static_cast<int>(peer), tag},
          add(call));
  return error;
}

void MpiTransport::writeNotice(Call &call) {
  call.noticed = placelessNotice(call.seat, *call.launch);
  call.notice = bytesOf(*call.noticed);
  call.noticeStride = openingBytes;
  call.notices.resize(openingBytes * call.seat.members.size());
  std::memcpy(call.notices.data() + call.seat.member * openingBytes, call.notice.data(),
              std::min(call.notice.size(), openingBytes));
}

// A program that repeats a call has its notice already.
int MpiTransport::postOpening(Call &call) {
  if (!call.noticed || !isNoticeOf(*call.noticed, *call.launch))
    writeNotice(call);
  if (int error = postNotices(call))
    return error;
  return movesEarly(call) ? postEarly(call) : 0;
}

llvm::Expected<MpiTransport::Phase> MpiTransport::afterOpening(Call &call) {
  for (size_t member = 0; member < call.seat.members.size(); ++member)
    if (lengthAt(call.notices.data() + member * openingBytes) > openingBytes)
      return Phase::Compare;
  return compare(call);
}

int MpiTransport::postCompare(Call &call) {
  size_t most = 0;
  for (size_t member = 0; member < call.seat.members.size(); ++member)
    most = std::max(most, lengthAt(call.notices.data() + member * openingBytes));
  call.noticeStride = most;
  // The next opening lays the notices out anew.
  call.noticed = std::nullopt;
  call.notice.resize(most);
  call.notices.resize(most * call.seat.members.size());
  return job_.calls().allGather(call.comm, call.notice.data(), call.notices.data(), static_cast<int64_t>(most),
                                add(call));
}

llvm::Expected<MpiTransport::Phase> MpiTransport::compare(Call &call) const {
  llvm::Error error = checkNotices(call);
  if (!error)
    return Phase::Move;
  // MPI may still write what others have sent early, and read what this rank has sent, so the memory is kept.
  job_.keep(std::make_shared<std::vector<Arena>>(std::move(call.scratch)));
  return error;
}

llvm::Error MpiTransport::checkNotices(const Call &call) const {
  auto at = [&](size_t member) {
    const std::byte *begin = call.notices.data() + member * call.noticeStride;
    return llvm::ArrayRef<std::byte>(begin, std::min(lengthAt(begin), call.noticeStride));
  };
  auto members = llvm::seq<size_t>(0, call.seat.members.size());
  if (agreeWhereEqual(*call.launch) && llvm::all_of(members, [&](size_t member) { return at(member) == at(0); }))
    return llvm::Error::success();
  std::vector<Launch> launches;
  for (size_t member : members) {
    ByteReader from(at(member));
    (void)from.number();
    launches.push_back(launchOf(readNotice(from), call.seat.members[member], *context_));
  }
  return checkMatch(launches, {call.seat.members, static_cast<size_t>(call.agreed.sequence)});
}

} // namespace ccgraph::runtime

#include "local/local_transport.h"

#include "local/movement.h"

namespace ccgraph::runtime {

LocalMatch &LocalMatches::enrol(const CallSeat &seat, int64_t rank) {
  Key key{seat.members};
  if (isPointToPoint(seat.kind)) {
    int64_t peer = seat.members[seat.peer];
    bool sends = seat.kind == CollectiveKind::Send;
    key.from = sends ? rank : peer;
    key.to = sends ? peer : rank;
    key.tag = seat.tag;
  }
  Place &place = places_[key];
  bool transfer = key.from >= 0;
  if (place.members.empty())
    place.members = transfer ? std::vector<int64_t>{key.from, key.to} : key.members;
  // A transfer to oneself has both ends on one rank, so each end is counted separately.
  size_t index = place.enrolled[transfer ? (seat.kind == CollectiveKind::Send ? 0 : 1) : rank]++;
  while (place.matches.size() <= index)
    place.matches.emplace_back(place.members, transfer ? 0 : place.matches.size() + 1);
  return place.matches[index];
}

void LocalMatches::reset() {
  for (auto &[key, place] : places_)
    for (LocalMatch &match : place.matches)
      match.reset();
}

void LocalTransport::begin(Watch &watch) {
  watch_ = &watch;
  for (Call &call : calls_)
    call.moved = false;
}

Transport::Ticket LocalTransport::enrol(const CallSeat &seat) {
  size_t member = !isPointToPoint(seat.kind) ? seat.member : seat.kind == CollectiveKind::Send ? 0 : 1;
  calls_.push_back({&matches_.enrol(seat, rank_), member});
  return calls_.size() - 1;
}

llvm::Error LocalTransport::launch(Ticket ticket, const Launch &launch) {
  Call &call = calls_[ticket];
  llvm::Expected<bool> last = call.match->arrive(call.member, launch);
  if (!last)
    return last.takeError();
  if (*last)
    watch_->tell();
  return llvm::Error::success();
}

bool LocalTransport::isReady(Ticket ticket) {
  const Call &call = calls_[ticket];
  return call.moved ? call.match->allDone() : call.match->allArrived();
}

llvm::Expected<bool> LocalTransport::advance(Ticket ticket) {
  Call &call = calls_[ticket];
  if (!call.moved) {
    moveRows(call.match->launches(), call.member);
    call.moved = true;
    if (call.match->finish())
      watch_->tell();
  }
  return call.match->allDone();
}

std::string LocalTransport::waitText(Ticket ticket) const { return calls_[ticket].match->waitText(); }

} // namespace ccgraph::runtime

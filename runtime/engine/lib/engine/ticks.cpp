#include "engine/ticks.h"

namespace ccgraph::runtime {
namespace {

int64_t *numbersOf(const Tensor &tensor) { return reinterpret_cast<int64_t *>(tensor.data()); }

Tensor numbers(size_t count) { return Tensor::zeros(DType::I64, {static_cast<int64_t>(count)}); }

/// Returns an empty launch of the same call.
Launch launchLike(const Launch &launch, CollectiveKind kind) {
  Launch made;
  made.call = launch.call;
  made.rank = launch.rank;
  made.kind = kind;
  made.position = launch.position;
  return made;
}

} // namespace

Tick::Tick(const CallSeat &seat, const Launch &launch) : own_(numbers(1)) {
  if (isPointToPoint(seat.kind)) {
    all_ = numbers(1);
    addTransfer(CollectiveKind::Send, seat, launch, own_);
    addTransfer(CollectiveKind::Recv, seat, launch, all_);
    return;
  }
  all_ = numbers(seat.members.size());
  Message message{seat, launchLike(launch, CollectiveKind::AllGather)};
  message.seat.kind = CollectiveKind::AllGather;
  message.launch.send = {Buffer(own_)};
  message.launch.receive = {Buffer(all_)};
  messages_.push_back(std::move(message));
}

void Tick::addTransfer(CollectiveKind kind, const CallSeat &seat, const Launch &launch, const Tensor &number) {
  Message message{seat, launchLike(launch, kind)};
  message.seat.kind = kind;
  // The sender's message goes in the direction of the transfer, the receiver's in the opposite one.
  message.seat.tag = 2 * seat.tag + (kind == seat.kind ? 0 : 1);
  message.launch.tag = message.seat.tag;
  bool sends = kind == CollectiveKind::Send;
  message.launch.send = {sends ? Buffer(number) : Buffer()};
  message.launch.receive = {sends ? Buffer() : Buffer(number)};
  messages_.push_back(std::move(message));
}

void Tick::setReady(int64_t time) const { *numbersOf(own_) = time; }

int64_t Tick::begin() const {
  int64_t latest = *numbersOf(own_);
  for (int64_t i = 0; i < all_.numElements(); ++i)
    latest = std::max(latest, numbersOf(all_)[i]);
  return latest;
}

} // namespace ccgraph::runtime

#include "mpi/control.h"

#include "rendezvous/bytes.h"

namespace ccgraph::runtime {

namespace {
/// Sender and kind, each a number.
constexpr size_t headerBytes = 2 * sizeof(int64_t);
} // namespace

int ControlChannel::open(MpiCalls &calls, MpiComm comm, int rank, int size) {
  calls_ = &calls;
  comm_ = comm;
  rank_ = rank;
  size_ = size;
  buffer_.resize(headerBytes + largestBody);
  return listen();
}

int ControlChannel::listen() {
  return calls_->receive(comm_, {buffer_.data(), static_cast<int64_t>(buffer_.size()), MpiCalls::anyMember, 0},
                         receiving_);
}

int ControlChannel::close() { return calls_->cancelReceive(receiving_); }

void ControlChannel::tellAll(int kind, std::vector<std::byte> body) {
  body.resize(std::min(body.size(), largestBody));
  ByteWriter message;
  message.number(rank_);
  message.number(kind);
  message.raw(body.data(), body.size());
  sent_.push_back(std::move(message.bytes));
  std::vector<std::byte> &kept = sent_.back();
  for (int peer = 0; peer < size_; ++peer) {
    MpiRequest request;
    // An error is no news: that the peer cannot be reached shows by its not answering.
    if (peer != rank_)
      (void)calls_->send(comm_, {kept.data(), static_cast<int64_t>(kept.size()), peer, 0}, request);
  }
}

int ControlChannel::poll() {
  bool complete = false;
  MpiReceived received;
  if (int error = calls_->test(receiving_, complete, &received))
    return error;
  if (!complete)
    return 0;
  ByteReader reader(llvm::makeArrayRef(buffer_).take_front(static_cast<size_t>(received.bytes)));
  Message message;
  message.from = static_cast<int>(reader.number());
  message.kind = static_cast<int>(reader.number());
  message.body.assign(buffer_.begin() + headerBytes, buffer_.begin() + received.bytes);
  inbox.push_back(std::move(message));
  return listen();
}

} // namespace ccgraph::runtime

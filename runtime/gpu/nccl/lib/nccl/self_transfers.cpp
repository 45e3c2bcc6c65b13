#include "nccl/self_transfers.h"

#include "engine/step_place.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {

static int64_t bytesOf(const Buffer &row) { return row.numElements() * static_cast<int64_t>(sizeInBytes(row.dtype())); }

int SelfTransfers::send(const Launch &launch, size_t comm, GpuStream stream) {
  OnTheWay &message = messages_[comm].emplace_back();
  const Buffer &row = launch.send.front();
  message.bytes = bytesOf(row);
  if (int code = calls_.allocate(GpuPurpose::Growing, message.bytes, message.memory))
    return code;
  if (int code = calls_.createEvent("sent to itself", message.sent))
    return code;
  if (int code = calls_.copy(GpuCopy::OnDevice, message.memory, row.pieces().front().data(), message.bytes, stream))
    return code;
  return calls_.record(message.sent, stream);
}

int SelfTransfers::receive(const Launch &launch, OnTheWay &message, GpuStream stream) {
  message.received = true;
  if (int code = calls_.wait(stream, message.sent))
    return code;
  const Buffer &row = launch.receive.front();
  return calls_.copy(GpuCopy::OnDevice, row.pieces().front().data(), message.memory, message.bytes, stream);
}

llvm::Error SelfTransfers::add(const Launch &launch, size_t comm, GpuStream stream) {
  StepPlace place{rank_, launch.call.name};
  int code = 0;
  if (launch.kind == CollectiveKind::Send) {
    code = send(launch, comm, stream);
  } else {
    auto &messages = messages_[comm];
    auto next = llvm::find_if(messages, [](const OnTheWay &message) { return !message.received; });
    if (next == messages.end())
      return place.error("run.collective", "receives from itself what it has not sent yet",
                         "put the send before the receive");
    if (next->bytes != bytesOf(launch.receive.front()))
      return place.error("run.collective", "receives " + std::to_string(bytesOf(launch.receive.front())) +
                                               " bytes from itself, and has sent " + std::to_string(next->bytes));
    code = receive(launch, *next, stream);
  }
  return code == 0 ? llvm::Error::success()
                   : place.error("run.nccl", "moving a row from itself to itself: " + calls_.errorText(code));
}

void SelfTransfers::clear() {
  for (auto &[comm, messages] : messages_)
    for (OnTheWay &message : messages) {
      if (message.memory)
        calls_.release(message.memory);
      calls_.destroyEvent(message.sent);
    }
  messages_.clear();
}

} // namespace ccgraph::runtime

// Ticks: the messages by which the members of a collective with simulated durations exchange the times at which each
// was ready.
//
// The tick of any collective is an all_gather of one number a member, on the same members and in the same order. The
// tick of a transfer is a number in each direction, because it begins when both ends are ready. With tag t of the
// graph, the numbers of the sender have tag 2t and those of the receiver 2t + 1, so each matches its own.
//
// Ownership: keeps the numbers; launches read them. Failure: none. Cost: a few bytes a member.
#pragma once

#include "engine/transport.h"

namespace ccgraph::runtime {

/// Of one call.
class Tick {
public:
  /// `seat` and `launch` are those of the call with a simulated duration.
  Tick(const CallSeat &seat, const Launch &launch);

  struct Message {
    CallSeat seat;
    Launch launch;
  };
  /// The messages that the rank enrols and launches in place of the call: one that it sends, and for a transfer one
  /// that it receives.
  [[nodiscard]] llvm::ArrayRef<Message> messages() const { return messages_; }
  /// Before they are launched: when this rank is ready, in picoseconds.
  void setReady(int64_t time) const;
  /// Once they are complete: when the last member was.
  [[nodiscard]] int64_t begin() const;

private:
  void addTransfer(CollectiveKind kind, const CallSeat &seat, const Launch &launch, const Tensor &number);

  Tensor own_;
  Tensor all_;
  llvm::SmallVector<Message, 2> messages_;
};

} // namespace ccgraph::runtime

// Transport: how the rows of collectives move between ranks. The half of an engine that depends on the place of the
// ranks.
//
// A rank has one. Before the first run it enrols every call of its plan, in the order of the list. Calls match in this
// order: the k-th collective of a group on one rank with the k-th on every other. A transfer matches the one of the
// same number between the same ends with the same tag. During a run, a call is launched, then advanced whenever it is
// ready until it is complete. Nothing here blocks, so a rank can continue its other streams.
//
// From launch() to completion the rows belong to the transport: no other code may access the receiving rows, or write
// the sending rows.
//
// Ownership: launches are borrowed until the end of the run. Failure: DiagnosticErrors of rules run.ranks-disagree and
// run.collective. Cost: enrol() allocates; the rest is that of the bytes moved.
#pragma once

#include "collectives/launch.h"

namespace ccgraph::runtime {

/// The key by which calls of several ranks match.
struct CallSeat {
  /// global ranks, in the group's order
  std::vector<int64_t> members;
  /// this rank's place among them
  size_t member = 0;
  CollectiveKind kind = CollectiveKind::AllReduce;
  /// transfers: the other end's place, and the tag
  size_t peer = 0;
  int64_t tag = 0;
};

/// Numbers the calls of a plan before the first run. An engine that enqueues calls needs no more; an engine that polls
/// them has a Transport.
class CallRegister {
public:
  /// The number of an enrolled call.
  using Ticket = size_t;

  virtual ~CallRegister() = default;
  [[nodiscard]] virtual Ticket enrol(const CallSeat &seat) = 0;
};

class Transport : public CallRegister {
public:
  [[nodiscard]] virtual llvm::Error launch(Ticket ticket, const Launch &launch) = 0;
  /// advance() has something to do.
  [[nodiscard]] virtual bool isReady(Ticket ticket) = 0;
  /// Does what can be done without waiting. True when the call is complete.
  [[nodiscard]] virtual llvm::Expected<bool> advance(Ticket ticket) = 0;
  /// Returns what a launched call waits for: "all_reduce `ar` (collective 1 on ranks [0, 1]), which ranks [1] have not
  /// launched".
  [[nodiscard]] virtual std::string waitText(Ticket ticket) const = 0;
};

} // namespace ccgraph::runtime

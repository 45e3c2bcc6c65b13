// CallNotice: the facts about a collective call that other processes need.
//
// From the notices of all ranks, each process decides before the first step whether their plans agree. Where sizes are
// known only at run time, it decides whether the matching launches agree.
//
// Ownership: plain values. Failure: decoding an incomplete notice yields its present part (ByteReader). Cost: linear in
// rows and members.
#pragma once

#include "engine/collective_call.h"
#include "rendezvous/bytes.h"

namespace ccgraph::runtime {

struct CallNotice {
  /// One side of a row; empty where nothing is sent, or received.
  struct Side {
    DType dtype = DType::F32;
    /// -1: known only while the program runs
    int64_t elements = 0;
    friend bool operator==(const Side &, const Side &) = default;
  };
  struct Row {
    std::optional<Side> send;
    std::optional<Side> receive;
  };
  std::string name;
  CallSeat seat;
  std::optional<ReduceOp> reduceOp;
  int64_t root = -1;
  /// Launch::position
  std::optional<size_t> position;
  /// which of the communicators of these members
  int64_t commNumber = 0;
  /// all sizes are known before the program runs
  bool fixed = true;
  std::vector<Row> rows;
  std::vector<int64_t> sendCounts;
  std::vector<int64_t> receiveCounts;
};

/// Returns the notice of a call at its launch.
[[nodiscard]] CallNotice noticeOf(const CallSeat &seat, const Launch &launch);
/// Returns whether the launch has this notice, if its seat is that of the notice.
[[nodiscard]] bool isNoticeOf(const CallNotice &notice, const Launch &launch);
/// Returns the notice of a call whose sizes the plan leaves open.
[[nodiscard]] CallNotice noticeOf(const CallSeat &seat, const Launch &launch, const PlanCollective &call);
void write(ByteWriter &to, const CallNotice &notice);
[[nodiscard]] CallNotice readNotice(ByteReader &from);

/// Returns the launch that a notice describes, without its elements, for the checks of agreement.h. Sizes must be
/// known.
[[nodiscard]] Launch launchOf(const CallNotice &notice, int64_t rank, Context &context);

} // namespace ccgraph::runtime

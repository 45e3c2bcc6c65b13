// CallNotice: what other processes must know of a collective call.
//
// From the notices of all ranks each process judges by itself whether their programs agree, before the first step; and where sizes
// are known only while the program runs, whether the launches that meet there do.
//
// Ownership: plain values. Failure: decoding what is not whole gives what there is (ByteReader). Cost: linear in rows and members.
#pragma once

#include "engine/collective_call.h"
#include "rendezvous/bytes.h"

namespace ccgraph::runtime {

struct CallNotice {
  /// What one side of a row is; empty where nothing is sent, or received.
  struct Side {
    DType dtype = DType::F32;
    /// -1: known only while the program runs
    int64_t elements = 0;
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
  int64_t lane = 0;
  /// all sizes are known before the program runs
  bool fixed = true;
  std::vector<Row> rows;
  std::vector<int64_t> sendCounts;
  std::vector<int64_t> receiveCounts;
};

/// Of the call as it is launched.
[[nodiscard]] CallNotice noticeOf(const CallSeat &seat, const Launch &launch);
/// Of a call whose sizes the plan leaves open.
[[nodiscard]] CallNotice noticeOf(const CallSeat &seat, const Launch &launch, const PlanCollective &call);
void write(ByteWriter &to, const CallNotice &notice);
[[nodiscard]] CallNotice readNotice(ByteReader &from);

/// The launch that a notice tells of, without its elements: what agreement.h can judge. Sizes must be known.
[[nodiscard]] Launch launchOf(const CallNotice &notice, int64_t rank, Context &context);

} // namespace ccgraph::runtime

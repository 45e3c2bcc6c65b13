// Do the processes of a job mean the same program? Asked before its first step, since MPI does not: where counts differ, one rank
// gets an error and another one a wrong result; where orders differ, all wait for ever.
//
// Each process tells all others its calls (call_notice.h), and judges all of them as the plan verifier judges the plans of several
// ranks (verifyAgreement). What is agreed on besides: a *lane*, which is a communicator for the collectives that one stream issues for
// one list of members, so that MPI, which goes by the order of issue, matches what belongs together; and which calls must compare
// their launches as they meet, because some member knows its sizes only then.
//
// Ownership: plain values. Failure: through MpiStandby; the result is then empty. Cost: a round of messages of about 200 bytes a call,
// and the judgement, linear in the calls of all ranks.
#pragma once

#include "engine/prepared_rank.h"
#include "mpi/call_notice.h"
#include "mpi/mpi_standby.h"

namespace ccgraph::runtime {

struct AgreedCall {
  LaneKey lane;
  /// from 1: which collective of its members this is; 0 for a transfer
  int64_t sequence = 0;
  /// Launches are compared when they meet.
  bool compares = false;
};

struct ProgramAgreement {
  /// of the whole job, sorted
  std::vector<LaneKey> lanes;
  /// of this rank, by ticket
  std::vector<AgreedCall> calls;
};

/// Lane of transfers.
inline constexpr int64_t transferLane = -1;

[[nodiscard]] std::optional<ProgramAgreement> agreeOnProgram(PreparedRank &rank, MpiStandby &standby);

} // namespace ccgraph::runtime

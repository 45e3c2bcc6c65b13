// Checks that the processes of a job run matching plans. It runs before the first step, since MPI has no such check:
// where counts differ, one rank gets an error and another one a wrong result; where orders differ, all wait without
// end.
//
// Each process sends its calls to all others (call_notice.h), and checks all of them as the plan verifier checks the
// plans of several ranks (verifyAgreement). The processes also agree on two other facts. One is the communicator for
// the collectives that one stream issues for one list of members, so that MPI, which matches by order of issue, matches
// the right calls. The other is the set of calls that must compare their launches at run time, because a member has
// unknown sizes before.
//
// Ownership: plain values. Failure: through MpiStandby; the result is then empty. Cost: a round of messages of about
// 200 bytes a call, and the check, linear in the calls of all ranks.
#pragma once

#include "engine/prepared_rank.h"
#include "mpi/call_notice.h"
#include "mpi/mpi_standby.h"

namespace ccgraph::runtime {

struct AgreedCall {
  MpiCommKey comm;
  /// from 1: which collective of its members this is; 0 for a transfer
  int64_t sequence = 0;
  /// Launches are compared when they match at run time.
  bool compares = false;
};

struct ProgramAgreement {
  /// of the whole job, sorted
  std::vector<MpiCommKey> communicators;
  /// of this rank, by ticket
  std::vector<AgreedCall> calls;
};

/// The communicator number of transfers.
inline constexpr int64_t transferComm = -1;

[[nodiscard]] std::optional<ProgramAgreement> agreeOnProgram(PreparedRank &rank, MpiStandby &standby);

} // namespace ccgraph::runtime

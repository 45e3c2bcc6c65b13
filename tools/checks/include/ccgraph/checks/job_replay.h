// replayJob: runs the communication of a job on the local engine, to confirm the verdicts of checkJob.
//
// The plans (ccgraph/jobs/replay_plans.h) let each rank go no further than a semantics does. A job with a deadlock must
// therefore end by run.deadlock, and any other job must end without an error. Each job runs several times: once in the
// order for speed, and in random orders. No order can change the result, because arrivals only grow; a run in which it
// differs is reported as an error.
//
// Ownership: plain values. Failure: a DiagnosticError of rule job.replay for a job of too many ranks, and for runs that
// differ from each other or from a verdict; errors of the engine. Cost: a thread for each rank, and some microseconds
// for each launch and order.
#pragma once

#include "ccgraph/jobs/check.h"

namespace ccgraph {

/// The most ranks of a job that is replayed.
inline constexpr size_t mostReplayedRanks = 256;

struct JobReplay {
  jobs::Semantics under = jobs::Semantics::Dataflow;
  /// the run has ended by run.deadlock
  bool deadlock = false;
  /// of a deadlock: what the ranks wait for, in the words of the engine
  std::string text;
};

/// Runs the job under each semantics.
[[nodiscard]] llvm::Expected<std::vector<JobReplay>> replayJob(const jobs::Job &job,
                                                               llvm::ArrayRef<jobs::Semantics> under);

/// Fails where a replay has ended in another way than the check says.
[[nodiscard]] llvm::Error compareReplays(const jobs::CheckResult &result, llvm::ArrayRef<JobReplay> replays);

} // namespace ccgraph

// rewriteJob: rewrites the graphs of all ranks of a job, and proves the rewritten job.
//
// Where ranks run different graphs, passes keep the order of collectives across groups, because another rank may keep
// its order and the ranks would wait for each other. A job that is given whole permits more: each graph is rewritten
// freely, and then the rewritten graphs are checked together. The new orders are kept only if all of these hold:
//
//   whole       every rank of every group has a graph, and nothing is assumed
//   agreed      the ranks of the job as given launch alike (no finding but a deadlock)
//   alike       the members of each group change its collectives alike: the k-th collective after is made from those at
//               the same places before, in the same order, on every member (Provenance::origins). So the k-th launches
//               of the members still belong together, also where several became one, and no value changes. Transfers
//               keep their order on each group. Names that may mean one group count as one
//   progress    under each semantics without a deadlock before, there is none after (ccgraph/jobs/check.h), and no rank
//               needs more resident communicators
//
// Otherwise each graph is rewritten with the order across groups kept, as for one rank alone, and `reason` states which
// condition failed. The legality checker has proved each graph by itself in both cases.
//
// Ownership: graphs live only while they are visited. Failure: errors of the readers, of the passes (runPipeline) and
// of the receiver. Cost: each graph is read and rewritten twice, or three times without a proof; one check of the job
// before and after. A few graphs are in memory at a time.
#pragma once

#include "ccgraph/jobs/semantics.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/toolkit/job_files.h"

#include <functional>

namespace ccgraph {

struct JobRewriteRequest {
  const JobDescription &job;
  const Pipeline &pipeline;
  /// what the user chose
  const PassManagerOptions &chosen;
  /// empty: the default machine
  const std::optional<Machine> &machine;
  /// number of ranks of a job whose one graph every rank runs; 0: what the graph states
  size_t ranks = 0;
};

/// Receives each rewritten graph, in the order of the job.
using JobGraphReceiver = std::function<llvm::Error(const JobGraph &from, const Graph &rewritten)>;

struct JobRewrite {
  size_t ranks = 0;
  size_t graphs = 0;
  /// how many graphs the passes have changed
  size_t changed = 0;
  /// why each rank keeps its order across groups; empty: the rewritten job was proved
  std::string reason;
  /// the semantics under which the rewritten job has no deadlock; of a proved job
  std::vector<jobs::Semantics> safe;
};

[[nodiscard]] llvm::Expected<JobRewrite> rewriteJob(const JobRewriteRequest &request, const JobGraphReceiver &receive,
                                                    Diagnostics &warnings);

} // namespace ccgraph

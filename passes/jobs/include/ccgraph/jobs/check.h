// checkJob: proves that the ranks of a job agree and that no rank waits for ever, or shows where they do not.
//
// **Match.** The k-th collectives of the members of a group are one collective, and the k-th send and receive of a
// channel (group, sender, receiver, tag) are one transfer. Each rule below compares what the ends state. Of a group
// only the first place is reported where the members' sequences differ, because pairing means nothing afterwards.
//
// **Progress.** Arrivals depend on completions and completions on arrivals, each on all members of a fixed set; nothing
// is chosen (no receive from any source) and nothing is undone. So the operator "arrive and complete what can" is
// monotone, and by the theorem of Knaster and Tarski it has one least fixpoint, which every speed of the ranks reaches.
// One simulation is therefore a proof. (MPI programs without wildcards are deterministic for the same reason: MPI
// standard, "Order" and "Progress" of point-to-point communication.) Two consequences save simulations: what must come
// first under dataflow also comes first under streams, then one-at-a-time, then blocking; and a job without a deadlock
// under blocking has none under any semantics.
//
// **Classes.** Ranks are divided into the coarsest classes such that two ranks of one class run one program and, for
// each group of the program, the members in order have the same classes (an equitable partition, as in the refinement
// of colors of graphs: Cardon and Crochemore 1982, Paige and Tarjan 1987). By induction over the steps of the fixpoint,
// ranks of one class arrive and complete alike, so one rank of each class is simulated.
//
// **Witness.** A deadlock is shown by a shortest circle of launches that have arrived: each waits for a rank that
// stands at the next one. Circles are searched among ranks, not classes, because a circle of classes need not close.
//
// **Repair.** The edit that a finding proposes has been tried: the edited job was matched and simulated, the finding is
// gone, and there is no new one. Tried are: the value of the majority; one launch more or less; the exchange of two
// launches; a launch before a wait; one batch of two transfers; the order of ranks of another member; a receive of what
// is sent.
//
// **Residency.** Kernels of a collective occupy their device until all members have launched, so a job may need the
// kernels of several communicators at once (NCCL user guide, "Using multiple NCCL communicators concurrently").
// CheckResult::resident has the number that the job needs under streams, and CheckOptions::mostResident makes a finding
// of a larger one. With an order in which all ranks issue their launches alike, one is enough.
//
// **Partial knowledge.** A rank without a graph is assumed to launch what its groups need. Members that state the same
// expression for a symbolic size agree; those that state different ones agree under a condition. `assumptions` lists
// such ranks and conditions. They also list equal collectives that members launch from exchanged source lines, because
// equal launches cannot be told apart and values would be wrong without an error. A finding is then still proved, and a
// verdict without findings holds under the assumptions.
//
// Ownership: plain values. Failure: none. Cost: O(n log n) in the sum of the group sizes for each round of the
// refinement (at most 64 rounds), then linear in the launches of one rank of each class; a search for a witness is
// linear in the ranks and groups for each rank that it starts at, and ends early at circles of two.
#pragma once

#include "ccgraph/jobs/job.h"
#include "ccgraph/jobs/semantics.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph::jobs {

enum class Rule : uint8_t {
  Members,     ///< members' tables order the ranks of the group differently
  Missing,     ///< members launch different numbers of collectives
  Kind,        ///< members launch another kind of collective at one place
  Reduction,   ///< ... another reduction
  DType,       ///< ... another dtype
  Count,       ///< ... another number of tensors or elements
  Root,        ///< ... another root
  Splits,      ///< a member sends another number of elements than the receiver expects
  P2PPartner,  ///< a send without a receive, or a receive without a send
  P2PSize,     ///< the ends of a transfer differ in elements or dtype
  Outside,     ///< a launch on a group that the rank is not in
  NeverWaited, ///< a launch that is neither waited for nor returned
  Deadlock,    ///< launches that wait for each other
  Resident,    ///< launches that wait for each other unless more communicators of a rank are resident than permitted
};
/// "members", ..., "p2p-partner", ..., "never-waited", "deadlock", "resident".
[[nodiscard]] llvm::StringRef ruleName(Rule rule);

struct FindingNode {
  int64_t rank = 0;
  /// name in the graph of the rank
  std::string node;
  /// "train.py:41 in step: loss = all_reduce(loss)"; empty if the graph does not state it
  std::string place;
  /// what the node launches, as far as the finding is about it: "sum"; of a deadlock: what the rank stands at
  std::string text;
  /// of a deadlock: the launch of this rank that the node before in the circle waits for, and that the rank issues only
  /// after it; the first node follows the last. Empty if the circle is one launch that no rank has.
  std::string awaited = "";
};

struct Finding {
  Rule rule = Rule::Deadlock;
  /// of a deadlock; of Rule::Resident: streams
  std::optional<Semantics> under;
  /// the ranks of the group, ascending; empty if the finding is not about one group
  std::vector<int64_t> group;
  /// the place in the sequence of the group or channel, from 1
  std::optional<size_t> sequence;
  /// ascending: the members that differ from what more than half of the members state, or all members that disagree
  std::vector<int64_t> culprits;
  /// the launches of the culprits at that place; of a deadlock: each launch waits for the rank of the next one
  std::vector<FindingNode> nodes;
  /// what the other members do at that place; one node stands for all ranks of `othersRanks`
  std::optional<FindingNode> others;
  std::vector<int64_t> othersRanks;
  /// an edit of the programs after which this finding is gone and no other has come: "on rank 1, launch all_reduce_2
  /// before all_reduce_1"; empty if no single edit of the tried kinds does it
  std::string repair;
};

struct CheckOptions {
  /// the semantics to check
  std::vector<Semantics> under{allSemantics.begin(), allSemantics.end()};
  /// how many edits are tried as repairs, in the order of the findings; each costs one more match and one simulation
  size_t mostTrials = 24;
  /// the most communicators of one rank that can be resident at once; 0: any number
  size_t mostResident = 0;
};

/// The launches of ranks in an order with which one resident communicator is enough.
struct LaunchOrder {
  /// ascending; all of them run one program
  std::vector<int64_t> ranks;
  /// names of nodes, in the order in which to issue them; each value is waited for where it is needed
  std::vector<std::string> launches;
  /// the first difference from the program: "all_reduce_2 before all_gather"
  std::string firstMove;
  /// it is the only one
  bool isOneMove = false;
};

/// The communicators that must be resident at once.
struct Residency {
  /// the least number for one rank with which the job has no deadlock under streams; empty if there is no such number,
  /// or if streams is not among the semantics to check
  std::optional<size_t> needed;
  /// If `needed` exceeds CheckOptions::mostResident: an order that was simulated with one resident communicator, for
  /// the ranks whose launches move; empty if there is none.
  std::vector<LaunchOrder> order;
};

struct SemanticsVerdict {
  Semantics under = Semantics::Dataflow;
  bool deadlock = false;
};

struct CheckResult {
  /// in the order of CheckOptions::under
  std::vector<SemanticsVerdict> verdicts;
  /// the worst first
  std::vector<Finding> findings;
  /// what the result holds under: "ranks 4-7, without graphs, are assumed to launch what their groups need"
  std::vector<std::string> assumptions;
  Residency resident;
  size_t ranks = 0;
  size_t programs = 0;
  size_t classes = 0;
};

/// Returns "rank 7", "ranks 0-6, 8", with at most ten items; `ranks` must be ascending.
[[nodiscard]] std::string spansText(llvm::ArrayRef<int64_t> ranks);

/// Checks the job. It can be called again with other options.
[[nodiscard]] CheckResult checkJob(const Job &job, const CheckOptions &options = {});

} // namespace ccgraph::jobs

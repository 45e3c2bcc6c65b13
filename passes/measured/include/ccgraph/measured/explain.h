// Explains the measured time of a step: what each rank spends it on, why each collective takes as long as it does, and
// what the step would gain if a cause were mended.
//
// All ranks leave a collective at nearly the same time, so the median difference of its ends on two ranks is the
// difference of their clocks, which is removed first. A collective's time is then divided at the arrival of its last
// rank: before it the other ranks wait, after it the data moves.
//
// Why a rank arrives last: its lateness at a node is the time by which it passes the node after the median of the other
// ranks. Going back from the arrival to the node where the lateness began, each node, each pause of the host and each
// stall adds the difference between its time on this rank and the median of the others. The largest of computation,
// host and stalls is the cause. If it is a stall, the cause of that collective is the cause.
//
// What a cause costs: the medians of all times are replayed as the ranks' programs order them (replay.h), once as
// measured, and once with the times of the cause replaced by those of the other ranks. The replay without a change
// shows how well this model fits.
//
// Computation slowed by overlap: a node that runs while data moves is compared with calls of the same operator and
// types on the same rank that run without. A node without such a call is not judged.
//
// Ownership: owns its texts. Failure: none; with one rank, or without common collectives, nothing waits and no clock is
// aligned. Cost: linear in steps, ranks and nodes, times the number of causes that are replayed.
#pragma once

#include "ccgraph/measured/match.h"
#include "ccgraph/measured/timeline.h"

namespace ccgraph::measured {

/// Why a rank is late.
struct Cause {
  enum class Kind : uint8_t {
    None,       ///< no rank is late
    Compute,    ///< a node takes longer than on the other ranks
    Host,       ///< the host pauses between nodes, or launches late
    Unmatched,  ///< an event that is no node of the graph
    Collective, ///< the rank stalls in a collective whose data moves slowly
  };
  Kind kind = Kind::None;
  int64_t rank = 0;
  std::string node;  ///< the node that is longest beyond the others, or before which the host pauses; the event
  std::string since; ///< the node at which the lateness began
  int64_t nanoseconds = 0;
  friend bool operator==(const Cause &, const Cause &) = default;
};
/// "compute", "host", ...
[[nodiscard]] llvm::StringRef causeKindName(Cause::Kind kind);

/// A collective on one set of ranks; medians over the steps, in nanoseconds.
struct CollectiveAccount {
  std::string node;
  CollectiveKind kind = CollectiveKind::AllReduce;
  std::optional<int64_t> bytes; ///< the larger of the bytes that a rank sends and receives
  std::vector<int64_t> members; ///< of the ranks with a trace
  int64_t waiting = 0;          ///< from the first rank's arrival to the last rank's
  int64_t transfer = 0;         ///< from the last rank's arrival to the end
  int64_t stallWaiting = 0;     ///< of the stall of the mean rank: before the last rank's arrival
  int64_t stallTransfer = 0;    ///< after it
  int64_t stallAfter = 0;       ///< after the end of the collective, until the program runs again
  int64_t lastRank = 0;         ///< the rank that most often arrives last
  size_t lastSteps = 0;         ///< in how many steps it does
  size_t steps = 0;
  Cause cause; ///< the most frequent cause in these steps, with its median time
};

/// What a rank spends a step on; the mean over the steps, in nanoseconds. The parts add up to `step`.
struct RankAccount {
  int64_t rank = 0;
  int64_t step = 0;
  int64_t compute = 0;
  int64_t stallWaiting = 0;
  int64_t stallTransfer = 0;
  int64_t host = 0;        ///< launches and pauses of the host, and stalls after the end of a collective
  int64_t unmatched = 0;   ///< events that are no node
  int64_t clockOffset = 0; ///< what was added to the times of the rank
};

/// A graph of the step.
struct GraphAccount {
  std::string label;     ///< empty if the job has one graph
  size_t executions = 0; ///< in a step
  int64_t time = 0;      ///< nanoseconds of all its executions in a step, mean over ranks and steps
  std::vector<std::pair<std::string, int64_t>> durations; ///< median nanoseconds of each node; a collective's transfer
};

/// What mending one cause would give.
struct Mend {
  std::string change;
  int64_t saved = 0; ///< nanoseconds of a step
};

struct MatchedShare {
  std::string name; ///< of a rule, or of an event that is not matched
  int64_t nanoseconds = 0;
};

struct JobExplanation {
  size_t steps = 0;
  bool onDevice = false;
  int64_t step = 0;                ///< nanoseconds of an execution of the graph, median over steps and ranks
  int64_t period = 0;              ///< nanoseconds from one step to the next, the median; `step` if there is one step
  int64_t replayed = 0;            ///< the period as the replay has it
  std::vector<MatchedShare> rules; ///< time of all ranks and steps by rule, longest first
  std::vector<MatchedShare> unmatched; ///< by event, longest first
  int64_t hostTime = 0;                ///< time of all ranks and steps in no event
  std::vector<RankAccount> ranks;
  std::vector<CollectiveAccount> collectives; ///< in the order of the program
  std::vector<Mend> mends;                    ///< largest first; those of at least a thousandth of the period
  int64_t slowedByOverlap = 0;                ///< of the mean rank in a step
  int64_t overlapped = 0;                     ///< computation of the mean rank that runs while data moves
  int64_t overlapJudged = 0;                  ///< of it, the part that could be compared
  std::vector<GraphAccount> graphs;           ///< those of the request
  JobTimeline timeline;                       ///< of a step that is like the median
  std::vector<std::string> notes;
  [[nodiscard]] int64_t matchedTime() const;
  [[nodiscard]] int64_t unmatchedTime() const;
};

[[nodiscard]] JobExplanation explainJob(const MatchedJob &job);

} // namespace ccgraph::measured

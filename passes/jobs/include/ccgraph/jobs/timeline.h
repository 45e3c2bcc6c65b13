// timelinesOf: how far ranks get under one semantics, launch by launch.
//
// Ownership: plain values. Failure: none; a rank without a graph has no timeline. Cost: one simulation (check.h), and
// the launches of the requested ranks.
#pragma once

#include "ccgraph/jobs/job.h"
#include "ccgraph/jobs/semantics.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph::jobs {

struct TimelineLaunch {
  std::string node;
  /// "train.py:41 in step: loss = all_reduce(loss)"; empty if the graph does not state it
  std::string place;
  /// "all_reduce sum f32[64]", "transfer"
  std::string text;
  /// the ranks of its group, ascending
  std::vector<int64_t> group;
  enum class State : uint8_t {
    Completed,
    /// it has arrived and never completes: the rank stands here
    Standing,
    /// it never arrives
    NotReached,
  };
  State state = State::NotReached;
  /// of a completed launch: a number that grows in the order of completion, the same at all members of a collective
  size_t completedAt = 0;
};

struct RankTimeline {
  int64_t rank = 0;
  /// in the order of the program
  std::vector<TimelineLaunch> launches;
};

[[nodiscard]] std::vector<RankTimeline> timelinesOf(const Job &job, Semantics under, llvm::ArrayRef<int64_t> ranks);

} // namespace ccgraph::jobs

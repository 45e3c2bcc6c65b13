// JobTimeline: one measured step of all ranks on one clock, as a picture shows it.
//
// A span is a part of the lane on which a rank's program computes. A stall at a wait is divided at the arrival of the
// last rank and at the end of the collective, as in the accounts of explain.h. Spans of one rank are in the order of
// time and do not overlap; spans without duration are left out.
//
// Ownership: owns its texts. Failure: none. Cost: linear in the events of one step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ccgraph::measured {

enum class SpanKind : uint8_t {
  Compute,   ///< a node
  LateRank,  ///< a stall until the last rank of a collective arrives
  Data,      ///< a stall after that, until the collective ends
  Host,      ///< a launch, a pause between nodes, or a stall after the end of a collective
  Unmatched, ///< a pause of which events that are no node take at least half
};

inline constexpr int32_t noName = -1;
inline constexpr int32_t noAccount = -1;

/// Times are nanoseconds since the first rank began the step.
struct TimelineSpan {
  SpanKind kind = SpanKind::Compute;
  int32_t name = noName; ///< index in JobTimeline::names: the nodes, or the longest event of an unmatched pause
  int64_t begin = 0;
  int64_t end = 0;
  int32_t account = noAccount; ///< of a stall: index of its collective in JobExplanation::collectives
};

/// A collective from the arrival of this rank to its end.
struct TimelineTransfer {
  int32_t account = noAccount; ///< index in JobExplanation::collectives; `noAccount` if not all members recorded it
  int32_t name = noName;
  int64_t begin = 0;
  int64_t lastArrival = 0; ///< `begin` if not all members recorded the collective
  int64_t end = 0;
  int64_t lastRank = 0; ///< of this step; meaningless without an account
};

struct RankTimeline {
  int64_t rank = 0;
  std::vector<TimelineSpan> lane;
  std::vector<TimelineTransfer> transfers; ///< by begin; those of several groups may overlap
};

struct JobTimeline {
  size_t step = 0; ///< the number of the step, from 0: that whose mean time over the ranks is nearest to the median
  int64_t duration = 0; ///< nanoseconds from the first begin to the last end
  std::vector<std::string> names;
  std::vector<RankTimeline> ranks; ///< ascending
};

} // namespace ccgraph::measured

// Problem: a program as the scheduler sees it: steps with times, edges and bytes, without a graph.
//
// Steps are numbered in program order. Time is modeled by streams: one for computation and one for each group, each in
// the order of issue. A launch starts when the compute stream has reached it and the earlier collectives of its group
// have ended. At a wait, the compute stream stalls until the collectives that it completes have ended. A launch of
// several members is one collective with all their bytes. On a machine with contention, collectives share links and
// slow computation down (stream_clock.h). replay() models this; planning (trial schedules, bounds) assumes a machine
// without contention, which is never slower.
//
// Ownership: plain values; `estimatedTime` may refer to the graph from which the problem was created.
// Failure: none; the creator ensures that edges go forward (from < to). Cost: that of its arrays.
#pragma once

#include "schedule/overlap/number_lists.h"

#include <functional>
#include <limits>

namespace ccgraph::overlap {

/// No step, no task, no bucket, no key.
inline constexpr uint32_t none = ~0U;
/// Picoseconds or bytes above any that occur, and safe for additions.
inline constexpr int64_t unlimited = std::numeric_limits<int64_t>::max() / 4;

/// Maximum members of a bucket: elements of a longer list cannot be distinguished (getItemIndex).
inline constexpr size_t mostMembers = 65536;

enum class StepKind : uint8_t {
  /// runs on the compute stream; includes steps that take no time but allocate
  Compute,
  /// starts a collective on the stream of its group
  Launch,
  /// stalls the compute stream until the collectives that it completes have ended
  Wait,
  /// takes no time and allocates nothing: a view
  Free,
};

struct Step {
  StepKind kind = StepKind::Compute;
  /// an input of the program: precedes all steps that are no inputs
  bool input = false;
  /// of a launch: keeps its position, because ranks or groups require it
  bool fixed = false;
  /// of a launch: it may run in pieces of any size, for bounds alone (cut_problem.h)
  bool cut = false;
  /// of a launch: its group
  uint32_t stream = 0;
  /// of a launch: launches of one key may be merged; none: it stays alone
  uint32_t mergeKey = none;
  int64_t picoseconds = 0;
  /// of a launch: the part of its time that is independent of bandwidth
  int64_t latency = 0;
  /// of a launch: the larger of what a rank sends and what it receives
  int64_t bytes = 0;
};

/// Memory that is live from the first step that holds it to the last.
struct Storage {
  int64_t bytes = 0;
  /// live before the first step
  bool fromStart = false;
  /// live after the last step
  bool toEnd = false;
};

/// Contention: how collectives slow each other and computation down; empty on a machine without contention.
struct Crowding {
  /// by stream: the link whose bandwidth it shares with the streams of the same number; none: it has its own link.
  /// Empty: every stream has its own.
  std::vector<uint32_t> linkOf;
  /// slowdown of computation while a collective runs
  int64_t slowdownPpm = 0;
  [[nodiscard]] bool empty() const { return linkOf.empty() && slowdownPpm == 0; }
};

struct Problem {
  std::vector<Step> steps;
  /// by step: the steps that must precede it, each once
  NumberLists before;
  /// by step: the launches that it completes; only for waits
  NumberLists completes;
  std::vector<Storage> storages;
  /// by step: the storages that it keeps alive, each once
  NumberLists holds;
  size_t streams = 0;
  Crowding crowding;
  /// Returns the picoseconds of one collective with this many bytes, of the kind and on the group of this launch.
  std::function<int64_t(uint32_t launch, int64_t bytes)> estimatedTime;
  /// Returns the bytes where the formula of that time changes, apart from powers of two
  /// (CostModel::collectivePieces()). Empty: there are none.
  std::function<std::vector<int64_t>(uint32_t launch)> timePieces;
};

/// An order of all steps of a problem, and the launches that are merged.
struct Schedule {
  std::vector<uint32_t> order;
  /// each of two or more launches, which are adjacent
  std::vector<std::vector<uint32_t>> buckets;
  /// as computed by replay()
  int64_t picoseconds = 0;
  int64_t peakBytes = 0;
};

} // namespace ccgraph::overlap

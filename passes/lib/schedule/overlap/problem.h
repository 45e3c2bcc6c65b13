// Problem: a program as its schedule sees it: steps with times, edges and bytes, and no graph.
//
// Steps are numbered in program order. The model of time is that of streams: one for computation and
// one for each group, each in the order of issue. A launch starts when computation has come to it and
// its group is done with what was issued before; at a wait, computation idles until the transfers that
// it completes are done. A launch of several members is one transfer of all their bytes. On a crowded machine transfers
// share links and slow computation down (stream_clock.h); replay() counts that, and what plans ahead (walks, bounds) takes
// the machine for a perfect one, which is never slower.
//
// Ownership: plain values; `estimatedTime` may refer to the graph that the problem was made of.
// Failure: none; whoever makes one keeps edges forward (from < to). Cost: that of its arrays.
#pragma once

#include "schedule/overlap/rows.h"

#include <functional>
#include <limits>

namespace ccgraph::overlap {

/// No step, no task, no bucket, no key.
inline constexpr uint32_t none = ~0U;
/// Picoseconds or bytes beyond any that occur, and safe to add to.
inline constexpr int64_t unlimited = std::numeric_limits<int64_t>::max() / 4;

/// Members of a bucket: of a longer list nobody tells the elements apart (getItemIndex).
inline constexpr size_t mostMembers = 65536;

enum class StepKind : uint8_t {
  /// runs on the compute stream; what takes no time but allocates is one too
  Compute,
  /// starts a transfer on the stream of its group
  Launch,
  /// computation idles until the transfers that it completes are done
  Wait,
  /// takes no time and allocates nothing: a view
  Free,
};

struct Step {
  StepKind kind = StepKind::Compute;
  /// an input of the program: stands before all that is none
  bool input = false;
  /// of a launch: goes where it stands, because ranks or groups bind it to its place
  bool fixed = false;
  /// of a launch: its group
  uint32_t stream = 0;
  /// of a launch: those of one key may become one; none: it stays alone
  uint32_t mergeKey = none;
  int64_t picoseconds = 0;
  /// of a launch: what of that no bandwidth decides
  int64_t latency = 0;
  /// of a launch: the larger of what a rank sends and what it receives
  int64_t bytes = 0;
};

/// Memory that lives from the first step that holds it to the last.
struct Storage {
  int64_t bytes = 0;
  /// alive before the first step
  bool fromStart = false;
  /// alive after the last
  bool toEnd = false;
};

/// What transfers do to one another, and to computation meanwhile; empty on a perfect machine.
struct Crowding {
  /// by stream: the link whose bandwidth it shares with the others of that number; none: it has one of its own. Empty:
  /// all have.
  std::vector<uint32_t> linkOf;
  /// computation takes so much longer while a transfer runs
  int64_t slowdownPpm = 0;
  [[nodiscard]] bool empty() const { return linkOf.empty() && slowdownPpm == 0; }
};

struct Problem {
  std::vector<Step> steps;
  /// by step: what must stand before it, each once
  Rows before;
  /// by step: the launches that it completes; of waits alone
  Rows completes;
  std::vector<Storage> storages;
  /// by step: the storages that it keeps alive, each once
  Rows holds;
  size_t streams = 0;
  Crowding crowding;
  /// Picoseconds of one transfer of so many bytes, of the kind and on the group of this launch.
  std::function<int64_t(uint32_t launch, int64_t bytes)> estimatedTime;
};

/// An order of all steps of a problem, and which launches are one.
struct Schedule {
  std::vector<uint32_t> order;
  /// each of two or more launches, which stand next to each other
  std::vector<std::vector<uint32_t>> buckets;
  /// as replay() finds them
  int64_t picoseconds = 0;
  int64_t peakBytes = 0;
};

} // namespace ccgraph::overlap

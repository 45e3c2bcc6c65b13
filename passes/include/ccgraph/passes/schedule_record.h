// ScheduleRecord: the predicted execution of a graph as plain records: when each node runs, what it waits for, how much
// memory is live, and its source location in the user's program.
//
// Traces, reports and comparisons are made from it. Times are those of predictTimeline (timeline.h), for every node
// instead of collectives alone. Memory is that of ccgraph/ir/lifetimes.h. So the sums agree, to the picosecond and the
// byte.
//
//   node         role      begin            end
//   mm           compute   when it starts   when it has ended
//   all_gather   launch    when issued      the same; its transfer is a RecordedTransfer
//   wait_tensor  wait      when reached     when computation continues; the compute stream stalls between the two
//   view         free      when reached     the same
//
// Ownership: plain values, names and no nodes, so that a record outlives edits of its graph. Failure: none. Cost:
// linear in nodes and edges; about 150 bytes a node.
#pragma once

#include "ccgraph/passes/cost.h"

#include <algorithm>

namespace ccgraph {

enum class StepRole : uint8_t { Compute, Launch, Wait, Free };

/// The source location of nodes in the user's program; empty texts and 0 where the graph does not record it.
struct RecordedPlace {
  std::string file;
  int64_t line = 0;
  /// the source line
  std::string code;
  /// "layers.0.attention"
  std::string module;
};

struct RecordedStep {
  /// name of the node
  std::string node;
  /// "aten.mm.default"
  std::string operation;
  StepRole role = StepRole::Compute;
  TimeSource source = TimeSource::Free;
  /// index in ScheduleRecord::places
  uint32_t place = 0;
  /// picoseconds from the start of the program
  int64_t begin = 0;
  int64_t end = 0;
  /// live bytes while the node runs
  int64_t alive = 0;
};

/// The index that means "no step".
inline constexpr uint32_t noStep = ~0U;

/// The collective or transfer that one launch starts.
struct RecordedTransfer {
  /// indices in ScheduleRecord::steps; `wait` is the first wait that completes it, `use` the first node that reads its
  /// result, except views and waits
  uint32_t launch = noStep;
  uint32_t wait = noStep;
  uint32_t use = noStep;
  /// index in ScheduleRecord::groups
  uint32_t group = 0;
  /// "all_gather"
  std::string kind;
  /// "sum"; empty where there is none
  std::string reduction;
  /// of the first tensor; empty if unknown
  std::string dtype;
  /// number of results: 1 except for a bucket
  size_t tensors = 1;
  /// of one rank; 0 if a size is unknown
  int64_t inputBytes = 0;
  int64_t outputBytes = 0;
  /// picoseconds from the start of the program
  int64_t begin = 0;
  int64_t end = 0;
  /// picoseconds for which it stalls the compute stream
  int64_t exposed = 0;

  /// Returns the larger of the bytes that a rank sends and the bytes that it receives.
  [[nodiscard]] int64_t bytes() const { return std::max(inputBytes, outputBytes); }
};

struct RecordedGroup {
  /// as the graph's calls name it
  std::string name;
  /// "mesh_dp"; may be empty
  std::string description;
  Placement placement;
  /// no file gives its ranks
  bool assumed = false;
  /// no group: the stream of copies to the host's memory ("offload") and back ("reload")
  bool isHost = false;
};

struct ScheduleRecord {
  /// picoseconds of the whole step, of computation, and their difference
  int64_t total = 0;
  int64_t compute = 0;
  int64_t exposed = 0;
  int64_t peakBytes = 0;
  /// in program order
  std::vector<RecordedStep> steps;
  std::vector<RecordedTransfer> transfers;
  /// in order of first appearance
  std::vector<RecordedGroup> groups;
  /// the first is the empty place
  std::vector<RecordedPlace> places;

  /// Returns the picoseconds during which at least one transfer runs. The compute stream stalls only while a transfer
  /// runs, so this minus `exposed` is the time for which computation and communication overlap.
  [[nodiscard]] int64_t communicating() const;
};

[[nodiscard]] ScheduleRecord recordSchedule(const Graph &graph, const CostModel &costs);

} // namespace ccgraph

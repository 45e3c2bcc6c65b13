// ScheduleRecord: a program in time, as plain records: when each node runs, what it waits for, how much memory is alive, and
// where in the user's program it comes from.
//
// It is what is drawn and listed of a schedule: traces, reports, comparisons. Times are those of predictTimeline (timeline.h),
// told for every node instead of collectives alone, and memory is that of ccgraph/ir/lifetimes.h; so the sums are the same, to the
// picosecond and the byte.
//
//   step         role      begin            end
//   mm           compute   when it starts   when it has ended
//   all_gather   launch    when issued      the same; its transfer is a RecordedTransfer
//   wait_tensor  wait      when reached     when computation goes on; between the two it idles
//   view         free      when reached     the same
//
// Ownership: plain values, names and no nodes, so that a record outlives edits of its graph. Failure: none. Cost: linear in nodes
// and edges; about 150 bytes a node.
#pragma once

#include "ccgraph/passes/cost.h"

#include <algorithm>

namespace ccgraph {

enum class StepRole : uint8_t { Compute, Launch, Wait, Free };
/// "compute", "launch", "wait", "free".
[[nodiscard]] llvm::StringRef stepRoleName(StepRole role);

/// Where in the user's program nodes come from; empty texts and 0 where the graph does not say.
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
  PriceSource source = PriceSource::Free;
  /// index in ScheduleRecord::places
  uint32_t place = 0;
  /// picoseconds from the start of the program
  int64_t begin = 0;
  int64_t end = 0;
  /// bytes alive while the node runs
  int64_t alive = 0;
};

/// No step.
inline constexpr uint32_t noStep = ~0U;

/// What one launch moves.
struct RecordedTransfer {
  /// indices in ScheduleRecord::steps; `wait` is the first that lands it, `use` the first node that reads what it yields, views and
  /// waits aside
  uint32_t launch = noStep;
  uint32_t wait = noStep;
  uint32_t use = noStep;
  /// index in ScheduleRecord::groups
  uint32_t group = 0;
  /// "all_gather"
  std::string kind;
  /// "sum"; empty where there is none
  std::string reduction;
  /// of the first tensor; empty where it is not known
  std::string dtype;
  /// results: 1 but for a bucket
  size_t tensors = 1;
  /// of one rank; 0 where a size is not known
  int64_t inputBytes = 0;
  int64_t outputBytes = 0;
  /// picoseconds from the start of the program
  int64_t begin = 0;
  int64_t end = 0;
  /// picoseconds for which computation idles because of it
  int64_t exposed = 0;

  /// The larger of what a rank sends and what it receives.
  [[nodiscard]] int64_t bytes() const { return std::max(inputBytes, outputBytes); }
};

struct RecordedGroup {
  /// as the graph's calls have it
  std::string name;
  /// "mesh_dp"; maybe empty
  std::string description;
  Placement placement;
  /// no file gave its ranks
  bool assumed = false;
};

struct ScheduleRecord {
  /// picoseconds of the whole step, of computation, and the first less the second
  int64_t total = 0;
  int64_t compute = 0;
  int64_t exposed = 0;
  int64_t peakBytes = 0;
  /// in program order
  std::vector<RecordedStep> steps;
  std::vector<RecordedTransfer> transfers;
  /// by first appearance
  std::vector<RecordedGroup> groups;
  /// the first is the empty one
  std::vector<RecordedPlace> places;

  /// For how long one transfer or more runs. Computation idles only while one does, so less `exposed` it is for how long
  /// computation and communication run together.
  [[nodiscard]] int64_t communicating() const;
};

[[nodiscard]] ScheduleRecord recordSchedule(const Graph &graph, const CostModel &costs);

} // namespace ccgraph

// CostModel: predicts how long each node of a graph takes, and how long a node takes that a pass may create.
//
// A measured duration is used where there is one: by the name of the node, else by the node's provenance. Everything
// else is predicted from the machine: collectives by the machine's rules, computation by a roofline of fused regions,
// new copies by their bytes (docs/cost-model.md has the formulas). Given durations also scale the predictions: each
// link level and each bound of computation is multiplied by the ratio that the matching nodes show. Thus a network that
// is half as fast appears in the predictions, although the machine file does not contain it.
//
// Every cost is an integer number of picoseconds and is the same on every host. The arithmetic uses only addition,
// multiplication, division and comparison of IEEE numbers, without fused operations and without functions of the math
// library. Costs depend on sizes, dtypes and ranks, never on hints of data-dependent sizes.
//
// Ownership: refers to the graph, which may be edited meanwhile. The nodes that the graph had at construction keep
// their costs as long as they keep their operators. A later node is priced alone; or as a part of the node that is its
// first origin, if it calls the same operator for fewer elements and the operator may be fused into a kernel. Copies
// what it needs of machine and durations.
// Failure: none. A node that cannot be priced, for example because a size is unknown, costs one launch and is reported
// as unknown. Cost: linear in the graph to construct; a query is O(1) or linear in a node's arguments.
#pragma once

#include "ccgraph/ir/durations.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/machine.h"
#include "ccgraph/ir/op_def.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

/// The source of a cost.
enum class TimeSource : uint8_t {
  /// nothing runs: views, waits, inputs
  Free,
  /// measured on a device
  Measured,
  /// estimated by another tool
  Estimated,
  /// for a collective: collectives of its kind on as many ranks and nodes were measured (Machine::measured)
  Interpolated,
  /// predicted from the machine's numbers
  Predicted,
  /// a size is unknown
  Unknown,
};
inline constexpr TimeSource allTimeSources[] = {TimeSource::Free,         TimeSource::Measured,  TimeSource::Estimated,
                                                TimeSource::Interpolated, TimeSource::Predicted, TimeSource::Unknown};
inline constexpr size_t numTimeSources = 6;
/// "free", "measured", ...
[[nodiscard]] llvm::StringRef timeSourceName(TimeSource source);

struct EstimatedTime {
  int64_t picoseconds = 0;
  TimeSource source = TimeSource::Free;
  /// Returns true for a time that durations state.
  [[nodiscard]] bool isGiven() const { return source == TimeSource::Measured || source == TimeSource::Estimated; }
  friend bool operator==(const EstimatedTime &, const EstimatedTime &) = default;
};

/// How many ranks communicate, and how many nodes they occupy.
struct Placement {
  int64_t ranks = 1;
  int64_t nodes = 1;
  [[nodiscard]] LinkLevel level() const { return nodes > 1 ? LinkLevel::Inter : LinkLevel::Intra; }
  friend bool operator==(const Placement &, const Placement &) = default;
};

/// The ratio between given durations and the machine's predictions.
struct Scale {
  /// factor by which predictions are multiplied
  double factor = 1;
  /// number of nodes that it was computed from; 0: there was no node to compare with
  size_t nodes = 0;
};

/// The report of a cost model.
struct CostSummary {
  std::string machine;
  /// the name of the durations; empty if there are none
  std::string durations;
  /// matrix products and attention: bound by operations
  Scale operations;
  /// all other computation, and copies: bound by memory
  Scale memory;
  /// indexed by LinkLevel, over all kinds
  std::array<Scale, numLinkLevels> links;
  /// indexed by TimeSource: number of nodes, and their picoseconds
  std::array<size_t, numTimeSources> nodes = {};
  std::array<int64_t, numTimeSources> picoseconds = {};
  /// groups whose ranks no file gives: their ranks are assumed to be consecutive
  std::vector<std::string> assumedGroups;
};

/// Selects the group members that the model uses: those common to all ranks of an SPMD program, or those in the table
/// of the one rank whose graph this is.
enum class RankView : bool { Shared, Own };

class CostModel {
public:
  /// `durations` may be null.
  explicit CostModel(const Graph &graph, const Machine &machine, const Durations *durations = nullptr,
                     RankView view = RankView::Shared);
  ~CostModel();
  /// Returns the same costs for a copy of the graph (Graph::clone()) that was not edited since. Refers to this model's
  /// graph too. O(nodes).
  [[nodiscard]] std::unique_ptr<CostModel> forCopy(const Graph &graph, const Graph &copy) const;
  /// Keeps the present cost of each node of the graph, which later edits of other nodes then do not change: a node that
  /// repeats another one costs as much once the other one is gone. O(nodes).
  void keepCosts(const Graph &graph);
  CostModel(const CostModel &) = delete;
  CostModel &operator=(const CostModel &) = delete;

  /// Returns the cost of a node of the graph, created before or after the model.
  [[nodiscard]] EstimatedTime estimatedTime(const Node &node) const;
  /// Returns the picoseconds of a new collective. `bytes` is the larger of the total that a rank sends and the total
  /// that it receives, as NCCL counts (all_gather: its output; reduce_scatter: its input).
  [[nodiscard]] int64_t collective(CollectiveKind kind, int64_t bytes, Placement placement) const;
  /// Returns the same for the kind and group of an existing collective.
  [[nodiscard]] int64_t collective(const Node &like, int64_t bytes) const;
  /// Returns the bytes, ascending, at which the formula of that time changes, apart from powers of two: the sizes of
  /// measured samples, and NCCL's limits. Between two neighbours of these sizes and the powers of two, the picoseconds
  /// a byte only rise or only fall, so the best rate is that of the first or last size of the range.
  [[nodiscard]] std::vector<int64_t> collectivePieces(const Node &like) const;
  /// Returns the picoseconds of a new kernel that computes this many of the rows of a product of two matrices: its
  /// share of the product's time, with the last wave of tiles counted whole (cost/tiles.h), and a launch. 0 for a node
  /// that is no such product of known sizes. A later product that names one product of the same inner size as its only
  /// origin, and that has all of its rows or columns, has this time.
  [[nodiscard]] int64_t rowsOfProduct(const Node &product, int64_t rows) const;
  /// Returns the same for this many of the columns.
  [[nodiscard]] int64_t columnsOfProduct(const Node &product, int64_t columns) const;
  /// Returns the picoseconds of a new copy of this many bytes to the host's memory, or back. The machine must have a
  /// link to the host (Machine::hostLink).
  [[nodiscard]] int64_t hostCopy(int64_t bytes) const;
  /// Returns the picoseconds of a new kernel that reads and writes this many bytes in total.
  [[nodiscard]] int64_t copy(int64_t bytesReadAndWritten) const;

  /// Returns the id of the kernel into which the node is assumed to be fused; all nodes of that kernel have the same
  /// id. Empty for a node that is its own kernel, and for nodes created later. Ids are dense from 0. A kernel's cost is
  /// divided among its nodes, so the costs are valid only for the kernel as a whole: splitting a kernel adds reads and
  /// writes.
  [[nodiscard]] std::optional<uint32_t> kernelOf(const Node &node) const;
  /// Returns how many ranks and nodes the collective's group has.
  [[nodiscard]] Placement placementOf(const Node &collective) const;
  [[nodiscard]] const Machine &machine() const;
  /// Summarizes the graph as it was when the model was constructed.
  [[nodiscard]] const CostSummary &summary() const;

private:
  struct Impl;
  explicit CostModel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The cost model of one graph, constructed on first use. Refers to graph and durations, which must outlive it.
class CostsOnDemand {
public:
  CostsOnDemand(const Graph &graph, Machine machine, const Durations *durations, RankView view = RankView::Shared)
      : graph_(graph), machine_(std::move(machine)), durations_(durations), view_(view) {}
  /// The model of a copy of the graph (CostModel::forCopy()).
  CostsOnDemand(CostsOnDemand &costs, const Graph &copy)
      : graph_(copy), machine_(costs.machine_), durations_(costs.durations_), view_(costs.view_),
        model_(costs.get().forCopy(costs.graph_, copy)) {}
  [[nodiscard]] const CostModel &get() {
    if (!model_)
      model_ = std::make_unique<CostModel>(graph_, machine_, durations_, view_);
    return *model_;
  }
  /// Keeps the costs of the graph as it is now, if there is a model (CostModel::keepCosts()).
  void keepCosts() {
    if (model_)
      model_->keepCosts(graph_);
  }
  /// Returns null before the first use.
  [[nodiscard]] const CostModel *made() const { return model_.get(); }

private:
  const Graph &graph_;
  Machine machine_;
  const Durations *durations_;
  RankView view_;
  std::unique_ptr<CostModel> model_;
};

} // namespace ccgraph

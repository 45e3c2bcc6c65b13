// CostModel: how long each node of a graph takes, and how long what a pass thinks of making would.
//
// Where a duration was measured it is taken, by the name of the node, else from the node's provenance. All else is predicted from the
// machine: collectives by the machine's rules, computation by a roofline of fused regions, new copies
// by their bytes (docs/cost-model.md has the formulas). Where durations are given, what the machine
// predicts is first scaled to agree with them: each level of links and each bound of computation by
// the ratio that the matching nodes show, since a network half as fast shows in them and not in the
// machine file.
//
// Every answer is an integer number of picoseconds, and the same on every machine: the arithmetic
// behind it is addition, multiplication, division and comparison of IEEE numbers, without fused
// operations and without functions of the mathematical library. Prices look at sizes, dtypes and
// ranks, never at hints of sizes that only data tell.
//
// Ownership: refers to the graph, which may be edited meanwhile: the nodes that it had at first keep
// their prices as long as they keep their operators, what is made later is priced by itself. Copies
// what it needs of machine and durations.
// Failure: none. What cannot be priced, a size that is not known, say, costs a launch, and is said to
// be unknown. Cost: linear in the graph to make; a question O(1), or that of reading a node's
// arguments.
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

/// Where a price comes from.
enum class PriceSource : uint8_t {
  /// nothing runs: views, waits, inputs
  Free,
  /// timed
  Measured,
  /// somebody else's estimate
  Estimated,
  /// of a collective: collectives of its kind on as many ranks and nodes were timed (Machine::measured)
  Interpolated,
  /// the machine's numbers
  Predicted,
  /// nothing is known of its size
  Unknown,
};
inline constexpr PriceSource allPriceSources[] = {PriceSource::Free,      PriceSource::Measured,
                                                  PriceSource::Estimated, PriceSource::Interpolated,
                                                  PriceSource::Predicted, PriceSource::Unknown};
inline constexpr size_t numPriceSources = 6;
/// "free", "measured", ...
[[nodiscard]] llvm::StringRef priceSourceName(PriceSource source);

struct Price {
  int64_t picoseconds = 0;
  PriceSource source = PriceSource::Free;
  friend bool operator==(const Price &, const Price &) = default;
};

/// How many ranks communicate, and on how many nodes they stand.
struct Placement {
  int64_t ranks = 1;
  int64_t nodes = 1;
  [[nodiscard]] LinkLevel level() const { return nodes > 1 ? LinkLevel::Inter : LinkLevel::Intra; }
  friend bool operator==(const Placement &, const Placement &) = default;
};

/// What durations say against what the machine predicts.
struct Scale {
  /// predictions are multiplied by it
  double factor = 1;
  /// nodes that it was taken from; 0: nothing was there to compare with
  size_t nodes = 0;
};

/// What a report says of the model.
struct CostSummary {
  std::string machine;
  /// of the durations; empty without
  std::string durations;
  /// matrix products and attention: bound by operations
  Scale operations;
  /// all other computation, and copies: bound by memory
  Scale memory;
  /// by LinkLevel, of all kinds together
  std::array<Scale, numLinkLevels> links;
  /// by PriceSource: nodes, and picoseconds of them
  std::array<size_t, numPriceSources> nodes = {};
  std::array<int64_t, numPriceSources> picoseconds = {};
  /// groups whose ranks no file gives: they are taken to be consecutive
  std::vector<std::string> assumedGroups;
};

/// Which members of groups count: those that all ranks of an SPMD program know, or those in the table of the one rank
/// whose program this is.
enum class RankView : bool { Shared, Own };

class CostModel {
public:
  /// `durations` may be null.
  explicit CostModel(const Graph &graph, const Machine &machine, const Durations *durations = nullptr,
                     RankView view = RankView::Shared);
  ~CostModel();
  CostModel(const CostModel &) = delete;
  CostModel &operator=(const CostModel &) = delete;

  /// Of a node of the graph, made before the model or after it.
  [[nodiscard]] Price price(const Node &node) const;
  /// Picoseconds of a new collective of `bytes`: the larger of what a rank sends in all and what it receives in all,
  /// as NCCL counts (all_gather: its output; reduce_scatter: its input).
  [[nodiscard]] int64_t collective(CollectiveKind kind, int64_t bytes, Placement placement) const;
  /// The same, of the kind and on the group of one that there is.
  [[nodiscard]] int64_t collective(const Node &like, int64_t bytes) const;
  /// Picoseconds of a new kernel that reads and writes so many bytes together.
  [[nodiscard]] int64_t copy(int64_t bytesReadAndWritten) const;

  /// Which kernel the node is taken to be fused into, as a number that its other nodes have too; empty for what is a kernel
  /// of its own, and for nodes made later. Dense from 0. What a kernel takes is shared out to its nodes, so a price holds
  /// for the kernel as a whole: whoever takes it apart makes new reads and writes.
  [[nodiscard]] std::optional<uint32_t> kernelOf(const Node &node) const;
  /// Where the ranks of a collective's group stand.
  [[nodiscard]] Placement placementOf(const Node &collective) const;
  [[nodiscard]] const Machine &machine() const;
  /// Of the graph as it was when the model was made.
  [[nodiscard]] const CostSummary &summary() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The model of one graph, made when somebody asks for it. Refers to graph and durations, which must outlive it.
class CostsOnDemand {
public:
  CostsOnDemand(const Graph &graph, Machine machine, const Durations *durations, RankView view = RankView::Shared)
      : graph_(graph), machine_(std::move(machine)), durations_(durations), view_(view) {}
  [[nodiscard]] const CostModel &get() {
    if (!model_)
      model_.emplace(graph_, machine_, durations_, view_);
    return *model_;
  }
  /// Null where nobody has asked yet.
  [[nodiscard]] const CostModel *made() const { return model_ ? &*model_ : nullptr; }

private:
  const Graph &graph_;
  Machine machine_;
  const Durations *durations_;
  RankView view_;
  std::optional<CostModel> model_;
};

} // namespace ccgraph

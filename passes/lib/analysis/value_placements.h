// ValuePlacements: how the ranks of each group hold each value of a program.
//
//   replicated        bitwise equal on all ranks of the group
//   sharded on dim d  the ranks hold consecutive parts, along dimension d, of a value that the group computed
//   partial sum       the sum over the ranks of the group is a value that one device would compute
//   unknown           anything else
//
// Collectives create placements: all_reduce, all_gather and broadcast replicated ones, reduce_scatter shards on
// dimension 0. Waits, copies, casts, views of all elements and elementwise operators keep them; a product of shards
// along the inner dimension is a partial sum. Inputs are unknown.
//
// All ranks run one text, but two ranks may hold other numbers in it: a rank's offset is traced as a literal. So a step
// with a number among its arguments, sizes and dimensions of a view apart, has an unknown value. Operators that add up
// within a rank (norms, sums, products of replicated values) lose `replicated`, because kernels may add in an order
// that differs by device. So do values in memory that some step writes.
//
// Ownership: plain values by node id; valid for the nodes that the graph had. Failure: none; what is not proved is
// unknown. Cost: O(operands x groups of a value).
#pragma once

#include "analysis/comm_groups.h"
#include "analysis/program_facts.h"

namespace ccgraph {

struct ValuePlacement {
  enum class Kind : uint8_t { Unknown, Replicated, Sharded, PartialSum } kind = Kind::Unknown;
  /// Sharded: the dimension, from 0
  int64_t dim = 0;
  friend bool operator==(const ValuePlacement &, const ValuePlacement &) = default;
};

class ValuePlacements {
public:
  /// A value whose proof would visit more steps is unknown. A value that is read twice counts twice.
  static constexpr uint32_t mostSteps = 128;
  ValuePlacements(const Graph &graph, const ProgramFacts &facts, const CommGroups &groups);
  /// `group`: a number of CommGroups.
  [[nodiscard]] ValuePlacement of(const Node &value, uint32_t group) const;

private:
  struct Entry {
    uint32_t group = 0;
    ValuePlacement placement;
    /// steps of its proof: those of the operands, and one
    uint32_t steps = 1;
  };
  using Entries = llvm::SmallVector<Entry, 1>;
  [[nodiscard]] Entries infer(const Node &node) const;
  [[nodiscard]] Entries ofLaunch(const Node &launch) const;
  [[nodiscard]] Entries ofView(const Node &view) const;
  [[nodiscard]] Entries ofElementwise(const Node &node) const;
  [[nodiscard]] Entries ofProduct(const Node &product) const;
  [[nodiscard]] uint32_t stepsOf(const Node &node, uint32_t group) const;
  [[nodiscard]] bool isKept(const Node &node) const;

  const ProgramFacts &facts_;
  const CommGroups &groups_;
  std::vector<bool> written_;
  /// by node id
  std::vector<Entries> entries_;
};

} // namespace ccgraph

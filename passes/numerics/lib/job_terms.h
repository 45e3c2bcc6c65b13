// JobTerms: evaluates the graphs of all ranks of one program together.
//
// Ranks take turns, one node each. A launch reads its inputs, and the rank goes on until it needs the result; the
// result exists as soon as every member of the group has launched. Launches of one group match in their order.
//
// Ownership: borrows graphs and tables; values own their memory. Failure: a text: a node without a rule, a group
// without known ranks, a collective whose members never arrive. Cost: linear in the nodes of all ranks.
#pragma once

#include "held_value.h"

#include "ccgraph/numerics/compare_sums.h"

#include <functional>

namespace ccgraph::numerics {

/// What the caller of one rank holds at the end.
struct RankResults {
  /// the leaves of the output, in order
  std::vector<HeldValue> outputs;
  /// by placeholder
  std::vector<HeldValue> inputs;
};

struct JobTerms {
  std::vector<RankResults> ranks;
  /// why there are no results; empty: there are
  std::string problem;
};

/// Returns an input of a rank by its position, as row-major elements; empty: it is an input of its own.
using InputElements = std::function<std::optional<RunList>(int64_t rank, size_t position)>;

struct JobProgram {
  Side side = Side::Before;
  llvm::ArrayRef<RankGraph> ranks;
  SumOrder order = SumOrder::Any;
  InputElements inputElements = [](int64_t, size_t) { return std::nullopt; };
};

[[nodiscard]] JobTerms evaluateJob(TermTable &table, const JobProgram &program);

} // namespace ccgraph::numerics

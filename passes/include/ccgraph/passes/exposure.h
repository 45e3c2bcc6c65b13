// explainExposed: lists the collectives that stall the compute stream, and explains what keeps each of them from an
// earlier start and a later wait.
//
// A collective starts when the compute stream has reached its launch and its group is free. Its start is limited by the
// first of these that is true:
//   Group    the previous collective of its group has not ended
//   Input    its input is produced immediately before it, by `needs`
//   Fixed    it could be `slack` earlier, but legality across ranks or groups fixes its position
//   Budget   it could be `slack` earlier, but the graph would then exceed the memory budget by `lacks` bytes
//   Order    it could be `slack` earlier within the budget, but no order that was tried makes the step shorter that way
// Its end is limited by the first node that reads the result.
//
// Ownership: plain values, names and no nodes. Failure: none. Cost: one timeline and one analysis of storage lifetimes,
// plus, for each explained collective, the nodes between its last input and its launch.
#pragma once

#include "ccgraph/passes/bounds.h"
#include "ccgraph/passes/timeline.h"

#include <optional>

namespace ccgraph {

enum class BeginPin : uint8_t { Group, Input, Fixed, Budget, Order };
/// "group", "input", ...
[[nodiscard]] llvm::StringRef beginPinName(BeginPin pin);

struct Exposure {
  CollectiveTime time;
  /// "all_gather", ...
  std::string kind;
  /// source line of the user's program; may be empty
  std::string source;
  BeginPin begin = BeginPin::Input;
  /// Group: the previous collective; else the last node that it depends on; empty: it needs only graph inputs
  std::string needs;
  /// picoseconds between the end of `needs` and its own launch, less what it needs there
  int64_t slack = 0;
  /// Budget: the bytes that are missing
  int64_t lacks = 0;
  /// extra picoseconds compared with running alone, because collectives of other groups share its links
  int64_t shared = 0;
  /// the first node that reads its result; empty: only the end of the graph waits for it
  std::string reader;
  /// picoseconds of computation between the wait and `reader`
  int64_t waitsEarly = 0;
};

/// Returns the exposed collectives, longest exposure first, at most `count`. `budget`: bytes; empty: no memory limit.
[[nodiscard]] std::vector<Exposure> explainExposed(Graph &graph, Analyses &analyses, const CostModel &costs,
                                                   std::optional<int64_t> budget, const BoundRules &rules,
                                                   size_t count);

} // namespace ccgraph

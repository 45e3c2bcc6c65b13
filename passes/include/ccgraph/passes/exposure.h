// explainExposed: which transfers computation waits for, and what keeps each from beginning earlier and from being
// waited for later.
//
// A transfer begins when computation has come to its launch and its group is free. What holds its beginning is the first
// of these that is true:
//   Group    the collective before it on its group has not ended
//   Input    what it reads is made right before it: `node` makes it
//   Fixed    it could stand `slack` earlier, but ranks or groups bind it to its place
//   Budget   the same, but there the program would need `lacks` bytes more than the memory budget
//   Order    the same, and memory would allow it: no order that was tried makes a shorter step of that
// Its end is held by the first step that reads the result.
//
// Ownership: plain values, names and no nodes. Failure: none. Cost: that of a timeline and of the storages' lives, and
// for each transfer that is explained the steps between what it needs and itself.
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
  /// where the user wrote it; maybe empty
  std::string source;
  BeginPin begin = BeginPin::Input;
  /// Group: the collective before; else the last step that it cannot do without; empty: inputs of the program are enough
  std::string needs;
  /// picoseconds between the end of that and its own launch, less what it needs there
  int64_t slack = 0;
  /// Budget: bytes
  int64_t lacks = 0;
  /// picoseconds that it takes longer than alone, because transfers of other groups share its links
  int64_t shared = 0;
  /// the first step that reads its result; empty: the end of the program waits for it
  std::string reader;
  /// picoseconds of computation between the wait and that
  int64_t waitsEarly = 0;
};

/// Those that are exposed, longest first, at most `count`. `budget`: bytes; empty: memory is no constraint.
[[nodiscard]] std::vector<Exposure> explainExposed(Graph &graph, Analyses &analyses, const CostModel &costs,
                                                   std::optional<int64_t> budget, const BoundRules &rules,
                                                   size_t count);

} // namespace ccgraph

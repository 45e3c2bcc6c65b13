// The group of a collective call, as the plan has it.
//
// Failure: lower.group, where the group is a value that the program computes, or nobody says who is in it. Cost: a look-up.
#pragma once

#include "lower/emitter.h"

namespace ccgraph::lower {

struct CallGroup {
  /// in Plan::groups
  uint32_t index = 0;
  /// members, the same number on every rank
  int64_t size = 0;
};

[[nodiscard]] llvm::Expected<CallGroup> groupOfCall(Emitter &emitter, const Node &node);

} // namespace ccgraph::lower

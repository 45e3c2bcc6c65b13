// The group of a collective call, as the plan has it.
//
// Failure: lower.group, if the group or the number of its members is not known. Cost: a look-up.
#pragma once

#include "ccgraph/ir/internal/bound_call.h"
#include "lower/emitter.h"

namespace ccgraph::lower {

struct CallGroup {
  /// in Plan::groups
  uint32_t index = 0;
  /// members, the same number on every rank
  int64_t size = 0;
};

[[nodiscard]] llvm::Expected<CallGroup> groupOfCall(Emitter &emitter, const CallOperands &operands, const Node &node);

} // namespace ccgraph::lower

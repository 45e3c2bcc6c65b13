// Groups of an open mode: registering them, and what a GroupLike comes to.
//
// Ownership: borrows the mode. Failure: a DiagnosticError. Cost: linear in the ranks.
#pragma once

#include "ccgraph/tracer/group.h"
#include "tracer/mode.h"

namespace ccgraph::tracer::detail {

/// Puts a group into the mode's table; the same group twice is once.
[[nodiscard]] llvm::Error registerGroup(Mode &mode, const Group &group);
/// The group that a form means, in the table then.
[[nodiscard]] llvm::Expected<Group> resolveGroup(Mode &mode, const GroupLike &group, llvm::StringRef tag);
/// Members one cell after the other.
[[nodiscard]] std::vector<int64_t> allRanks(const Group &group);

} // namespace ccgraph::tracer::detail

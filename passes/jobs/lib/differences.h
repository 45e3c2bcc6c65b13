// The rules that compare the collectives which the members of a group launch at one place.
//
// Ownership: plain values. Failure: none. Cost: linear in the members; for all_to_all quadratic, unless all members
// state the same splits.
#pragma once

#include "job_data.h"

#include "ccgraph/jobs/check.h"

namespace ccgraph::jobs {

/// A rule that some members break.
struct Difference {
  Rule rule = Rule::Kind;
  /// members, as indices, ascending
  std::vector<Id> culprits;
  /// by member: what it states
  std::vector<std::string> stated;
};

/// Returns the indices of the values that differ from what more than half of them are; all if there is no such value.
[[nodiscard]] std::vector<Id> minorityOf(llvm::ArrayRef<std::string> values);

/// `calls` are those of the members in the order of the group.
[[nodiscard]] std::vector<Difference> differencesOf(llvm::ArrayRef<const Call *> calls);

} // namespace ccgraph::jobs

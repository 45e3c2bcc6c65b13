// Agreement: whether the ranks of a group launch the same communication.
//
// Backends hang or corrupt memory where ranks disagree; here each disagreement is a sentence that names the difference.
// Counts are compared, not shapes: a collective moves rows of elements, and [2, 3] against [3, 2] is no error on any
// backend. Two launches must have the same fingerprint (ccgraph/ir/collective.h). This file has the conditions on a
// single launch, and those that fingerprints cannot express.
//
// Ownership: none. Failure: an error of one launch is a text, which its rank reports; a disagreement of two is a
// DiagnosticError. Cost: linear in the number of rows.
#pragma once

#include "collectives/launch.h"

#include <string>
#include <vector>

namespace ccgraph::runtime {

/// Checks the conditions on one launch in a group of `groupSize` members: counts that fit each other, one dtype, a
/// reduction that the dtype has, a root within the group. Returns the error with got and expected; empty if there is
/// none.
[[nodiscard]] std::string checkLaunch(const Launch &launch, size_t groupSize);

/// The group and number by which launches match.
struct MatchPlace {
  /// global ranks, in the group's order
  llvm::ArrayRef<int64_t> members;
  /// which collective of the group, from 1; 0 for a transfer
  size_t sequence = 0;
};
/// Checks that two matching launches agree. The error names both ranks, both nodes and each difference.
[[nodiscard]] llvm::Error checkAgreement(const Launch &first, const Launch &second, const MatchPlace &place);

/// Checks the conditions that fingerprints do not cover, once all members have launched. In an all_to_all, each member
/// must send what its peer expects. The root of a scatter must send a share for each member. `members` are in order of
/// the group.
[[nodiscard]] llvm::Error checkTogether(llvm::ArrayRef<const Launch *> members);
/// Both, for launches that all have come, by member.
[[nodiscard]] llvm::Error checkMatch(llvm::ArrayRef<Launch> members, const MatchPlace &place);

} // namespace ccgraph::runtime

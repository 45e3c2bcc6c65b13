// Agreement: do the ranks of a group mean the same communication?
//
// Backends hang or corrupt memory where ranks disagree; here each disagreement is a sentence that
// names what differs. Counts are compared, not shapes: a collective moves rows of elements, and
// [2, 3] against [3, 2] is no error on any backend. What two launches must have in common is their
// fingerprint (ccgraph/ir/collective.h); here stands what one launch demands of itself, and what
// fingerprints cannot say.
//
// Ownership: none. Failure: what one launch does wrong is a text, for its rank to say; what two disagree about is a
// DiagnosticError. Cost: linear in the number of rows.
#pragma once

#include "collectives/launch.h"

#include <string>
#include <vector>

namespace ccgraph::runtime {

/// What one launch demands of itself in a group of `groupSize` members: counts that fit each
/// other, one dtype, a reduction that the dtype has, a root within the group. Empty if all is
/// well, else what is wrong, with got and expected.
[[nodiscard]] std::string checkLaunch(const Launch &launch, size_t groupSize);

/// Where launches meet.
struct MeetingPlace {
  /// global ranks, in the group's order
  llvm::ArrayRef<int64_t> members;
  /// which collective of the group, from 1; 0 for a transfer
  size_t sequence = 0;
};
/// Two launches that meet: what the ranks mean alike. The error names both ranks, both nodes and each difference.
[[nodiscard]] llvm::Error checkAgreement(const Launch &first, const Launch &second, const MeetingPlace &place);

/// What fingerprints do not tell, once all members have come: in an all_to_all, what each member sends must be what its peer
/// expects; the root of a scatter must send a share for each member. By member.
[[nodiscard]] llvm::Error checkTogether(llvm::ArrayRef<const Launch *> members);
/// Both, for launches that all have come, by member.
[[nodiscard]] llvm::Error checkMeeting(llvm::ArrayRef<Launch> members, const MeetingPlace &place);

} // namespace ccgraph::runtime

// Agreement: do the ranks of a group mean the same communication?
//
// Backends hang or corrupt memory where ranks disagree; here each disagreement is a sentence that
// names what differs. Counts are compared, not shapes: a collective moves rows of elements, and
// [2, 3] against [3, 2] is no error on any backend. What two launches must have in common is their
// fingerprint (ccgraph/ir/collective.h); here stands what one launch demands of itself, and what
// fingerprints cannot say.
//
// Ownership: none. Cost: linear in the number of rows.
#pragma once

#include "collectives/launch.h"

#include <string>
#include <vector>

namespace ccgraph::runtime {

/// What one launch demands of itself in a group of `groupSize` members: counts that fit each
/// other, one dtype, a reduction that the dtype has, a root within the group. Empty if all is
/// well, else what is wrong, with got and expected.
[[nodiscard]] std::string checkLaunch(const Launch &launch, size_t groupSize);

/// all_to_all: what each member sends must be what its peer expects. Empty if so.
[[nodiscard]] std::string checkSplits(llvm::ArrayRef<const Launch *> members);

} // namespace ccgraph::runtime

// What a plan's calls are to other ranks, and whether the plans of several ranks agree.
//
// Ranks that launch together must say the same (collective.h), and must do so in orders that fit: a rank that launches on
// one group and then on another holds up both groups if somebody does it the other way round. Hosts issue in the order
// of the list, so plans agree if all calls can be launched one after the other, each by all members of its group at the
// head of what is left of their lists. Transfers are apart: the i-th send of a channel meets its i-th receive, whatever
// stands between, because each channel has a stream of its own.
//
// Ownership: plain values; plans are only read. Failure: none; what is not known (members, a size without a value)
// contradicts nothing. Cost: linear in the calls and the members of their groups.
#pragma once

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/plan.h"

namespace ccgraph {

/// One call, as the global rank `rank` makes it, with sizes as the plan's layout binds their symbols.
[[nodiscard]] CollectiveFingerprint fingerprintOf(const Plan &plan, const PlanCollective &call, int64_t rank);

/// Plans of different ranks, each of which says whose it is (Plan::rank). All findings up to `limit`, with rule
/// plan.ranks; empty: the ranks launch alike. Ranks of a group whose plans are not given are taken to agree.
[[nodiscard]] std::vector<Diagnostic> verifyAgreement(llvm::ArrayRef<const Plan *> plans, size_t limit = 20);

} // namespace ccgraph

// Compares a plan's calls with those of other ranks, to check whether the plans of several ranks agree.
//
// Ranks that launch together must have equal fingerprints (collective.h), in compatible orders. A rank that launches on
// one group and then on another blocks both groups if another rank uses the opposite order. Hosts issue in list order.
// So plans agree if all calls can be launched one after the other, each when it is the next call of all members of its
// group. Transfers are separate: the i-th send of a channel meets its i-th receive, whatever lies between, because each
// channel has a stream of its own.
//
// Ownership: plain values; plans are only read. Failure: none; an unknown fact (members, a size without a value)
// contradicts nothing. Cost: linear in the calls and the members of their groups.
#pragma once

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/plan.h"

namespace ccgraph {

/// Returns the fingerprint of one call of the global rank `rank`, with sizes by the symbol values of the plan's layout.
[[nodiscard]] CollectiveFingerprint fingerprintOf(const Plan &plan, const PlanCollective &call, int64_t rank);

/// Compares plans of different ranks, each with its own Plan::rank. Returns all findings up to `limit`, with rule
/// plan.ranks; empty: the ranks launch alike. Ranks of a group whose plans are not given are assumed to agree.
[[nodiscard]] std::vector<Diagnostic> verifyAgreement(llvm::ArrayRef<const Plan *> plans, size_t limit = 20);

} // namespace ccgraph

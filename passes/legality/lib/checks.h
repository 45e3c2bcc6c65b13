// The checks of the legality checker, one rule family each. Every check reads the same evidence and adds its findings.
//
// They run in two halves (checker.cpp has their order). The second half relies on what the first has shown, and does
// not run if the first found an error. Within a half all checks run, so one defect may be reported by several checks.
//
// Ownership: the evidence refers to the caller's values and is never changed. Failure: findings, each with a rule of
// legalityRules(). Cost: near-linear, as each check states, in the n nodes and e edges of both graphs.
#pragma once

#include "ccgraph/legality/legality.h"

#include "correspondence.h"
#include "in_flight.h"
#include "storages.h"

namespace ccgraph::legality {

/// The results of the first half: both programs, the correspondence of their steps, the memory of each value, and what
/// is in flight at each step.
struct Evidence {
  const Rewrite &rewrite;
  const Program &before;
  const Program &after;
  const Correspondence &correspondence;
  const Storages &storagesBefore;
  const Storages &storagesAfter;
  const AsyncPairLog &pairsBefore;
  const AsyncPairLog &pairsAfter;
  const LegalityOptions &options;
};

// --- Structure ------------------------------------------------------------------------------------------------------

/// Checks that untouched nodes are as before, except for operands that an entry replaced. O(n + e).
void checkNodes(const Rewrite &rewrite, const Correspondence &correspondence, Findings &findings);
/// Checks that definitions precede uses, placeholders keep their order, the output is last, and groups and subgraphs
/// are kept. O(n + e).
void checkWellFormed(const Rewrite &rewrite, Findings &findings);

// --- Meaning --------------------------------------------------------------------------------------------------------

/// Checks that conflicting accesses to one storage keep their order, and so do the steps that name a tensor and those
/// that reshape it. O((n + e) log n).
void checkStorageOrder(const Evidence &evidence, Findings &findings);
/// Checks that random, host-visible and opaque steps keep their order. O(n log n).
void checkDomains(const Evidence &evidence, Findings &findings);
/// Checks that no step has a new access to a tensor in flight. O(n + e).
void checkInFlight(const Evidence &evidence, Findings &findings);
/// Checks that each group's collectives are issued in the order before, or in the order that a `moved` entry states.
/// O(c log c) for c collectives.
void checkIssueOrder(const Evidence &evidence, Findings &findings);
/// Checks that no wait precedes a step that another rank may need before the collective can complete. O(n + c log c).
void checkBlocking(const Evidence &evidence, Findings &findings);
/// Checks that each bucket computes what its members computed. O(entries + ranks x members).
void checkMerged(const Evidence &evidence, Findings &findings);
/// Checks that no node observes the place of a bucket's results, unless each result is alone in its storage as before.
/// O(n + e).
void checkPlaces(const Evidence &evidence, Findings &findings);
/// Checks that a removed node was dead, a twin, or had no effect, and that a new node only waits. O(entries + uses).
void checkRemoved(const Evidence &evidence, Findings &findings);
/// Checks that every launch that had a wait has one. O(n + e).
void checkWaitsKept(const Evidence &evidence, Findings &findings);
/// Checks that new nodes that no merge or rule explains have no observable effect. O(entries).
void checkAdded(const Evidence &evidence, Findings &findings);
/// Checks that each rule's nodes are those that the checker's own template builds. O(entries).
void checkRules(const Evidence &evidence, Findings &findings);
/// Checks that no step names a storage that a wait has freed. O(n + e).
void checkFreed(const Evidence &evidence, Findings &findings);
/// Checks that peak bytes are within the budget. O(n + e).
void checkMemory(const Evidence &evidence, Findings &findings);
/// Returns the peak of live bytes, by the rules of ccgraph/ir/lifetimes.h.
[[nodiscard]] int64_t peakBytes(const Program &program, const Storages &storages);

} // namespace ccgraph::legality

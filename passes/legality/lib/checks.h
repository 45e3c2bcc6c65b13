// The checks of the legality checker, one rule family each. Every one takes the same evidence and adds its findings.
//
// They run in two halves: those of the second (checker.cpp has their order) read what the first has
// shown, and do not run if it found anything. Within a half all run, so that one defect is seen from
// every side.
//
// Ownership: the evidence refers to the caller's values and is never changed. Failure: findings, each
// with a rule of legalityRules(). Cost: near-linear, as each states, in the n nodes and e edges of both
// programs.
#pragma once

#include "ccgraph/legality/legality.h"

#include "correspondence.h"
#include "in_flight.h"
#include "storages.h"

namespace ccgraph::legality {

/// What the first half has shown: both programs, who stands for whom, which memory each value has, and what is in flight
/// when.
struct Evidence {
  const Rewrite &rewrite;
  const Program &before;
  const Program &after;
  const Correspondence &correspondence;
  const Storages &storagesBefore;
  const Storages &storagesAfter;
  const FlightLog &flightsBefore;
  const FlightLog &flightsAfter;
  const LegalityOptions &options;
};

// --- What stands where ---------------------------------------------------------------------------------------------

/// Untouched nodes are what they were, but for operands that an entry replaced. O(n + e).
void checkNodes(const Rewrite &rewrite, const Correspondence &correspondence, Findings &findings);
/// Definitions before uses, placeholders in their order, the output last; groups and subgraphs kept. O(n + e).
void checkWellFormed(const Rewrite &rewrite, const Correspondence &correspondence, Findings &findings);

// --- What it means -------------------------------------------------------------------------------------------------

/// Accesses to one storage that conflict are in the order that they had, and so are the steps that name a tensor and
/// those that reshape it. O((n + e) log n).
void checkStorageOrder(const Evidence &evidence, Findings &findings);
/// Random, host-visible and opaque steps are in the order that they had. O(n log n).
void checkDomains(const Evidence &evidence, Findings &findings);
/// Nothing touches what is in flight that did not before. O(n + e).
void checkInFlight(const Evidence &evidence, Findings &findings);
/// Each group's collectives are issued in the order that they had, or that a `moved` entry states.
/// O(c log c) for c collectives.
void checkIssueOrder(const Evidence &evidence, Findings &findings);
/// No wait stands above what another rank may need before that one ends. O(n + c log c).
void checkBlocking(const Evidence &evidence, Findings &findings);
/// Each bucket computes what its members did. O(entries + ranks x members).
void checkMerged(const Evidence &evidence, Findings &findings);
/// Where a bucket's results lie is seen by nobody, unless they lie as they did: each alone in a storage. O(n + e).
void checkPlaces(const Evidence &evidence, Findings &findings);
/// What is gone was dead, a twin, or did nothing; what is new does nothing but wait. O(entries + uses).
void checkRemoved(const Evidence &evidence, Findings &findings);
/// Every launch that had a wait has one. O(n + e).
void checkWaitsKept(const Evidence &evidence, Findings &findings);
/// New nodes that no merge or rule explains do nothing that anybody could see. O(entries).
void checkAdded(const Evidence &evidence, Findings &findings);
/// Each rule's nodes are the ones that the checker's own template builds. O(entries).
void checkRules(const Evidence &evidence, Findings &findings);
/// Peak bytes within the budget. O(n + e).
void checkMemory(const Evidence &evidence, Findings &findings);
/// The most bytes that are alive at once, by the rules of ccgraph/ir/lifetimes.h.
[[nodiscard]] int64_t peakBytes(const Program &program, const Storages &storages);

} // namespace ccgraph::legality

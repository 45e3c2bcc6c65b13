// Candidate and Bucket: collectives that may become one, and those that do.
//
// Before the rewrite, a bucket is a *run*: the launches of its members stand next to one another, after all their
// inputs and before all their waits.
//
// Ownership: nodes belong to the graph. Plain values. Failure: none; a Candidate is made only of a collective whose
// sizes are known numbers. Cost: proportional to the members; each call computes its sum.
#pragma once

#include "ccgraph/ir/certificate.h"
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/graph.h"

namespace ccgraph {

/// A collective that may go into a bucket: functional, alone on its launch, with the one wait that
/// reads it.
struct Candidate {
  Node *launch = nullptr;
  Node *wait = nullptr;
  /// bytes that one rank sends, and that its result takes
  int64_t inputBytes = 0;
  int64_t outputBytes = 0;
  /// candidates may share a bucket only if these are equal
  uint32_t key = 0;
  /// in a flat bucket: its piece of the result is copied out, so that it has memory of its own
  bool copied = false;
  /// what max-bytes counts: the larger of the two, since either may be what fills memory and wire
  [[nodiscard]] int64_t bytes() const { return std::max(inputBytes, outputBytes); }
};

/// Candidates of one key, in program order; a bucket of one is a collective that found no partner.
struct Bucket {
  uint32_t key = 0;
  int64_t bytes = 0;
  std::vector<Candidate> members;
  [[nodiscard]] int64_t inputBytes() const {
    int64_t sum = 0;
    for (const Candidate &member : members)
      sum += member.inputBytes;
    return sum;
  }
  [[nodiscard]] int64_t outputBytes() const {
    int64_t sum = 0;
    for (const Candidate &member : members)
      sum += member.outputBytes;
    return sum;
  }
};

} // namespace ccgraph

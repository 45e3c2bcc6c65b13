// Candidate and Bucket: the collectives that may be merged, and the groups that are merged.
//
// Before the rewrite, a bucket is a *run*: the launches of its members are adjacent, after all their inputs and before
// all their waits.
//
// Ownership: nodes belong to the graph. Plain values. Failure: none; a Candidate is created only for a collective whose
// sizes are known numbers. Cost: proportional to the members; each call computes its sum.
#pragma once

#include "ccgraph/ir/certificate.h"
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/graph.h"

namespace ccgraph {

/// A collective that may go into a bucket: functional, the only collective of its launch, with a single wait that reads
/// it.
struct Candidate {
  Node *launch = nullptr;
  Node *wait = nullptr;
  /// bytes that one rank sends, and bytes of its result
  int64_t inputBytes = 0;
  int64_t outputBytes = 0;
  /// candidates may share a bucket only if these are equal
  uint32_t key = 0;
  /// in a flat bucket: its piece of the result is copied, so that it has memory of its own
  bool copied = false;
  /// Returns the bytes that max-bytes counts: the larger of the two, since either may limit memory and bandwidth.
  [[nodiscard]] int64_t bytes() const { return std::max(inputBytes, outputBytes); }
};

/// Candidates of one key, in program order; a bucket of one is a collective without a partner.
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

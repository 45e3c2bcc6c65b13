// Candidate and Bucket: what coalesce-collectives chooses from and what it makes.
//
// Between choice and rewrite, a bucket is a *run*: its members' launches stand next to one another,
// in the order in which they joined, after all their inputs and before all their waits. A run
// costs the memory of the one launch that it will become, so the choice can be made on it.
//
// Ownership: nodes belong to the graph, intervals to the live bytes. Plain values.
// Failure: none; a Candidate is made only of a collective whose sizes are known numbers.
// Cost: proportional to the members; sums are worked out anew at each call.
#pragma once

#include "analysis/live_bytes.h"

#include "ccgraph/ir/certificate.h"
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"

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

/// Candidates of one key, in the order in which they joined; a bucket of one is a collective that
/// found no partner yet.
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
  /// waits, in program order, that stand first and last among the members'
  Node *firstWait = nullptr;
  Node *lastWait = nullptr;
  /// intervals that stand for what only the merged launch will hold
  std::vector<LiveBytes::IntervalId> extras;
  /// in a grouped bucket of several: what all of its waits hold together
  std::optional<LiveBytes::ShareId> share;
  /// put-aside intervals of the members' results, where these will come out of one flat buffer
  struct Result {
    LiveBytes::IntervalId interval;
    /// a copy, which begins to live at its wait; else a view, which keeps the buffer alive
    bool copied;
  };
  std::vector<Result> results;
};

} // namespace ccgraph

// Candidates: finds the collectives that can be in a bucket, and those that can share one.
//
// A candidate is a functional collective on one tensor of known size. It has one wait, the only reader of its result,
// and no property that the form for several tensors could not express. Two candidates may share a bucket if their keys
// are equal: kind, group, reduction, dtype, device, root, and the part of the program within which they may pass other
// steps.
//
// Ownership: refers to the graph and its analyses. Failure: an Obstacle, not an error.
// Cost: O(nodes) to build; a query costs the readers of the collective.
#pragma once

#include "analysis/dependences.h"
#include "rewrite/bucket.h"

#include "llvm/ADT/StringMap.h"

#include <variant>

namespace ccgraph {

/// Why a collective cannot be in any bucket.
enum class Obstacle : uint8_t {
  /// point-to-point, scatter, barrier
  Kind,
  /// in-place, out, coalesced, synchronous or older
  Form,
  /// other ranks run other programs
  NotSpmd,
  /// there is no operator on a list of these
  NeedsFlat,
  /// the operator on a list rejects the dtype
  ListForm,
  /// an argument has no place in a bucket
  Arguments,
  /// another node than the one wait reads the result in flight, or it is returned
  Readers,
  SeveralWaits,
  /// results must be bitwise equal, and a reduction would be reassociated
  Bitwise,
  /// the input may have been reshaped in place
  Reshaped,
  /// the result is written later, and a wait on a list may copy it again
  Rewritten,
  UnknownSize,
  /// the stated type of the wait is another one
  WaitType,
  /// flat: written later, and too large to copy
  Written,
  /// flat: its place in memory is observed, and it is too large to copy
  PlaceSeen,
  /// flat: input or result is not contiguous
  Strided,
  /// flat: split sizes are not numbers
  DynamicSplits,
};
inline constexpr size_t numObstacles = static_cast<size_t>(Obstacle::DynamicSplits) + 1;

/// Rules for all candidates.
struct CandidateRules {
  BucketLayout layout = BucketLayout::Grouped;
  /// flat: largest result that is copied out of the buffer if a view is not allowed; empty: any
  std::optional<int64_t> maxCopied;
  /// see PassContext
  bool spmd = true;
  bool bitwise = false;
};

class Candidates {
public:
  /// All arguments must outlive this object.
  Candidates(const Graph &graph, const ProgramFacts &facts, const CommGroups &groups, const Dependences &dependences,
             const CandidateRules &rules);

  /// Examines a collective. A candidate has its key.
  [[nodiscard]] std::variant<Candidate, Obstacle> find(Node *launch);
  /// Returns the number of keys, which count from 0 in the order in which they were found.
  [[nodiscard]] size_t numKeys() const { return keys_.size(); }

private:
  using Verdict = std::optional<Obstacle>;
  [[nodiscard]] Verdict obstacle(Node *launch, Candidate &candidate) const;
  [[nodiscard]] Verdict inForm(const Node &launch, const CollectiveSpec &spec) const;
  [[nodiscard]] Verdict inUses(Node *launch, Candidate &candidate) const;
  [[nodiscard]] Verdict inSize(const Node &launch, Candidate &candidate) const;
  [[nodiscard]] Verdict toFlat(Candidate &candidate, const CollectiveSpec &spec) const;
  [[nodiscard]] Verdict toPiece(Candidate &candidate) const;
  [[nodiscard]] bool isRewrittenInAList(const Node &launch, CollectiveKind kind) const;
  [[nodiscard]] uint32_t keyOf(const Node &launch);

  const Graph &graph_;
  const ProgramFacts &facts_;
  const CommGroups &groups_;
  const Dependences &dependences_;
  CandidateRules rules_;
  /// by storage: some step writes it; some step, or a caller, observes the place of a value in it
  std::vector<bool> written_;
  std::vector<bool> seen_;
  llvm::StringMap<uint32_t> keys_;
};

} // namespace ccgraph

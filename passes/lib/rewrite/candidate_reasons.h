// CandidateReasons: the reasons that a pass states for collectives that are no candidates (rewrite/candidates.h).
//
// Each obstacle has one id and one sentence in all passes. A pass gives only the words that differ, and the scope,
// which determines the obstacles that can occur in it.
//
// Ownership: owns the reasons; the pass that declares them must outlive this object. Failure: none. Cost: constant.
#pragma once

#include "ccgraph/passes/pass.h"
#include "rewrite/candidates.h"

#include <array>
#include <deque>

namespace ccgraph {

/// The words of a pass in the sentences of its reasons.
struct CandidateWords {
  /// the past participle of what the pass does to a collective: "merged"
  llvm::StringRef done;
  /// completes "results must be bitwise equal (--bitwise), and "
  llvm::StringRef rounding;
  /// completes "ranks run different graphs, so another rank may "
  llvm::StringRef otherRank;
};

/// The collectives that a pass examines.
enum class CandidateScope : uint8_t {
  /// all_reduces, with the rules of a flat layout without a limit of copies
  AllReduce,
  /// all kinds, with the same rules
  AnyKind,
  /// all kinds, in either layout
  AnyCollective,
};

class CandidateReasons {
public:
  CandidateReasons(Pass &pass, CandidateScope scope, const CandidateWords &words);
  /// Returns the reason for an obstacle that can occur in the scope.
  [[nodiscard]] const Reason &of(Obstacle obstacle) const;

private:
  /// a reason has a fixed address, because the pass refers to it
  std::deque<Reason> reasons_;
  /// by obstacle; null outside the scope
  std::array<const Reason *, numObstacles> byObstacle_ = {};
};

} // namespace ccgraph

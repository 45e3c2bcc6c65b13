// ChunkSets: which of the planned pieces make the program fastest.
//
// Each plan alone is faster than its region as a whole, yet all plans together need not be: pieces cost launches,
// copies and memory. All subsets are too many, so a few are tried, each with a search for its best schedule: chains
// whose pieces save more than is hidden anyway, with such regions or with all that are left; such regions, those of
// them that gather, those that reduce, and all regions.
//
// Ownership: refers to the trial, the cost model and the plans, which must not move. Failure: none. Cost: at most six
// trials (chunk_trial.h) for each attempt; none for a set of an earlier attempt.
#pragma once

#include "schedule/chunks/chunk_trial.h"

#include "llvm/ADT/StringSet.h"

#include <vector>

namespace ccgraph {

using ChunkPlans = std::vector<const ChunkPlan *>;

class ChunkSets {
public:
  /// `program`: the best schedule without pieces.
  ChunkSets(const ChunkTrial &trial, const CostModel &cost, const PredictedStep &program)
      : trial_(trial), cost_(cost), step_(program) {}

  /// Tries sets of these plans. A chain goes instead of the plans that it overlaps with.
  void attempt(llvm::ArrayRef<ChunkPlan> chains, llvm::ArrayRef<ChunkPlan> plans);
  /// Returns the fastest step of all attempts.
  [[nodiscard]] const PredictedStep &step() const { return step_; }
  /// Returns the plans of that step; empty: no set is faster than the program without pieces.
  [[nodiscard]] const ChunkPlans &best() const { return best_; }

private:
  [[nodiscard]] bool isWorth(const ChunkPlan &plan) const;
  void attempt(const ChunkPlans &set);
  /// Notes the set; returns true if equal plans were noted before.
  [[nodiscard]] bool wasTried(const ChunkPlans &set);

  const ChunkTrial &trial_;
  const CostModel &cost_;
  PredictedStep step_;
  ChunkPlans best_;
  /// each set that was tried, as text
  llvm::StringSet<> tried_;
};

} // namespace ccgraph

// Trial: both steps evaluated once on inputs of one seed, and the outputs that differ.
//
// Ownership: borrows the comparison; owns the values. Failure: a DiagnosticError for placements that do not fit the
// graphs; a Problem for a step that cannot be evaluated. Cost: one evaluation of both steps.
#pragma once

#include "job_run.h"

#include "ccgraph/equality/same_step.h"

namespace ccgraph::equality {

struct Trial {
  explicit Trial(uint64_t seed) : evaluator(seed) {}
  Evaluator evaluator;
  /// false: the values of the nodes are freed, and locate() cannot use the trial
  bool keepsValues = true;
  /// of one rank
  std::vector<RankValues> single;
  std::vector<RankValues> ranks;
  std::optional<Problem> problem;
  /// the problem is one of the single step
  bool ofSingle = false;
  /// by position in StepPlacements::outputs: how the output differs; empty where it is equal
  std::vector<std::optional<WrongOutput>> wrong;

  [[nodiscard]] bool differs() const;
  [[nodiscard]] bool drawsRandom() const;
};

/// Checks that the placements name inputs and outputs that both graphs have, each once.
[[nodiscard]] llvm::Error checkPlacements(const StepComparison &comparison);
[[nodiscard]] llvm::Error runTrial(const StepComparison &comparison, Trial &trial);

} // namespace ccgraph::equality

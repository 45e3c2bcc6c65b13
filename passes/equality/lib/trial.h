// Trial: both steps evaluated once on inputs of one seed, and the outputs that differ.
//
// Ownership: borrows the comparison; owns the values. Failure: a DiagnosticError for placements that do not fit the
// graphs; a Problem for a step that cannot be evaluated. Cost: one evaluation of both steps.
#pragma once

#include "ignored_labels.h"
#include "job_run.h"

#include "ccgraph/equality/same_step.h"

namespace ccgraph::equality {

struct Trial {
  explicit Trial(uint64_t seed) : evaluator(seed) {}
  Evaluator evaluator;
  /// false: the values of the nodes are freed, and locate() cannot use the trial
  bool keepsValues = true;
  /// A value that does not have the sizes of its node's type is a problem.
  bool checksSizes = false;
  LabelChoice labels = LabelChoice::None;
  /// the whole inputs, by TensorPlacement::single
  std::vector<Array> whole;
  /// of one rank; of a reference that is a parallel form, the outputs that its ranks hold together
  std::vector<RankValues> single;
  /// of a reference that is a parallel form
  std::vector<RankValues> referenceRanks;
  std::vector<RankValues> ranks;
  std::optional<Problem> problem;
  /// the problem is one of the single step
  bool ofSingle = false;
  /// the problem is one of the reference
  bool ofReference = false;
  /// Some rank holds a shard with padding, so that all shards have the size of the first one.
  bool padsShards = false;
  /// by position in StepPlacements::outputs: how the output differs; empty where it is equal
  std::vector<std::optional<WrongOutput>> wrong;

  [[nodiscard]] bool differs() const;
  [[nodiscard]] bool drawsRandom() const;
};

/// How many inputs and outputs a step has.
struct StepSize {
  size_t inputs = 0, outputs = 0;
};
/// Checks that the mesh has as many ranks as the job.
[[nodiscard]] llvm::Error checkMesh(llvm::ArrayRef<RankStep> ranks, llvm::ArrayRef<NamedAxis> mesh);
/// Checks that the placements name all inputs and outputs of the ranks, each once, and tensors of a step of this size.
[[nodiscard]] llvm::Error checkForm(llvm::ArrayRef<RankStep> ranks, const StepPlacements &placements,
                                    const StepSize &whole);
/// Checks that the placements name inputs and outputs that both graphs have, each once.
[[nodiscard]] llvm::Error checkPlacements(const StepComparison &comparison);
/// Returns the index of an element of an array by its position in row-major order.
[[nodiscard]] std::vector<int64_t> indicesOf(int64_t position, const Array &array);
/// Returns how an output of the ranks differs from that of the single step; empty if it does not.
[[nodiscard]] llvm::Expected<std::optional<WrongOutput>>
checkOutput(const StepComparison &comparison, const Trial &trial, const TensorPlacement &placement);
[[nodiscard]] llvm::Error runTrial(const StepComparison &comparison, Trial &trial);

} // namespace ccgraph::equality

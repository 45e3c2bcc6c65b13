// runForm: the ranks of one parallel form, evaluated on their parts of whole inputs.
//
// Ownership: borrows graphs, placements and inputs. Failure: a DiagnosticError for placements that do not fit the
// graphs; a Problem for a step that cannot be evaluated. Cost: that of runJob, and one cut of each input for each rank.
#pragma once

#include "job_run.h"

#include "ccgraph/equality/same_step.h"

namespace ccgraph::equality {

/// An error about placements, with what to do.
[[nodiscard]] llvm::Error placementError(const llvm::Twine &message, const llvm::Twine &repair);

struct FormRun {
  Evaluator *evaluator = nullptr;
  /// by TensorPlacement::single
  llvm::ArrayRef<Array> whole;
  /// false: the values of the nodes are freed
  bool keepsValues = true;
  /// true: a value that does not have the sizes of its node's type is a problem
  bool checksSizes = false;
  /// by rank; empty: none
  llvm::ArrayRef<ForcedValue> forced = {};
  /// set where a rank holds a shard with padding; may be null
  bool *padsShards = nullptr;
};

/// Evaluates all ranks; each has as many outputs as the first one.
[[nodiscard]] llvm::Expected<std::optional<Problem>> runForm(llvm::ArrayRef<RankStep> ranks,
                                                             const StepPlacements &placements, const FormRun &run,
                                                             std::vector<RankValues> &results);

} // namespace ccgraph::equality

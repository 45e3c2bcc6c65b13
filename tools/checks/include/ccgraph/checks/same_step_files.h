// compareStepFiles: compares a parallel step with the step of one device, both given as files.
//
// The parallel step is a job file, one graph for all ranks, or one for each. Groups are one file for all ranks or one
// for each; a job file names its own. The sizes of the mesh are those of the placements; without them, the size of the
// group whose description is `mesh_AXIS`, or for a mesh of one axis the number of ranks.
//
// Ownership: plain values. Failure: DiagnosticErrors with file and line: a file that cannot be read, placements that do
// not fit the graphs. Cost: that of the readers and of compareSteps.
#pragma once

#include "ccgraph/equality/same_step.h"
#include "ccgraph/ir/diagnostic.h"

namespace ccgraph {

struct StepFiles {
  std::string single;
  /// a job file, one graph for all ranks, or one for each
  std::vector<std::string> parallel;
  /// none, one for all ranks, or one for each
  std::vector<std::string> groups;
  /// empty: what names, sizes and values tell (unplaced_steps.h)
  std::string placements;
  /// 0: what the graphs or groups state
  size_t ranks = 0;
  unsigned trials = 2;
  uint64_t seed = 1;
  equality::StepSizesChoice sizes = equality::StepSizesChoice::Automatic;
};

[[nodiscard]] llvm::Expected<equality::StepAnswer> compareStepFiles(const StepFiles &files, Diagnostics &warnings);

} // namespace ccgraph

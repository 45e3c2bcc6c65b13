// compareFormFiles: compares two forms of one step, both given as files.
//
// The reference is the step of one device, or a parallel form of its own: a job file (ccgraph/frontend/job_file.h),
// several graphs, or a graph with groups, placements or a number of ranks. Then tensors of one name ("of") in both
// placements correspond. Without placements of its own, the reference has those of the compared form, as a job before
// and after a pass has.
//
// Ownership: plain values. Failure: DiagnosticErrors with file and line: a file that cannot be read, placements that do
// not fit the graphs, a job file that leaves out a rank. Cost: that of the readers and of
// equality::compareSteps or compareForms.
#pragma once

#include "ccgraph/equality/parallel_forms.h"
#include "ccgraph/ir/diagnostic.h"

namespace ccgraph {

/// One form of a step.
struct FormFiles {
  /// a job file, one graph for all ranks, or one for each
  std::vector<std::string> graphs;
  /// none, one for all ranks, or one for each; none for a job file, which names its own
  std::vector<std::string> groups;
  std::string placements;
  /// 0: what the graphs or groups state
  size_t ranks = 0;
};

struct FormFilePair {
  /// the step of one device, or a parallel form
  FormFiles reference;
  FormFiles compared;
  unsigned trials = 2;
  uint64_t seed = 1;
  /// of a comparison with the step of one device; two parallel forms are compared at their own sizes
  equality::StepSizesChoice sizes = equality::StepSizesChoice::Automatic;
};

[[nodiscard]] llvm::Expected<equality::StepAnswer> compareFormFiles(const FormFilePair &files, Diagnostics &warnings);

} // namespace ccgraph

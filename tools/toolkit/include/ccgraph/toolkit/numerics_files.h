// compareSumsOfFiles: do two programs of one job, or a parallel step and the step of one device, compute bitwise equal
// outputs, the programs given as files?
//
// Each program is a job file, one graph for all ranks, or one for each; groups are one file for all ranks or one for
// each, and none for a job file.
//
// Ownership: an answer owns its texts. Failure: DiagnosticErrors with file and line. Cost: that of the readers and of
// numerics::compareSums.
#pragma once

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/numerics/compare_sums.h"

#include <string>
#include <vector>

namespace ccgraph {

struct NumericsFiles {
  /// one for all ranks, or one for each
  std::vector<std::string> before;
  std::vector<std::string> after;
  /// none, one for all ranks, or one for each
  std::vector<std::string> groups;
  /// of `before`; empty: those of `groups`
  std::vector<std::string> beforeGroups = {};
  /// 0: what the graphs or groups state
  size_t ranks = 0;
  numerics::SumOrder order = numerics::SumOrder::Any;
  /// how the ranks hold the inputs and outputs of `before`, which is then one graph, of one device; empty: both are
  /// programs of one job
  std::string placements = {};
};

[[nodiscard]] llvm::Expected<numerics::SumAnswer> compareSumsOfFiles(const NumericsFiles &files, Diagnostics &warnings);

} // namespace ccgraph

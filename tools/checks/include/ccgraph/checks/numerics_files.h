// compareNumericsOfFiles: do two programs of one job, or a parallel step and the step of one device, compute bitwise
// equal outputs, the programs given as files?
//
// Each program is a job file, one graph for all ranks, or one for each; groups are one file for all ranks or one for
// each, and none for a job file.
//
// Ownership: an answer owns its texts. Failure: DiagnosticErrors with file and line. Cost: that of the readers and of
// numerics::compareSums; with placements, that of compareFormFiles too.
#pragma once

#include "ccgraph/checks/form_files.h"
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

struct NumericsAnswer {
  /// the order of sums that was assumed
  numerics::SumOrder order = numerics::SumOrder::Any;
  /// of a parallel step beside that of one device: whether their values are the same; empty: two programs of one job
  std::optional<equality::StepAnswer> step = {};
  /// empty: the values differ, and outputs that differ have no numerics
  std::optional<numerics::SumAnswer> sums = {};

  /// Returns whether both compute the same; empty where it cannot be decided.
  [[nodiscard]] std::optional<bool> equal() const;
};

/// Compares the values first where the files have placements, with the trials and sizes of `values`.
[[nodiscard]] llvm::Expected<NumericsAnswer> compareNumericsOfFiles(const NumericsFiles &files, FormFilePair values,
                                                                    Diagnostics &warnings);

} // namespace ccgraph

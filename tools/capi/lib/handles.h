// Defines the handles of ccgraph.h.
//
// Ownership: each handle owns its data. Failure: errors become ccgraph_error by toError. Cost: negligible.
#pragma once

#include "ccgraph.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/schedule.h"
#include "ccgraph/ir/snapshot.h"
#include "ccgraph/jobs/semantics.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/toolkit/bound_sizes.h"
#include "ccgraph/toolkit/machine_choice.h"
#include "ccgraph/toolkit/rank_comparison.h"
#include "report/summary.h"

#include <mutex>

struct ccgraph_error {
  int32_t kind = CCGRAPH_INPUT;
  std::string text;
  std::vector<ccgraph::Diagnostic> diagnostics;
  /// notes of each diagnostic, one a line
  std::vector<std::string> notes;
};

struct ccgraph_text {
  std::string text;
};

struct ccgraph_options {
  std::string pipeline = "-O2";
  bool choosesPipeline = false; ///< the caller has set it; a whole job has another default
  std::string schedule, machine, durations, groups;
  ccgraph::SymbolValues sizes; ///< of dynamic dimensions
  bool views = false;          ///< keep what ccgraph_advise, the report page and the trace need
  ccgraph::PassManagerOptions manager;
  // of a check
  std::vector<ccgraph::jobs::Semantics> under; ///< empty: all
  size_t ranks = 0;
  size_t mostResident = 0;
  bool replays = false;
  // of a comparison of steps; the reference has files of its own where it is a parallel form
  std::string placements, sameAsGroups, sameAsPlacements;
  size_t sameAsRanks = 0;
  size_t trials = 0;  ///< 0: not given
  std::string engine; ///< of numerics: whose order of sums counts; empty: any
  // of a check of a schedule
  size_t stages = 0;
  std::string stageGraphs, stageSizes;
};

namespace ccgraph::capi {
struct Views;
} // namespace ccgraph::capi

struct ccgraph_graph {
  ccgraph_graph();
  ~ccgraph_graph();
  std::mutex mutex;
  ccgraph::Context context;
  std::unique_ptr<ccgraph::Graph> graph;
  std::string warnings;
  /// Optimized: an optimization has begun; Broken: it has failed, and the graph can only be freed
  enum class State : uint8_t { Fresh, Optimized, Broken } state = State::Fresh;
  /// nodes of ccgraph_import, and their state before the optimization
  uint32_t imported = 0;
  std::optional<ccgraph::GraphSnapshot> before;
  std::vector<uint32_t> importedIndex; ///< by id
  ccgraph::ObjectMeanings objects;     ///< what the objects of the graph stand for
  ccgraph::RankComparison ranks;       ///< of a log that holds the graphs of several ranks
  ccgraph::HostGpus gpus;              ///< of a log that lists them
  ccgraph::report::Summary summary;
  std::optional<ccgraph::Schedule> schedule;
  std::string noSchedule;                      ///< why the optimization has no schedule
  std::unique_ptr<ccgraph::capi::Views> views; ///< after an optimization with the option `views`
};

namespace ccgraph::capi {

/// Returns an error that the caller of the C function owns.
[[nodiscard]] ccgraph_error *toError(llvm::Error error, int32_t kind = CCGRAPH_INPUT);
[[nodiscard]] ccgraph_error *usage(std::string message, std::string repair = "");
/// Converts a C text, which may be NULL.
[[nodiscard]] inline llvm::StringRef textOf(const char *text) {
  return text ? llvm::StringRef(text) : llvm::StringRef();
}

} // namespace ccgraph::capi

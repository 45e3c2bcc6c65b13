// OptInput holds everything that one run of ccgraph-opt reads: the graphs of a file with their groups, the machine, the
// durations and the schedule.
//
// Ownership: owns the data that it read; the graphs refer to its context. `options` must outlive it. Failure: returns
// the errors of the readers; writes warnings to `warnings` as they occur. Cost: that of reading the files.
#pragma once

#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/toolkit/bound_sizes.h"
#include "ccgraph/toolkit/carried_durations.h"
#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/graph_choice.h"
#include "ccgraph/toolkit/graph_files.h"
#include "ccgraph/toolkit/measured_files.h"
#include "ccgraph/toolkit/node_places.h"
#include "ccgraph/toolkit/schedule_files.h"
#include "driver/opt_options.h"

namespace ccgraph::driver {

/// Implements --drop-types: removes the types of all results from the graph and its subgraphs.
void forgetTypes(Graph &graph);

class OptInput {
public:
  OptInput(const OptOptions &options, llvm::raw_ostream &warnings) : options_(options), warnings_(warnings) {}

  /// Opens the file before anything in it is read, unless `opened` is that file; the functions below require this call.
  [[nodiscard]] llvm::Error open(std::optional<InputFile> opened);
  [[nodiscard]] const InputFile &file() const { return input_->file; }
  /// Returns which graph of a log was chosen, and where the others are; empty if the file has no choice.
  [[nodiscard]] const std::string &choice() const { return input_->choice; }
  /// Returns the file with all the information that its log contains.
  [[nodiscard]] const GraphInput &input() const { return *input_; }
  [[nodiscard]] Context &context() { return context_; }
  [[nodiscard]] llvm::ArrayRef<TraceOrder> orders() const { return input_->orders; }
  /// For a log: returns whether the ranks that it holds run one program.
  [[nodiscard]] const RankComparison &ranks() const { return input_->ranks; }
  /// For a log: returns the GPUs of its host, if the log lists them.
  [[nodiscard]] const HostGpus &gpus() const { return input_->gpus; }
  /// Warns about side files that match nothing in the graph.
  void warnOfUnfitFiles(const Graph &graph);

  /// Reads everything else. A schedule replaces the pipeline.
  [[nodiscard]] llvm::Error load(Pipeline &pipeline);
  [[nodiscard]] const GraphList &graphs() const { return graphs_; }
  /// Returns where one of the graphs is in the file, so that its nodes can be located.
  [[nodiscard]] GraphChoice place(size_t graph) const { return {input_->file, input_->selector, graph}; }

  /// Empty means the default machine.
  [[nodiscard]] const std::optional<Machine> &machine() const { return costs_.machine; }
  /// Returns the durations of the graph that was passed last to holdDurationsTo(); null if there are none.
  [[nodiscard]] const Durations *durations() const { return costs_.ofGraph(); }
  /// Returns an error if durations or measured traces were given and none belongs to this graph.
  [[nodiscard]] llvm::Error holdDurationsTo(const Graph &graph);
  /// Returns the explanation of --measured; empty without it, and before the first holdDurationsTo().
  [[nodiscard]] const std::optional<measured::JobExplanation> &explanation() const { return explanation_; }
  /// Returns the durations of another graph of the step: a log has estimates for it, other files are carried over from
  /// the graph that was passed last to holdDurationsTo() (carried_durations.h). Empty if there are no durations.
  [[nodiscard]] Durations durationsOfOther(const Graph &other) const;
  /// Returns whether durationsOfOther() carries over the durations of one graph.
  [[nodiscard]] bool carriesDurations() const { return carried_.has_value(); }
  /// Returns the meanings of the objects in the graphs, as the file of --groups states them.
  [[nodiscard]] const ObjectMeanings &objects() const { return objects_; }
  [[nodiscard]] const Schedule *schedule() const { return schedule_ ? &*schedule_ : nullptr; }

  /// Returns the values of the graph's symbols that decisions may use: those of --bind, and those of the trace if every
  /// rank runs this program.
  [[nodiscard]] SymbolValues sizesOf(const Graph &graph) const;

  /// Adds the groups of --groups and --split-group to another graph of the same log.
  [[nodiscard]] llvm::Error addGivenGroups(Graph &graph);

  /// The only graph of another file, with the groups of the options, and that file.
  struct Other {
    GraphInput input;
    std::unique_ptr<Graph> graph;
  };
  [[nodiscard]] llvm::Expected<Other> loadOther(llvm::StringRef path);

private:
  llvm::Expected<GraphInput> openFile(llvm::StringRef path);
  llvm::Expected<GraphList> read(const GraphInput &input);
  llvm::Error loadGraphs();
  llvm::Error loadCosts();
  llvm::Error explainTraces();
  llvm::Error loadScheduleInto(Pipeline &pipeline);
  [[nodiscard]] llvm::Error checkNumber() const;

  const OptOptions &options_;
  llvm::raw_ostream &warnings_;
  Context context_;
  std::optional<GraphInput> input_;
  GraphList graphs_;
  RunCosts costs_;
  std::optional<CarriedDurations> carried_; ///< if the file has the durations of one graph of a step
  std::optional<MeasuredFiles> measured_;
  std::optional<measured::JobExplanation> explanation_;
  std::optional<Schedule> schedule_;
  ObjectMeanings objects_;
  GroupTable statedGroups_; ///< from --groups
};

} // namespace ccgraph::driver

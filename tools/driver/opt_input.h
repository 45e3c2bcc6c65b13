// OptInput: all that one run of ccgraph-opt reads: the graphs of a file with their groups, and the machine, durations and
// schedule beside them.
//
// Ownership: owns what it read; graphs refer to its context. `options` must outlive it. Failure: errors as the readers
// give them; warnings go to `warnings` at once. Cost: that of reading the files.
#pragma once

#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/toolkit/bound_sizes.h"
#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/graph_choice.h"
#include "ccgraph/toolkit/graph_files.h"
#include "ccgraph/toolkit/node_places.h"
#include "ccgraph/toolkit/schedule_files.h"
#include "driver/opt_options.h"

namespace ccgraph::driver {

/// --drop-types: takes the types of all results off, here and in subgraphs.
void forgetTypes(Graph &graph);

class OptInput {
public:
  OptInput(const OptOptions &options, llvm::raw_ostream &warnings) : options_(options), warnings_(warnings) {}

  /// The file, before anything in it is read; what follows asks for it.
  [[nodiscard]] llvm::Error open();
  [[nodiscard]] const InputFile &file() const { return input_->file; }
  /// Which graph of a log it is, and where the others are; empty where the file has no choice.
  [[nodiscard]] const std::string &choice() const { return input_->choice; }
  /// The file with all that a log says of it.
  [[nodiscard]] const GraphInput &input() const { return *input_; }
  [[nodiscard]] Context &context() { return context_; }
  [[nodiscard]] llvm::ArrayRef<TraceOrder> orders() const { return input_->orders; }
  /// Of a log: whether the ranks that it holds run one program.
  [[nodiscard]] const RankComparison &ranks() const { return input_->ranks; }
  /// Of a log: the GPU of its host, where it lists one.
  [[nodiscard]] const std::string &gpu() const { return input_->gpu; }
  /// Warns of files beside the graph that fit nothing in it.
  void warnOfUnfitFiles(const Graph &graph);

  /// Everything else. A schedule takes the place of the pipeline.
  [[nodiscard]] llvm::Error load(Pipeline &pipeline);
  [[nodiscard]] const GraphList &graphs() const { return graphs_; }
  /// Where a node of one of the graphs stands in the file.
  [[nodiscard]] GraphChoice place(size_t graph) const { return {input_->file, input_->selector, graph}; }

  /// Empty: the default.
  [[nodiscard]] const std::optional<Machine> &machine() const { return machine_; }
  /// Of the graph that they were held to last; null where there are none.
  [[nodiscard]] const Durations *durations() const { return durations_ ? &durations_->durations() : nullptr; }
  /// An error where there are durations, and none of this graph.
  [[nodiscard]] llvm::Error holdDurationsTo(const Graph &graph) {
    return durations_ ? durations_->holdTo(graph) : llvm::Error::success();
  }
  /// What the objects that the graphs hold stand for, as the file of --groups says.
  [[nodiscard]] const ObjectMeanings &objects() const { return objects_; }
  [[nodiscard]] const Schedule *schedule() const { return schedule_ ? &*schedule_ : nullptr; }

  /// Values of the symbols of a graph that decisions may rest on: those of --bind, and those of the trace where every rank
  /// runs this program.
  [[nodiscard]] SymbolValues sizesOf(const Graph &graph) const;

  /// What --groups and --split-group say, for another graph of the same log.
  [[nodiscard]] llvm::Error addGivenGroups(Graph &graph);

  /// The one graph of another file, with the groups of the options, and that file.
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
  llvm::Error loadScheduleInto(Pipeline &pipeline);
  [[nodiscard]] llvm::Error checkNumber() const;

  const OptOptions &options_;
  llvm::raw_ostream &warnings_;
  Context context_;
  std::optional<GraphInput> input_;
  GraphList graphs_;
  std::optional<Machine> machine_;
  std::optional<DurationFile> durations_;
  std::optional<Schedule> schedule_;
  ObjectMeanings objects_;
  GroupTable statedGroups_; ///< of --groups
};

} // namespace ccgraph::driver

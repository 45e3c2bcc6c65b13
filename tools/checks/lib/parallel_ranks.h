// ParallelRanks: the graphs of a parallel step and the groups of each rank, read from files.
//
// The step is one graph for all ranks or one for each. Groups are one file for all ranks or one for each; the group "0"
// holds all ranks unless a file states it.
//
// Ownership: owns the graphs, which live in its context. Failure: DiagnosticErrors with file and line. Cost: that of
// the readers.
#pragma once

#include "ccgraph/equality/joined_steps.h"
#include "ccgraph/frontend/files.h"
#include "ccgraph/ir/context.h"
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/placement.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

/// An error about the input of a comparison; the rule names the command.
struct StepComplaint {
  llvm::StringRef rule;
  std::string file;
};
[[nodiscard]] llvm::Error stepError(const StepComplaint &about, const llvm::Twine &message, const llvm::Twine &repair);

/// Returns the job file, if the graphs are one. Standard input is none: a job file names files beside it.
[[nodiscard]] llvm::Expected<std::optional<InputFile>> openJob(llvm::ArrayRef<std::string> graphs);

/// Returns an answer that is empty for this reason.
[[nodiscard]] equality::StepAnswer undecidedStep(std::string why);

class ParallelRanks {
public:
  /// `rule`: of the errors.
  ParallelRanks(llvm::StringRef rule, Diagnostics &warnings) : rule_(rule), warnings_(warnings) {}

  /// Reads a graph of any kind into the context.
  [[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> readGraph(const std::string &path);
  /// Reads graphs and groups; a single graph may be a job file, which names both, and `groups` is then empty.
  [[nodiscard]] llvm::Error readFiles(llvm::ArrayRef<std::string> graphs, llvm::ArrayRef<std::string> groups);
  [[nodiscard]] llvm::Error readGroups(llvm::ArrayRef<std::string> paths);
  [[nodiscard]] llvm::Error readGraphs(llvm::ArrayRef<std::string> paths);
  /// Reads placements, and decides with them the number of ranks, as countRanks does, and the sizes of the axes that
  /// have none, from the groups that are described as `mesh_AXIS`. An empty path gives no placements. Stages of a
  /// pipeline and microbatches are joined (joined_steps.h): the ranks are then the joined ones.
  [[nodiscard]] llvm::Expected<StepPlacements> readPlacements(const std::string &path, size_t statedRanks);
  /// Decides the number of ranks: `stated`, that of the files, or that of the mesh.
  [[nodiscard]] llvm::Error countRanks(size_t stated, llvm::ArrayRef<NamedAxis> mesh);

  /// Why the stages of the placements cannot be joined; empty if they are, or if there are none.
  [[nodiscard]] std::string stageProblem() const;
  /// Returns it as an error.
  [[nodiscard]] llvm::Error stageError() const;
  /// Sets the places of an answer to the ranks and nodes that were given.
  void restore(equality::StepAnswer &answer, bool ofReference) const;

  /// Returns the number of graphs that were given: one, or one for each rank.
  [[nodiscard]] size_t numGiven() const { return texts_.size(); }
  [[nodiscard]] size_t numRanks() const { return groups_.size(); }
  [[nodiscard]] const Graph &graph(size_t rank) const {
    return joined_ ? *joined_->ranks[rank].graph : *graphs_[texts_[texts_.size() > 1 ? rank : 0]];
  }
  [[nodiscard]] const GroupTable &groups(size_t rank) const { return groups_[rank]; }

private:
  [[nodiscard]] llvm::Error join(StepPlacements &placements);
  [[nodiscard]] llvm::Error sizeMesh(std::vector<NamedAxis> &mesh, llvm::StringRef file) const;
  [[nodiscard]] llvm::Error readJob(const InputFile &file);
  [[nodiscard]] size_t impliedRanks(size_t stated, llvm::ArrayRef<NamedAxis> mesh) const;

  llvm::StringRef rule_;
  Diagnostics &warnings_;
  Context context_;
  /// a text that several ranks run is read once
  std::vector<std::unique_ptr<Graph>> graphs_;
  /// by given text: its graph
  std::vector<size_t> texts_;
  std::vector<GroupTable> tables_;
  /// by rank
  std::vector<GroupTable> groups_;
  /// empty where no stage or microbatch is stated
  std::optional<equality::JoinedSteps> joined_;
  std::string firstPath_;
};

} // namespace ccgraph

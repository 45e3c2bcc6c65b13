#include "ccgraph/toolkit/same_step_files.h"

#include "ccgraph/frontend/group_file.h"
#include "ccgraph/frontend/placement_file.h"
#include "ccgraph/ir/context.h"
#include "ccgraph/toolkit/graph_choice.h"
#include "ccgraph/toolkit/graph_files.h"
#include "ccgraph/toolkit/group_assumption.h"
#include "ccgraph/toolkit/node_places.h"

namespace ccgraph {
namespace {

llvm::Error stepError(llvm::StringRef file, const llvm::Twine &message, const llvm::Twine &repair) {
  Diagnostic diagnostic = diagnose("same.input", message.str(), repair.str());
  diagnostic.file = file.str();
  return makeError(std::move(diagnostic));
}

/// Reads the files of a comparison; the graphs live in its context.
class StepReader {
public:
  StepReader(const StepFiles &files, Diagnostics &warnings) : files_(files), warnings_(warnings) {}

  llvm::Expected<equality::StepAnswer> compare() {
    if (llvm::Error error = read())
      return error;
    return equality::compareSteps(comparison_);
  }

private:
  llvm::Error read() {
    llvm::Expected<std::unique_ptr<Graph>> single = readGraph(files_.single);
    if (!single)
      return single.takeError();
    graphs_.push_back(std::move(*single));
    comparison_.single = graphs_.front().get();
    comparison_.trials = files_.trials;
    comparison_.seed = files_.seed;
    for (const std::string &path : files_.groups)
      if (llvm::Error error = readGroups(path))
        return error;
    for (const std::string &path : files_.parallel)
      if (llvm::Error error = readParallel(path))
        return error;
    if (llvm::Error error = readPlacements())
      return error;
    return addRanks();
  }

  llvm::Expected<std::unique_ptr<Graph>> readGraph(const std::string &path) {
    llvm::Expected<GraphInput> input = openGraphs(path, "", warnings_);
    if (!input)
      return input.takeError();
    llvm::Expected<std::unique_ptr<Graph>> graph = loadGraph(context_, input->file, input->selector, &warnings_);
    if (!graph)
      return graph.takeError();
    addStatedGroups(**graph, *input);
    if (llvm::Error error = checkWellFormed(**graph))
      return withPlaces(std::move(error), {input->file, input->selector});
    return graph;
  }

  llvm::Error readGroups(const std::string &path) {
    llvm::Expected<InputFile> file = InputFile::open(path);
    if (!file)
      return file.takeError();
    llvm::Expected<GroupTable> table = readGroupFile(file->source());
    if (!table)
      return table.takeError();
    tables_.push_back(std::move(*table));
    return llvm::Error::success();
  }

  llvm::Error readParallel(const std::string &path) {
    llvm::Expected<std::unique_ptr<Graph>> graph = readGraph(path);
    if (!graph)
      return graph.takeError();
    graphs_.push_back(std::move(*graph));
    return llvm::Error::success();
  }

  llvm::Error readPlacements() {
    if (files_.placements.empty())
      return stepError("", "got no placements, expected how the ranks hold the inputs and outputs of the single step",
                       "give --placements FILE: {\"mesh\": {\"axes\": [\"dp\"], \"sizes\": [2]}, \"inputs\": "
                       "[{\"position\": 0, \"single\": 0, \"of\": \"x\", \"placement\": {\"dp\": \"shard(0)\"}}, ...], "
                       "\"outputs\": [...]}");
    llvm::Expected<InputFile> file = InputFile::open(files_.placements);
    if (!file)
      return file.takeError();
    llvm::Expected<StepPlacements> placements = readPlacementFile(file->source());
    if (!placements)
      return placements.takeError();
    comparison_.placements = std::move(*placements);
    return llvm::Error::success();
  }

  [[nodiscard]] size_t numParallel() const { return graphs_.size() - 1; }

  /// Returns the number of ranks that the files state; 0 if they state none.
  [[nodiscard]] size_t countRanks() const {
    if (numParallel() > 1)
      return numParallel();
    if (files_.ranks != 0)
      return files_.ranks;
    if (tables_.size() > 1)
      return tables_.size();
    int64_t mesh = 1;
    for (const NamedAxis &axis : comparison_.placements.mesh)
      mesh = saturatingMultiply(mesh, axis.size);
    if (mesh > 0 && mesh <= static_cast<int64_t>(mostRanks))
      return static_cast<size_t>(mesh);
    int64_t highest = -1;
    for (const GroupTable &table : tables_)
      highest = std::max(highest, highestRank(table));
    return std::max(static_cast<size_t>(highest + 1), statedRanks(*graphs_.back()));
  }

  static int64_t highestRank(const GroupTable &table) {
    int64_t highest = -1;
    for (const Group &group : table.groups()) {
      for (int64_t rank : group.ranks)
        highest = std::max(highest, rank);
      for (const std::vector<int64_t> &cell : group.partition)
        for (int64_t rank : cell)
          highest = std::max(highest, rank);
    }
    return highest;
  }

  llvm::Error addRanks() {
    const size_t ranks = countRanks();
    if (ranks == 0 || ranks > mostRanks)
      return stepError(files_.parallel.front(), "got one graph that does not state its number of ranks",
                       "give --ranks N, --groups FILE, or one graph for each rank");
    if (tables_.size() > 1 && tables_.size() != ranks)
      return stepError("",
                       "got " + llvm::Twine(tables_.size()) + " group files for " + llvm::Twine(ranks) +
                           " ranks, expected one, or one for each rank",
                       "list them in the order of the ranks");
    for (size_t rank = 0; rank != ranks; ++rank) {
      const Graph &graph = *graphs_[numParallel() > 1 ? rank + 1 : 1];
      equality::RankStep step{&graph, graph.groups()};
      if (!tables_.empty())
        for (const Group &group : tables_[tables_.size() > 1 ? rank : 0].groups())
          step.groups.set(group);
      addWorld(step, ranks);
      comparison_.ranks.push_back(std::move(step));
    }
    return sizeMesh();
  }

  /// The group "0" is the default group of all ranks, unless a file states it.
  static void addWorld(equality::RankStep &step, size_t ranks) {
    if (step.groups.find("0"))
      return;
    Group world;
    world.name = "0";
    for (size_t rank = 0; rank != ranks; ++rank)
      world.ranks.push_back(static_cast<int64_t>(rank));
    step.groups.set(std::move(world));
  }

  llvm::Error sizeMesh() {
    std::vector<NamedAxis> &mesh = comparison_.placements.mesh;
    for (NamedAxis &axis : mesh)
      for (const Group &group : comparison_.ranks.front().groups.groups())
        if (axis.size == 0 && (group.description == "mesh_" + axis.name || group.description == axis.name))
          axis.size = group.size().value_or(0);
    if (mesh.size() == 1 && mesh.front().size == 0)
      mesh.front().size = static_cast<int64_t>(comparison_.ranks.size());
    for (const NamedAxis &axis : mesh)
      if (axis.size == 0)
        return stepError(files_.placements, "the size of axis '" + axis.name + "' is not known",
                         "state the mesh in this file: \"mesh\": {\"axes\": [\"dp\", \"tp\"], \"sizes\": [2, 4]}");
    return llvm::Error::success();
  }

  const StepFiles &files_;
  Diagnostics &warnings_;
  Context context_;
  /// the single graph, then those of the parallel step
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<GroupTable> tables_;
  equality::StepComparison comparison_;
};

} // namespace

llvm::Expected<equality::StepAnswer> compareStepFiles(const StepFiles &files, Diagnostics &warnings) {
  return StepReader(files, warnings).compare();
}

} // namespace ccgraph

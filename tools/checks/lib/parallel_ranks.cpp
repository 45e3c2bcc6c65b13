#include "parallel_ranks.h"

#include "ccgraph/frontend/group_file.h"
#include "ccgraph/frontend/job_file.h"
#include "ccgraph/frontend/placement_file.h"
#include "ccgraph/toolkit/graph_choice.h"
#include "ccgraph/toolkit/graph_files.h"
#include "ccgraph/toolkit/group_assumption.h"
#include "ccgraph/toolkit/job_files.h"
#include "ccgraph/toolkit/node_places.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>

namespace ccgraph {

llvm::Error stepError(const StepComplaint &about, const llvm::Twine &message, const llvm::Twine &repair) {
  Diagnostic diagnostic = diagnose(about.rule, message.str(), repair.str());
  diagnostic.file = about.file;
  return makeError(std::move(diagnostic));
}

llvm::Expected<std::optional<InputFile>> openJob(llvm::ArrayRef<std::string> graphs) {
  std::optional<InputFile> job;
  if (graphs.size() > 1 || graphs.front() == "-")
    return job;
  llvm::Expected<InputFile> file = InputFile::open(graphs.front());
  if (!file)
    return file.takeError();
  if (isJobFile(file->text()))
    job = std::move(*file);
  return job;
}

llvm::Expected<std::unique_ptr<Graph>> ParallelRanks::readGraph(const std::string &path) {
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

llvm::Error ParallelRanks::readFiles(llvm::ArrayRef<std::string> graphs, llvm::ArrayRef<std::string> groups) {
  llvm::Expected<std::optional<InputFile>> job = openJob(graphs);
  if (!job)
    return job.takeError();
  if (*job && !groups.empty())
    return stepError({rule_, (*job)->name()}, "got groups besides a job file, expected none",
                     "name the group files in the job file: \"groups\": \"facts.json\"");
  if (*job)
    return readJob(**job);
  if (llvm::Error error = readGroups(groups))
    return error;
  return readGraphs(graphs);
}

llvm::Error ParallelRanks::readJob(const InputFile &file) {
  llvm::Expected<JobDescription> job = describeJobFile(file);
  if (!job)
    return job.takeError();
  std::vector<const JobGraph *> ofRanks(ranksOf(job->graphs), nullptr);
  for (const JobGraph &graph : job->graphs)
    for (int64_t rank : graph.ranks)
      ofRanks[static_cast<size_t>(rank)] = &graph;
  std::vector<std::string> graphs;
  for (size_t rank = 0; rank != ofRanks.size(); ++rank) {
    if (!ofRanks[rank])
      return stepError({rule_, file.name()}, "no graph is that of rank " + llvm::Twine(rank),
                       "list the graph of each rank from 0 on");
    graphs.push_back(ofRanks[rank]->path);
    const std::string &groups = ofRanks[rank]->groups;
    // Ranks of one group file share what was read of it.
    if (rank != 0 && groups == ofRanks[rank - 1]->groups)
      tables_.push_back(tables_.back());
    else if (groups.empty())
      tables_.emplace_back();
    else if (llvm::Error error = readGroups(groups))
      return error;
  }
  return readGraphs(graphs);
}

llvm::Error ParallelRanks::readGroups(llvm::ArrayRef<std::string> paths) {
  for (const std::string &path : paths) {
    llvm::Expected<InputFile> file = InputFile::open(path);
    if (!file)
      return file.takeError();
    llvm::Expected<GroupTable> table = readGroupFile(file->source());
    if (!table)
      return table.takeError();
    tables_.push_back(std::move(*table));
  }
  return llvm::Error::success();
}

namespace {

/// Finds files of equal bytes, so that a text that each rank has in a file of its own is read once.
class EqualFiles {
public:
  /// Returns the first path whose file has the same bytes; the path itself if there is none, or it cannot be read.
  std::string firstOf(const std::string &path) {
    constexpr bool isText = false, isVolatile = false;
    if (path == "-")
      return path;
    auto file = llvm::MemoryBuffer::getFile(path, isText, isVolatile);
    if (!file)
      return path;
    std::vector<std::string> &candidates = bySize_[(*file)->getBufferSize()];
    for (const std::string &candidate : candidates)
      if (auto other = llvm::MemoryBuffer::getFile(candidate, isText, isVolatile);
          other && (*other)->getBuffer() == (*file)->getBuffer())
        return candidate;
    candidates.push_back(path);
    return path;
  }

private:
  std::map<size_t, std::vector<std::string>> bySize_;
};

} // namespace

llvm::Error ParallelRanks::readGraphs(llvm::ArrayRef<std::string> paths) {
  firstPath_ = paths.front();
  llvm::StringMap<size_t> known;
  EqualFiles equal;
  for (const std::string &path : paths) {
    if (auto earlier = known.find(path); earlier != known.end()) {
      texts_.push_back(earlier->second);
      continue;
    }
    const std::string first = equal.firstOf(path);
    auto [place, isNew] = known.try_emplace(first, graphs_.size());
    known[path] = place->second;
    texts_.push_back(place->second);
    if (!isNew)
      continue;
    llvm::Expected<std::unique_ptr<Graph>> graph = readGraph(path);
    if (!graph)
      return graph.takeError();
    graphs_.push_back(std::move(*graph));
  }
  return llvm::Error::success();
}

static llvm::Expected<StepPlacements> placementsOf(const std::string &path) {
  if (path.empty())
    return StepPlacements();
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  return readPlacementFile(file->source());
}

llvm::Expected<StepPlacements> ParallelRanks::readPlacements(const std::string &path, size_t statedRanks) {
  llvm::Expected<StepPlacements> placements = placementsOf(path);
  if (!placements)
    return placements;
  if (llvm::Error error = countRanks(statedRanks, placements->mesh))
    return error;
  if (llvm::Error error = sizeMesh(placements->mesh, path))
    return error;
  if (needsJoining(*placements))
    if (llvm::Error error = join(*placements))
      return error;
  return placements;
}

llvm::Error ParallelRanks::join(StepPlacements &placements) {
  std::vector<equality::RankStep> given;
  for (size_t rank = 0; rank != numRanks(); ++rank)
    given.push_back({&graph(rank), groups(rank)});
  llvm::Expected<equality::JoinedSteps> joined = equality::joinSteps(given, placements);
  if (!joined)
    return joined.takeError();
  joined_ = std::move(*joined);
  if (!joined_->problem.empty())
    return llvm::Error::success();
  groups_.clear();
  for (const equality::RankStep &rank : joined_->ranks)
    groups_.push_back(rank.groups);
  placements = joined_->placements;
  return llvm::Error::success();
}

std::string ParallelRanks::stageProblem() const {
  return joined_ && !joined_->problem.empty() ? "the stages cannot be joined: " + joined_->problem : "";
}

llvm::Error ParallelRanks::stageError() const {
  if (stageProblem().empty())
    return llvm::Error::success();
  return stepError({rule_, firstPath_}, stageProblem(), "compare the stages one at a time");
}

equality::StepAnswer undecidedStep(std::string why) {
  equality::StepAnswer answer;
  answer.assumed.push_back(std::move(why));
  return answer;
}

void ParallelRanks::restore(equality::StepAnswer &answer, bool ofReference) const {
  if (!joined_)
    return;
  for (equality::StepPlace &place : ofReference ? answer.whereInReference : answer.where)
    joined_->restore(place);
  for (equality::WrongOutput &output : answer.wrong)
    if (output.inReference == ofReference)
      joined_->restore(output);
}

namespace {

int64_t highestRank(const GroupTable &table) {
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

/// The group "0" is the default group of all ranks, unless a file states it.
void addWorld(GroupTable &groups, size_t ranks) {
  if (groups.find("0"))
    return;
  Group world;
  world.name = "0";
  for (size_t rank = 0; rank != ranks; ++rank)
    world.ranks.push_back(static_cast<int64_t>(rank));
  groups.set(std::move(world));
}

} // namespace

size_t ParallelRanks::impliedRanks(size_t stated, llvm::ArrayRef<NamedAxis> mesh) const {
  if (texts_.size() > 1)
    return texts_.size();
  if (stated != 0)
    return stated;
  if (tables_.size() > 1)
    return tables_.size();
  int64_t count = mesh.empty() ? 0 : 1;
  for (const NamedAxis &axis : mesh)
    count = saturatingMultiply(count, axis.size);
  if (count > 0 && count <= static_cast<int64_t>(mostRanks))
    return static_cast<size_t>(count);
  int64_t highest = -1;
  for (const GroupTable &table : tables_)
    highest = std::max(highest, highestRank(table));
  return std::max(static_cast<size_t>(highest + 1), statedRanks(*graphs_.back()));
}

llvm::Error ParallelRanks::countRanks(size_t stated, llvm::ArrayRef<NamedAxis> mesh) {
  const size_t ranks = impliedRanks(stated, mesh);
  if (ranks == 0 || ranks > mostRanks)
    return stepError({rule_, firstPath_}, "got one graph that does not state its number of ranks",
                     "give --ranks N, --groups FILE, or one graph for each rank");
  if (tables_.size() > 1 && tables_.size() != ranks)
    return stepError({rule_, ""},
                     "got " + llvm::Twine(tables_.size()) + " group files for " + llvm::Twine(ranks) +
                         " ranks, expected one, or one for each rank",
                     "list them in the order of the ranks");
  for (size_t rank = 0; rank != ranks; ++rank) {
    GroupTable groups = graph(rank).groups();
    if (!tables_.empty())
      for (const Group &group : tables_[tables_.size() > 1 ? rank : 0].groups())
        groups.set(group);
    addWorld(groups, ranks);
    groups_.push_back(std::move(groups));
  }
  return llvm::Error::success();
}

llvm::Error ParallelRanks::sizeMesh(std::vector<NamedAxis> &mesh, llvm::StringRef file) const {
  for (NamedAxis &axis : mesh)
    for (const Group &group : groups_.front().groups())
      if (axis.size == 0 && (group.description == "mesh_" + axis.name || group.description == axis.name))
        axis.size = group.size().value_or(0);
  if (mesh.size() == 1 && mesh.front().size == 0)
    mesh.front().size = static_cast<int64_t>(numRanks());
  for (const NamedAxis &axis : mesh)
    if (axis.size == 0)
      return stepError({rule_, file.str()}, "the size of axis '" + axis.name + "' is not known",
                       "state the mesh in this file: \"mesh\": {\"axes\": [\"dp\", \"tp\"], \"sizes\": [2, 4]}");
  return llvm::Error::success();
}

} // namespace ccgraph

#include "ccgraph/toolkit/job_files.h"

#include "ccgraph/frontend/job_file.h"
#include "ccgraph/ir/context.h"
#include "ccgraph/toolkit/graph_choice.h"
#include "ccgraph/toolkit/graph_files.h"
#include "ccgraph/toolkit/group_assumption.h"
#include "ccgraph/toolkit/node_places.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Path.h"

#include <map>
#include <numeric>
#include <set>

namespace ccgraph {
namespace {

llvm::Error jobError(llvm::StringRef file, const llvm::Twine &message, const llvm::Twine &repair) {
  Diagnostic diagnostic;
  diagnostic.rule = "job.input";
  diagnostic.file = file.str();
  diagnostic.message = message.str();
  diagnostic.notes.push_back(repair.str());
  return makeError(std::move(diagnostic));
}

/// Returns a path of a job file, which is relative to the folder of that file.
std::string besideJob(llvm::StringRef job, llvm::StringRef path) {
  if (path.empty() || llvm::sys::path::is_absolute(path))
    return path.str();
  llvm::SmallString<256> full(llvm::sys::path::parent_path(job));
  llvm::sys::path::append(full, path);
  return full.str().str();
}

llvm::Expected<std::vector<JobGraph>> ofJobFile(const InputFile &file, llvm::ArrayRef<std::string> groups) {
  if (!groups.empty())
    return jobError(file.name(), "got --groups besides a job file, expected none",
                    "name the group files in the job file: \"groups\": \"facts.json\"");
  llvm::Expected<std::vector<JobFileEntry>> entries = readJobFile(file.source());
  if (!entries)
    return entries.takeError();
  std::vector<JobGraph> job;
  for (JobFileEntry &entry : *entries)
    job.push_back({besideJob(file.name(), entry.graph), besideJob(file.name(), entry.groups), std::move(entry.ranks)});
  return job;
}

llvm::Expected<std::vector<JobGraph>> ofGraphs(llvm::ArrayRef<std::string> paths, llvm::ArrayRef<std::string> groups) {
  if (groups.size() > 1 && groups.size() != paths.size())
    return jobError("",
                    "got " + llvm::Twine(groups.size()) + " group files for " + llvm::Twine(paths.size()) +
                        " graphs, expected one, or one for each graph",
                    "list them in the order of the graphs");
  std::vector<JobGraph> job;
  for (size_t rank = 0; rank < paths.size(); ++rank) {
    JobGraph graph{paths[rank], groups.empty() ? "" : groups[groups.size() == 1 ? 0 : rank], {}};
    if (paths.size() > 1)
      graph.ranks.push_back(static_cast<int64_t>(rank));
    job.push_back(std::move(graph));
  }
  return job;
}

llvm::Expected<std::vector<JobGraph>> ofFiles(llvm::ArrayRef<std::string> paths, llvm::ArrayRef<std::string> groups) {
  if (paths.size() == 1) {
    llvm::Expected<InputFile> file = InputFile::open(paths.front());
    if (!file)
      return file.takeError();
    if (isJobFile(file->text()))
      return ofJobFile(*file, groups);
  }
  return ofGraphs(paths, groups);
}

/// The graphs of one compilation: by stage, the index of each rank's last graph in the list.
using Stages = std::map<unsigned, std::map<int64_t, size_t>>;

/// Returns the graphs of the latest stage that all ranks have which have any.
const std::map<int64_t, size_t> &lastCommonStage(const Stages &stages) {
  size_t ranks = 0;
  for (const auto &[stage, graphs] : stages)
    ranks = std::max(ranks, graphs.size());
  auto last =
      std::find_if(stages.rbegin(), stages.rend(), [&](const auto &stage) { return stage.second.size() == ranks; });
  return last->second;
}

/// Returns no job if the log has the graphs of one rank only, which is then the program of every rank.
llvm::Expected<std::vector<JobDescription>> ofLogs(const std::string &path, llvm::ArrayRef<std::string> groups,
                                                   Diagnostics &warnings) {
  llvm::Expected<std::vector<ListedGraph>> listed = listGraphs(path, warnings);
  if (!listed)
    return listed.takeError();
  std::map<std::string, Stages> compilations;
  std::set<int64_t> ranks;
  for (size_t i = 0; i < listed->size(); ++i)
    if (const ListedGraph &graph = (*listed)[i];
        graph.rank && graph.leftOut.empty() && graph.stage > 0 && graph.role != GraphRole::Joint) {
      ranks.insert(*graph.rank);
      compilations[graph.compileId + " " + graphRoleName(graph.role).str()][graph.stage][*graph.rank] = i;
    }
  std::vector<JobDescription> jobs;
  if (ranks.size() < 2)
    return jobs;
  if (groups.size() > 1)
    return jobError(path, "got " + llvm::Twine(groups.size()) + " group files for logs, expected at most one",
                    "the logs state the groups of each rank");
  for (const auto &[compilation, stages] : compilations) {
    jobs.push_back({compilation, {}});
    for (auto [rank, index] : lastCommonStage(stages))
      jobs.back().graphs.push_back({path, groups.empty() ? "" : groups.front(), {rank}, std::to_string(index)});
  }
  return jobs;
}

/// Reads one graph with its groups; the caller verifies it.
class JobGraphReader {
public:
  JobGraphReader(const JobGraph &from, Diagnostics &warnings) : from_(from), warnings_(warnings) {}

  llvm::Error read() {
    llvm::Expected<GraphInput> input = openGraphs(from_.path, from_.selector, warnings_);
    if (!input)
      return input.takeError();
    input_.emplace(std::move(*input));
    llvm::Expected<std::unique_ptr<Graph>> graph = loadGraph(context_, input_->file, input_->selector, &warnings_);
    if (!graph)
      return graph.takeError();
    graph_ = std::move(*graph);
    addStatedGroups(*graph_, *input_);
    return from_.groups.empty() ? llvm::Error::success() : addGroups(*graph_, from_.groups);
  }

  /// Adds the place in the file to an error about a node.
  llvm::Error placed(llvm::Error error) const {
    return error ? withPlaces(std::move(error), {input_->file, input_->selector}) : std::move(error);
  }

  /// Assumes the groups that no file describes, for a job of this many ranks.
  llvm::Error verify(size_t ranks) {
    assumeGroups(*graph_, ranks);
    return placed(checkWellFormed(*graph_));
  }

  [[nodiscard]] const Graph &graph() const { return *graph_; }

private:
  const JobGraph &from_;
  Diagnostics &warnings_;
  Context context_;
  std::optional<GraphInput> input_;
  std::unique_ptr<Graph> graph_;
};

/// Returns the number of ranks that entries with ranks describe.
size_t ranksOf(llvm::ArrayRef<JobGraph> job) {
  int64_t highest = -1;
  for (const JobGraph &graph : job)
    if (!graph.ranks.empty())
      highest = std::max(highest, graph.ranks.back());
  return static_cast<size_t>(highest + 1);
}

llvm::Error visitOne(const JobGraph &from, size_t ranks, Diagnostics &warnings, JobGraphVisitor visit) {
  JobGraphReader reader(from, warnings);
  if (llvm::Error error = reader.read())
    return error;
  if (ranks == 0)
    ranks = statedRanks(reader.graph());
  if (ranks == 0 || ranks > mostRanks)
    return jobError(from.path,
                    "got one graph that does not state its number of ranks, expected 1 to " + llvm::Twine(mostRanks),
                    "give --ranks N, or one graph for each rank");
  if (llvm::Error error = reader.verify(ranks))
    return error;
  if (!from.ranks.empty())
    return reader.placed(visit(reader.graph(), from.ranks));
  std::vector<int64_t> all(ranks);
  std::iota(all.begin(), all.end(), int64_t{0});
  return reader.placed(visit(reader.graph(), all));
}

} // namespace

llvm::Expected<std::vector<JobDescription>> describeJobs(llvm::ArrayRef<std::string> paths,
                                                         llvm::ArrayRef<std::string> groups, Diagnostics &warnings) {
  if (paths.size() == 1 && paths.front() != "-" && TraceLog::isTrace(paths.front())) {
    llvm::Expected<std::vector<JobDescription>> jobs = ofLogs(paths.front(), groups, warnings);
    if (!jobs || !jobs->empty())
      return jobs;
  }
  llvm::Expected<std::vector<JobGraph>> graphs = ofFiles(paths, groups);
  if (!graphs)
    return graphs.takeError();
  return std::vector<JobDescription>{{"", std::move(*graphs)}};
}

llvm::Error visitJobGraphs(llvm::ArrayRef<JobGraph> job, size_t ranks, Diagnostics &warnings, JobGraphVisitor visit) {
  if (size_t stated = ranksOf(job))
    ranks = stated;
  for (const JobGraph &graph : job)
    if (llvm::Error error = visitOne(graph, ranks, warnings, visit))
      return error;
  return llvm::Error::success();
}

} // namespace ccgraph

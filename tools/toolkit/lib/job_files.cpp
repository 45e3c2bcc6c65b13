#include "ccgraph/toolkit/job_files.h"

#include "ccgraph/frontend/job_file.h"
#include "ccgraph/frontend/json_plan.h"
#include "ccgraph/ir/context.h"
#include "ccgraph/ir/plan_verifier.h"
#include "ccgraph/jobs/check.h"
#include "ccgraph/toolkit/graph_choice.h"
#include "ccgraph/toolkit/graph_files.h"
#include "ccgraph/toolkit/group_assumption.h"
#include "ccgraph/toolkit/node_places.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Path.h"

#include <deque>
#include <future>
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

/// "0/1 forward" is the second compilation of part 0.
struct Compilation {
  std::string part;
  GraphRole role = GraphRole::Forward;
  unsigned attempt = 0;
  std::string name;
  friend bool operator<(const Compilation &a, const Compilation &b) { return a.name < b.name; }
};

Compilation compilationOf(const ListedGraph &graph) {
  Compilation compilation{graph.compileId, graph.role, 0, graph.compileId + " " + graphRoleName(graph.role).str()};
  auto [part, attempt] = llvm::StringRef(graph.compileId).split('/');
  if (!attempt.getAsInteger(10, compilation.attempt))
    compilation.part = part.str();
  return compilation;
}

/// Returns the graphs of the latest stage that all ranks have which have any.
const std::map<int64_t, size_t> &lastCommonStage(const Stages &stages) {
  size_t ranks = 0;
  for (const auto &[stage, graphs] : stages)
    ranks = std::max(ranks, graphs.size());
  auto last =
      std::find_if(stages.rbegin(), stages.rend(), [&](const auto &stage) { return stage.second.size() == ranks; });
  return last->second;
}

/// Makes the jobs of the compilations in logs.
class LoggedJobs {
public:
  LoggedJobs(llvm::ArrayRef<ListedGraph> listed, JobGraph common) : common_(std::move(common)) {
    for (size_t i = 0; i < listed.size(); ++i)
      if (const ListedGraph &graph = listed[i];
          graph.rank && graph.leftOut.empty() && graph.stage > 0 && graph.role != GraphRole::Joint) {
        ranks_.insert(*graph.rank);
        compilations_[compilationOf(graph)][graph.stage][*graph.rank] = i;
      }
  }

  [[nodiscard]] size_t numRanks() const { return ranks_.size(); }

  std::vector<JobDescription> make() const {
    std::vector<JobDescription> jobs;
    for (const auto &[compilation, stages] : compilations_)
      jobs.push_back(jobOf(compilation, lastCommonStage(stages)));
    return jobs;
  }

private:
  [[nodiscard]] JobGraph graphAt(int64_t rank, size_t index) const {
    JobGraph graph = common_;
    graph.ranks = {rank};
    graph.selector = std::to_string(index);
    return graph;
  }

  JobDescription jobOf(const Compilation &compilation, const std::map<int64_t, size_t> &graphs) const {
    JobDescription job{compilation.name, {}};
    std::map<std::string, std::vector<int64_t>> reused;
    for (int64_t rank : ranks_)
      if (auto own = graphs.find(rank); own != graphs.end()) {
        job.graphs.push_back(graphAt(rank, own->second));
        if (!earlier(compilation, rank))
          job.graphs.back().place = own->second;
      } else if (const Compilation *other = earlier(compilation, rank)) {
        job.graphs.push_back(graphAt(rank, lastCommonStage(compilations_.at(*other)).at(rank)));
        reused[other->name].push_back(rank);
      }
    for (const auto &[name, ranks] : reused)
      job.assumptions.push_back(jobs::spansText(ranks) + (ranks.size() == 1 ? ", which has" : ", which have") +
                                " not compiled " + compilation.name + (ranks.size() == 1 ? ", runs " : ", run ") +
                                name + " there");
    return job;
  }

  /// Returns the compilation of the same part that the rank had before this one; null if there is none.
  [[nodiscard]] const Compilation *earlier(const Compilation &compilation, int64_t rank) const {
    const Compilation *latest = nullptr;
    for (const auto &[other, stages] : compilations_)
      if (other.part == compilation.part && other.role == compilation.role && other.attempt < compilation.attempt &&
          (!latest || other.attempt > latest->attempt) && lastCommonStage(stages).count(rank) != 0)
        latest = &other;
    return latest;
  }

  /// path and groups of each graph
  JobGraph common_;
  std::set<int64_t> ranks_;
  std::map<Compilation, Stages> compilations_;
};

/// Returns no job if the log has the graphs of one rank only, which is then the program of every rank.
llvm::Expected<std::vector<JobDescription>> ofLogs(const std::string &path, llvm::ArrayRef<std::string> groups,
                                                   Diagnostics &warnings) {
  llvm::Expected<std::vector<ListedGraph>> listed = listGraphs(path, warnings);
  if (!listed)
    return listed.takeError();
  LoggedJobs logged(*listed, {path, groups.empty() ? "" : groups.front(), {}});
  if (logged.numRanks() < 2)
    return std::vector<JobDescription>();
  if (groups.size() > 1)
    return jobError(path, "got " + llvm::Twine(groups.size()) + " group files for logs, expected at most one",
                    "the logs state the groups of each rank");
  return logged.make();
}

/// Returns all ranks of a job, if an entry does not list its own.
std::vector<int64_t> ranksFor(const JobGraph &from, size_t ranks) {
  if (!from.ranks.empty())
    return from.ranks;
  std::vector<int64_t> all(ranks);
  std::iota(all.begin(), all.end(), int64_t{0});
  return all;
}

llvm::Error checkRanks(const JobGraph &from, const char *what, size_t ranks) {
  if (ranks > 0 && ranks <= mostRanks)
    return llvm::Error::success();
  return jobError(from.path,
                  llvm::Twine("got one ") + what + " that does not state its number of ranks, expected 1 to " +
                      llvm::Twine(mostRanks),
                  llvm::Twine("give --ranks N, or one ") + what + " for each rank");
}

/// Reads one graph or plan, completes and verifies it.
class JobGraphReader final : public LoadedJobGraph {
public:
  explicit JobGraphReader(const JobGraphRequest &request) : from_(*request.graph), ranks_(request.ranks) {}

  llvm::Error read() {
    llvm::Expected<GraphInput> input = openGraphs(from_.path, from_.selector, warnings_);
    if (!input)
      return input.takeError();
    input_.emplace(std::move(*input));
    return isPlan(input_->file.text()) ? readPlanFile() : readGraphFile();
  }

  llvm::Error visit(JobGraphVisitor &visitor) const override {
    std::vector<int64_t> ranks = ranksFor(from_, ranks_);
    return placed(plan_ ? visitor.visit(*plan_, ranks) : visitor.visit(*graph_, *storages_, ranks));
  }
  std::vector<Diagnostic> takeWarnings() { return warnings_.take(); }

private:
  /// Adds the place in the file to an error about a node.
  llvm::Error placed(llvm::Error error) const {
    return error ? withPlaces(std::move(error), {input_->file, input_->selector}) : std::move(error);
  }

  llvm::Error readGraphFile() {
    llvm::Expected<std::unique_ptr<Graph>> graph = loadGraph(context_, input_->file, input_->selector, &warnings_);
    if (!graph)
      return graph.takeError();
    graph_ = std::move(*graph);
    addStatedGroups(*graph_, *input_);
    if (!from_.groups.empty())
      if (llvm::Error error = addGroups(*graph_, from_.groups))
        return error;
    if (ranks_ == 0)
      ranks_ = statedRanks(*graph_);
    if (llvm::Error error = checkRanks(from_, "graph", ranks_))
      return error;
    assumeGroups(*graph_, ranks_);
    storages_.emplace(*graph_);
    return placed(checkWellFormed(*graph_, &*storages_));
  }

  llvm::Error readPlanFile() {
    if (!from_.groups.empty())
      return jobError(from_.path, "got a plan with the group file " + from_.groups + ", expected none",
                      "a plan contains its groups");
    llvm::Expected<std::unique_ptr<Plan>> plan = readPlan(context_, input_->file.source(), {.warnings = &warnings_});
    if (!plan)
      return plan.takeError();
    plan_ = std::move(*plan);
    if (ranks_ == 0)
      ranks_ = static_cast<size_t>(plan_->worldSize.value_or(0));
    if (llvm::Error error = checkRanks(from_, "plan", ranks_))
      return error;
    return placed(verifyPlanOrError(*plan_));
  }

  const JobGraph &from_;
  size_t ranks_;
  Diagnostics warnings_;
  Context context_;
  std::optional<GraphInput> input_;
  std::unique_ptr<Graph> graph_;
  /// The verifier and the visitor both need them.
  std::optional<StorageMap> storages_;
  std::unique_ptr<Plan> plan_;
};

struct Loaded {
  llvm::Expected<std::unique_ptr<LoadedJobGraph>> graph;
  std::vector<Diagnostic> warnings;
};

Loaded load(const JobGraphRequest &request) {
  auto reader = std::make_unique<JobGraphReader>(request);
  llvm::Error error = reader->read();
  std::vector<Diagnostic> warnings = reader->takeWarnings();
  if (error)
    return {std::move(error), std::move(warnings)};
  return {std::move(reader), std::move(warnings)};
}

} // namespace

size_t ranksOf(llvm::ArrayRef<JobGraph> job) {
  int64_t highest = -1;
  for (const JobGraph &graph : job)
    if (!graph.ranks.empty())
      highest = std::max(highest, graph.ranks.back());
  return static_cast<size_t>(highest + 1);
}

struct JobGraphStream::Ahead {
  std::deque<std::future<Loaded>> graphs;
};

JobGraphStream::JobGraphStream(std::vector<JobGraphRequest> requests)
    : requests_(std::move(requests)), ahead_(std::make_unique<Ahead>()) {}

JobGraphStream::~JobGraphStream() {
  for (std::future<Loaded> &graph : ahead_->graphs)
    if (Loaded loaded = graph.get(); !loaded.graph)
      llvm::consumeError(loaded.graph.takeError()); // an earlier error has ended the job
}

void JobGraphStream::startReading() {
  for (; started_ < requests_.size() && ahead_->graphs.size() < mostAhead; ++started_)
    ahead_->graphs.push_back(std::async(std::launch::async, [request = requests_[started_]] { return load(request); }));
}

llvm::Expected<std::unique_ptr<LoadedJobGraph>> JobGraphStream::next(Diagnostics &warnings) {
  startReading();
  Loaded loaded = ahead_->graphs.front().get();
  ahead_->graphs.pop_front();
  startReading();
  for (Diagnostic &warning : loaded.warnings)
    warnings.add(std::move(warning));
  return std::move(loaded.graph);
}

llvm::Expected<JobDescription> describeJobFile(const InputFile &file) {
  llvm::Expected<std::vector<JobGraph>> graphs = ofJobFile(file, {});
  if (!graphs)
    return graphs.takeError();
  return JobDescription{"", std::move(*graphs)};
}

llvm::Expected<std::vector<JobDescription>> describeJobs(llvm::ArrayRef<std::string> paths,
                                                         llvm::ArrayRef<std::string> groups, Diagnostics &warnings) {
  bool isLog = false;
  if (paths.size() == 1 && paths.front() != "-" && TraceLog::isTrace(paths.front())) {
    llvm::Expected<std::vector<JobDescription>> jobs = ofLogs(paths.front(), groups, warnings);
    if (!jobs || !jobs->empty())
      return jobs;
    isLog = true;
  }
  llvm::Expected<std::vector<JobGraph>> graphs = isLog ? ofGraphs(paths, groups) : ofFiles(paths, groups);
  if (!graphs)
    return graphs.takeError();
  return std::vector<JobDescription>{{"", std::move(*graphs)}};
}

} // namespace ccgraph

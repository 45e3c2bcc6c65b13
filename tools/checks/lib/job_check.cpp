#include "ccgraph/checks/job_check.h"

#include "ccgraph/toolkit/cost_files.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {
namespace {

/// The jobs of an input: one for each description, and one in which each rank runs the graphs of its log in order.
struct ReadJobs {
  std::vector<jobs::Job> each;
  jobs::Job inOrder;
};

/// A graph of a description.
struct Part {
  size_t description = 0;
  const JobGraph *graph = nullptr;
};

/// Returns the graphs in the order in which they are read: those of a log in the order of the log, rank by rank.
std::vector<Part> partsOf(llvm::ArrayRef<JobDescription> described) {
  std::vector<Part> parts;
  for (size_t i = 0; i < described.size(); ++i)
    for (const JobGraph &graph : described[i].graphs)
      parts.push_back({i, &graph});
  auto keyOf = [](const Part &part) {
    bool isPlaced = part.graph->place.has_value();
    return std::tuple(!isPlaced, isPlaced ? part.graph->ranks.front() : 0, part.graph->place.value_or(0));
  };
  llvm::stable_sort(parts, [&](const Part &a, const Part &b) { return keyOf(a) < keyOf(b); });
  return parts;
}

/// Adds a program to its job, and a graph to the job of all compilations.
class Adder final : public JobGraphVisitor {
public:
  Adder(jobs::Job &job, jobs::Job *inOrder, const std::string &compilation)
      : job_(job), inOrder_(inOrder), compilation_(compilation) {}

  llvm::Error visit(const Graph &graph, const StorageMap &storages, llvm::ArrayRef<int64_t> ranks) override {
    llvm::Error error = job_.add(graph, ranks, &storages);
    return error || !inOrder_ ? std::move(error) : inOrder_->append(graph, ranks, compilation_, &storages);
  }
  llvm::Error visit(const Plan &plan, llvm::ArrayRef<int64_t> ranks) override { return job_.add(plan, ranks); }

private:
  jobs::Job &job_;
  jobs::Job *inOrder_;
  const std::string &compilation_;
};

/// Reads the graphs; each is freed when it has been added.
llvm::Expected<ReadJobs> readJobs(llvm::ArrayRef<JobDescription> described, size_t ranks, Diagnostics &warnings) {
  ReadJobs read;
  read.each.resize(described.size());
  std::vector<size_t> numRanks;
  for (const JobDescription &description : described) {
    size_t stated = ranksOf(description.graphs);
    numRanks.push_back(stated ? stated : ranks);
  }
  std::vector<Part> parts = partsOf(described);
  std::vector<JobGraphRequest> requests;
  for (const Part &part : parts)
    requests.push_back({part.graph, numRanks[part.description]});
  JobGraphStream stream(std::move(requests));
  for (const Part &part : parts) {
    llvm::Expected<std::unique_ptr<LoadedJobGraph>> loaded = stream.next(warnings);
    if (!loaded)
      return loaded.takeError();
    bool isOrdered = part.graph->place && described.size() > 1;
    Adder adder(read.each[part.description], isOrdered ? &read.inOrder : nullptr,
                described[part.description].compilation);
    if (llvm::Error error = (*loaded)->visit(adder))
      return error;
  }
  return read;
}

/// Returns the ranks of the findings, the worst first, and then the others.
std::vector<int64_t> ranksToShow(const jobs::Job &job, llvm::ArrayRef<jobs::Finding> findings, size_t most) {
  std::vector<int64_t> all = job.ranks(), shown;
  auto add = [&](int64_t rank) {
    if (shown.size() < most && !llvm::is_contained(shown, rank) && llvm::is_contained(all, rank))
      shown.push_back(rank);
  };
  for (const jobs::Finding &finding : findings) {
    for (const jobs::FindingNode &node : finding.nodes)
      add(node.rank);
    llvm::for_each(finding.culprits, add);
  }
  for (size_t i = 0; i < all.size() && shown.size() < most; ++i)
    add(all[i]);
  llvm::sort(shown);
  return shown;
}

void addTimelines(const jobs::Job &job, size_t most, CheckedJob &checked) {
  llvm::ArrayRef<jobs::SemanticsVerdict> verdicts = checked.result.verdicts;
  if (most == 0 || verdicts.empty())
    return;
  const auto *first = llvm::find_if(verdicts, [](const auto &verdict) { return verdict.deadlock; });
  checked.timelinesUnder = (first == verdicts.end() ? verdicts.front() : *first).under;
  checked.timelines = jobs::timelinesOf(job, checked.timelinesUnder, ranksToShow(job, checked.result.findings, most));
}

} // namespace

llvm::Error setMachine(JobCheckOptions &options, llvm::StringRef machine) {
  if (machine.empty())
    return llvm::Error::success();
  llvm::Expected<Machine> loaded = loadMachine(machine);
  if (!loaded)
    return loaded.takeError();
  options.check.mostResident = static_cast<size_t>(loaded->residentCommunicators);
  return llvm::Error::success();
}

llvm::Expected<CheckedJob> checkWholeJob(const jobs::Job &job, const JobCheckOptions &options) {
  CheckedJob checked;
  checked.result = jobs::checkJob(job, options.check);
  addTimelines(job, options.timelines, checked);
  if (!options.replays)
    return checked;
  llvm::Expected<std::vector<JobReplay>> replays = replayJob(job, options.check.under);
  if (!replays)
    return replays.takeError();
  if (llvm::Error error = compareReplays(checked.result, *replays))
    return error;
  checked.replays = std::move(*replays);
  return checked;
}

llvm::Expected<std::vector<CheckedJob>> checkJobFiles(llvm::ArrayRef<std::string> paths,
                                                      llvm::ArrayRef<std::string> groups,
                                                      const JobCheckOptions &options, Diagnostics &warnings) {
  llvm::Expected<std::vector<JobDescription>> described = describeJobs(paths, groups, warnings);
  if (!described)
    return described.takeError();
  llvm::Expected<ReadJobs> read = readJobs(*described, options.ranks, warnings);
  if (!read)
    return read.takeError();
  std::vector<CheckedJob> all;
  for (size_t i = 0; i < described->size(); ++i) {
    llvm::Expected<CheckedJob> checked = checkWholeJob(read->each[i], options);
    if (!checked)
      return checked.takeError();
    checked->compilation = (*described)[i].compilation;
    llvm::append_range(checked->result.assumptions, (*described)[i].assumptions);
    all.push_back(std::move(*checked));
  }
  bool isClean = llvm::all_of(all, [](const CheckedJob &job) { return job.result.findings.empty(); });
  if (read->inOrder.numRanks() < 2 || !isClean)
    return all;
  // What is wrong with one compilation would be found again.
  llvm::Expected<CheckedJob> inOrder = checkWholeJob(read->inOrder, options);
  if (!inOrder)
    return inOrder.takeError();
  inOrder->compilation = compilationsInOrder;
  all.push_back(std::move(*inOrder));
  return all;
}

} // namespace ccgraph

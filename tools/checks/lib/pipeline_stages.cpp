#include "ccgraph/checks/pipeline_stages.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/ir/text.h"
#include "ccgraph/toolkit/graph_files.h"
#include "ccgraph/toolkit/group_assumption.h"
#include "ccgraph/toolkit/node_places.h"

#include "stage_binding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

#include <numeric>
#include <set>

namespace ccgraph {
namespace {

/// Reads the graphs that a stages file names.
class StagesLoader {
public:
  StagesLoader(Context &context, const PipelineSchedule &schedule, const std::string &path, Diagnostics &warnings)
      : context_(context), schedule_(schedule), path_(path), warnings_(warnings) {}

  llvm::Expected<PipelineStages> load() {
    if (llvm::Error error = readFile())
      return error;
    if (llvm::Error error = checkCounts())
      return error;
    if (llvm::Error error = findPipelines())
      return error;
    for (const StagesFileEntry &entry : file_.stages)
      if (llvm::Error error = loadStage(entry))
        return error;
    std::vector<Diagnostic> findings = checkActions();
    if (findings.empty())
      findings = bindStages(file_.stages, stages_.stages);
    if (!findings.empty())
      return makeError(std::move(findings));
    return std::move(stages_);
  }

private:
  llvm::Error readFile() {
    llvm::Expected<InputFile> file = InputFile::open(path_);
    if (!file)
      return file.takeError();
    llvm::Expected<StagesFile> read = readStagesFile(file->source());
    if (!read)
      return read.takeError();
    file_ = std::move(*read);
    return llvm::Error::success();
  }

  [[nodiscard]] llvm::Error fail(std::string message, std::string repair) const {
    return makeError(stagesError(path_, std::move(message), std::move(repair)));
  }

  llvm::Error checkCounts() const {
    if (static_cast<int64_t>(file_.stages.size()) != schedule_.stages)
      return fail("got " + counted(file_.stages.size(), "stage") + ", expected " + std::to_string(schedule_.stages) +
                      ", as many as " + schedule_.origin + " has",
                  "give an entry for each stage, or the number of stages with --stages");
    if (file_.microbatches && *file_.microbatches != schedule_.microbatches)
      return fail("\"microbatches\" is " + std::to_string(*file_.microbatches) + ", expected " +
                      std::to_string(schedule_.microbatches) + ", as many as " + schedule_.origin + " has",
                  "make the schedule and the graphs with one number of microbatches");
    return llvm::Error::success();
  }

  [[nodiscard]] std::string beside(llvm::StringRef path) const {
    llvm::SmallString<256> full(llvm::sys::path::is_absolute(path) ? "" : llvm::sys::path::parent_path(path_));
    llvm::sys::path::append(full, path);
    return full.str().str();
  }

  /// Finds the group of pipelines in the group file.
  llvm::Error findPipelines() {
    Graph facts(context_);
    if (!file_.groups.empty())
      if (llvm::Error error = addGroups(facts, beside(file_.groups)))
        return error;
    const Group *stated = facts.groups().find(file_.pipeline);
    Group &pipelines = stages_.pipelines;
    if (stated)
      pipelines = *stated;
    pipelines.name = file_.pipeline;
    if (!pipelines.ranks.empty())
      pipelines.partition = {std::exchange(pipelines.ranks, {})};
    if (pipelines.partition.empty()) {
      pipelines.partition.emplace_back(schedule_.ranks.size());
      std::iota(pipelines.partition.front().begin(), pipelines.partition.front().end(), int64_t{0});
    }
    for (const std::vector<int64_t> &cell : pipelines.partition)
      if (cell.size() != schedule_.ranks.size())
        return fail("group " + file_.pipeline + " has pipelines of " + std::to_string(cell.size()) +
                        " ranks, expected " + std::to_string(schedule_.ranks.size()) + ", as many as " +
                        schedule_.origin + " has",
                    "\"pipeline\" names the group with one rank for each rank of the schedule, in their order");
    return llvm::Error::success();
  }

  llvm::Error loadStage(const StagesFileEntry &entry) {
    PipelineStage stage;
    for (auto [path, graph] : {std::pair(&entry.forward, &stage.forward),
                               {&entry.backward, &stage.backward},
                               {&entry.backwardInput, &stage.backwardInput},
                               {&entry.backwardWeight, &stage.backwardWeight},
                               {&entry.unshard, &stage.unshard},
                               {&entry.reduceGradient, &stage.reduceGradient}})
      if (!path->empty())
        if (llvm::Error error = loadStageGraph(beside(*path), *graph))
          return error;
    stages_.stages.push_back(std::move(stage));
    return llvm::Error::success();
  }

  llvm::Error loadStageGraph(const std::string &path, StageGraph &stage) {
    stage.path = path;
    llvm::Expected<InputFile> file = InputFile::open(path);
    if (!file)
      return file.takeError();
    llvm::Expected<std::unique_ptr<Graph>> graph = loadGraph(context_, *file, "", &warnings_);
    if (!graph)
      return graph.takeError();
    stage.graph = std::move(*graph);
    if (!file_.groups.empty())
      if (llvm::Error error = addGroups(*stage.graph, beside(file_.groups)))
        return error;
    assumeGroups(*stage.graph, stages_.pipelines.partition.size() * schedule_.ranks.size());
    llvm::Error error = checkWellFormed(*stage.graph);
    return error ? withPlaces(std::move(error), {*file, ""}) : std::move(error);
  }

  /// Reports for each stage and step the first action without a graph.
  std::vector<Diagnostic> checkActions() {
    std::vector<Diagnostic> findings;
    std::set<std::pair<int64_t, PipelineActionKind>> reported;
    for (size_t rank = 0; rank != schedule_.ranks.size(); ++rank)
      for (const PipelineSlot &slot : schedule_.ranks[rank])
        for (const PipelineAction &action : slot.actions) {
          bool hasGraph =
              !isCompute(action.kind) || stages_.stages[static_cast<size_t>(action.stage)].of(action.kind).graph;
          if (hasGraph || !reported.insert({action.stage, action.kind}).second)
            continue;
          findings.push_back(stagesError(path_,
                                         "stage " + std::to_string(action.stage) + " has no \"" +
                                             memberOf(action.kind) + "\", expected the graph of " + action.str() +
                                             " of rank " + std::to_string(rank),
                                         "the action is in line " + std::to_string(slot.line) + ", column " +
                                             std::to_string(slot.column) + " of " + schedule_.origin));
        }
    return findings;
  }

  static std::string memberOf(PipelineActionKind kind) {
    if (kind == PipelineActionKind::Backward)
      return "backward";
    return kind == PipelineActionKind::BackwardInput ? "backward_input" : "backward_weight";
  }

  Context &context_;
  const PipelineSchedule &schedule_;
  const std::string &path_;
  Diagnostics &warnings_;
  StagesFile file_;
  PipelineStages stages_;
};

} // namespace

const StageGraph &PipelineStage::of(PipelineActionKind kind) const {
  if (kind == PipelineActionKind::Backward)
    return backward;
  if (kind == PipelineActionKind::BackwardInput)
    return backwardInput;
  if (kind == PipelineActionKind::Unshard)
    return unshard;
  if (kind == PipelineActionKind::ReduceGradient)
    return reduceGradient;
  return kind == PipelineActionKind::BackwardWeight ? backwardWeight : forward;
}

std::vector<const StageGraph *> PipelineStage::all() const {
  return {&forward, &backward, &backwardInput, &backwardWeight, &unshard, &reduceGradient};
}

std::vector<int64_t> PipelineStages::ranksOf(size_t pipelineRank) const {
  std::vector<int64_t> ranks;
  for (const std::vector<int64_t> &cell : pipelines.partition)
    ranks.push_back(cell[pipelineRank]);
  llvm::sort(ranks);
  return ranks;
}

llvm::Expected<PipelineStages> loadPipelineStages(Context &context, const PipelineSchedule &schedule,
                                                  const std::string &path, Diagnostics &warnings) {
  return StagesLoader(context, schedule, path, warnings).load();
}

llvm::Error addPipeline(jobs::Job &job, Context &context, const PipelineSchedule &schedule,
                        const PipelineStages &stages) {
  for (size_t rank = 0; rank != schedule.ranks.size(); ++rank) {
    llvm::Expected<std::unique_ptr<Graph>> graph = pipelineGraph(context, schedule, rank, stages);
    if (!graph)
      return graph.takeError();
    if (llvm::Error error = job.add(**graph, stages.ranksOf(rank)))
      return error;
  }
  return llvm::Error::success();
}

} // namespace ccgraph

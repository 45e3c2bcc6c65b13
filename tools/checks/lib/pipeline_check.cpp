#include "ccgraph/checks/pipeline_check.h"

#include "ccgraph/checks/pipeline_graphs.h"
#include "ccgraph/checks/pipeline_stages.h"
#include "ccgraph/frontend/pipeline_file.h"
#include "ccgraph/ir/context.h"
#include "ccgraph/ir/pipeline_verifier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <set>

namespace ccgraph {
namespace {

/// Returns the value that the text names: a tensor whose sizes are numbers.
llvm::Expected<PipelineValue> valueOf(llvm::StringRef text) {
  PipelineValue value;
  if (text.empty())
    return value;
  Context context;
  llvm::Expected<const Type *> type = parseType(context, text);
  bool isKnown = type && (*type)->isTensor() &&
                 llvm::all_of((*type)->sizes(), [](const Dim &size) { return size.isStatic() && size.value() >= 0; });
  if (!type)
    llvm::consumeError(type.takeError());
  if (!isKnown)
    return makeError(diagnose("pipeline.sizes", "got '" + text.str() + "', expected a dtype and sizes that are numbers",
                              "for example bf16[4, 4096]: what a stage sends to the next for one microbatch"));
  value.dtype = (*type)->dtype();
  value.sizes.clear();
  for (const Dim &size : (*type)->sizes())
    value.sizes.push_back(size.value());
  return value;
}

/// Adds a graph for each rank, from the schedule alone.
llvm::Error addTransfers(jobs::Job &job, const PipelineSchedule &schedule, const PipelineValue &value) {
  for (size_t rank = 0; rank != schedule.ranks.size(); ++rank) {
    Context context;
    std::unique_ptr<Graph> graph = pipelineGraph(context, schedule, rank, value);
    if (llvm::Error error = job.add(*graph, {static_cast<int64_t>(rank)}))
      return error;
  }
  return llvm::Error::success();
}

/// The job of a schedule, and what its proof leaves out.
struct PipelineJob {
  jobs::Job job;
  std::vector<std::string> assumptions = {};
};

/// States which actions of stages with sharded parameters have no graph, so that their collectives are unknown.
void addAssumption(PipelineJob &job, const PipelineSchedule &schedule, const PipelineStages *stages) {
  std::set<std::string> steps;
  std::set<int64_t> without;
  for (const std::vector<PipelineSlot> &slots : schedule.ranks)
    for (const PipelineSlot &slot : slots)
      for (const PipelineAction &action : slot.actions)
        if (action.kind == PipelineActionKind::Unshard || action.kind == PipelineActionKind::ReduceGradient)
          if (!stages || !stages->stages[static_cast<size_t>(action.stage)].of(action.kind).graph) {
            steps.insert(pipelineActionName(action.kind).str());
            without.insert(action.stage);
          }
  if (steps.empty())
    return;
  std::vector<std::string> numbers;
  for (int64_t stage : without)
    numbers.push_back(std::to_string(stage));
  job.assumptions.push_back("the collectives of " + llvm::join(steps, " and ") +
                            (numbers.size() == 1 ? " of stage " : " of stages ") + llvm::join(numbers, ", ") +
                            " are not checked, since " +
                            (stages ? "the stages file has no graph for these actions" : "no stages file is given"));
}

llvm::Error addStages(PipelineJob &job, const PipelineSchedule &schedule, const std::string &path,
                      Diagnostics &warnings) {
  Context context;
  llvm::Expected<PipelineStages> stages = loadPipelineStages(context, schedule, path, warnings);
  if (!stages)
    return stages.takeError();
  addAssumption(job, schedule, &*stages);
  return addPipeline(job.job, context, schedule, *stages);
}

/// Returns the schedule as a job. PyTorch posts each transfer as a batch of its own; a schedule that runs to its end
/// may still deadlock where transfers block their rank.
llvm::Expected<PipelineJob> jobOf(const PipelineSchedule &schedule, const PipelineCheckRequest &request,
                                  Diagnostics &warnings) {
  llvm::Expected<PipelineValue> value = valueOf(request.stageSizes);
  if (!value)
    return value.takeError();
  PipelineJob job;
  PipelineSchedule complete = schedule.hasTransfers() ? schedule : withTransfers(schedule);
  if (!request.stageGraphs.empty()) {
    if (llvm::Error error = addStages(job, complete, request.stageGraphs, warnings))
      return error;
    return job;
  }
  addAssumption(job, complete, nullptr);
  if (llvm::Error error = addTransfers(job.job, complete, *value))
    return error;
  return job;
}

/// Returns whether the graphs of the schedule can be made: at most a deadlock is wrong with it.
bool isComplete(llvm::ArrayRef<Diagnostic> findings) {
  return llvm::all_of(findings, [](const Diagnostic &finding) { return finding.rule == "pipeline.deadlock"; });
}

} // namespace

size_t CheckedPipeline::numFindings() const {
  size_t count = findings.size();
  for (const CheckedJob &job : jobs)
    count += job.result.findings.size();
  return count;
}

llvm::Expected<bool> isPipelineFile(const std::string &path) {
  // Standard input can be read only once.
  if (path == "-" || llvm::sys::fs::is_directory(path))
    return false;
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  return isPipelineSchedule(file->text());
}

llvm::Expected<CheckedPipeline> checkPipeline(const InputFile &file, const PipelineCheckRequest &request,
                                              const JobCheckOptions &options, Diagnostics &warnings) {
  llvm::Expected<PipelineSchedule> schedule = readPipelineSchedule(file.source());
  if (!schedule)
    return schedule.takeError();
  if (request.stages != 0)
    schedule->stages = static_cast<int64_t>(request.stages);
  CheckedPipeline checked{
      schedule->ranks.size(), schedule->stages, schedule->microbatches, verifyPipelineSchedule(*schedule), {}};
  // The graphs of the ranks can be made only of a schedule in which no action is missing or misplaced.
  if (!isComplete(checked.findings))
    return checked;
  llvm::Expected<PipelineJob> job = jobOf(*schedule, request, warnings);
  if (!job)
    return job.takeError();
  llvm::Expected<CheckedJob> ofJob = checkWholeJob(job->job, options);
  if (!ofJob)
    return ofJob.takeError();
  llvm::append_range(ofJob->result.assumptions, job->assumptions);
  checked.jobs.push_back(std::move(*ofJob));
  return checked;
}

} // namespace ccgraph

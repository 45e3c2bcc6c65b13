#include "driver/check_pipeline.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/pipeline_file.h"
#include "ccgraph/ir/pipeline_verifier.h"
#include "ccgraph/ir/text.h"
#include "ccgraph/jobs/check.h"
#include "ccgraph/toolkit/pipeline_graphs.h"
#include "ccgraph/toolkit/pipeline_stages.h"
#include "driver/check_job.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

namespace ccgraph::driver {
namespace {

void printJson(llvm::raw_ostream &os, llvm::ArrayRef<Diagnostic> findings) {
  llvm::json::OStream json(os, 1);
  json.object([&] {
    json.attributeArray("findings", [&] {
      for (const Diagnostic &finding : findings)
        json.object([&] {
          json.attribute("rule", finding.rule);
          json.attribute("file", llvm::json::fixUTF8(finding.file));
          json.attribute("line", finding.line);
          json.attribute("column", finding.column);
          json.attribute("where", finding.where);
          json.attribute("message", finding.message);
          json.attribute("notes", llvm::json::Array(finding.notes));
        });
    });
  });
  os << '\n';
}

/// Adds a graph for each rank, from the schedule alone.
llvm::Error addTransfers(jobs::Job &job, const PipelineSchedule &schedule) {
  for (size_t rank = 0; rank != schedule.ranks.size(); ++rank) {
    Context context;
    std::unique_ptr<Graph> graph = pipelineGraph(context, schedule, rank);
    if (llvm::Error error = job.add(*graph, {static_cast<int64_t>(rank)}))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error addStages(jobs::Job &job, const PipelineSchedule &schedule, const std::string &path, Streams streams) {
  Context context;
  Diagnostics warnings;
  llvm::Expected<PipelineStages> stages = loadPipelineStages(context, schedule, path, warnings);
  streams.err << toString(warnings.take());
  return stages ? addPipeline(job, context, schedule, *stages) : stages.takeError();
}

/// Returns the schedule as a job. PyTorch posts each transfer as a batch of its own; a schedule that runs to its end
/// may still deadlock where transfers block their rank.
llvm::Expected<jobs::Job> jobOf(const PipelineSchedule &schedule, const std::string &stageGraphs, Streams streams) {
  jobs::Job job;
  PipelineSchedule complete = schedule.hasTransfers() ? schedule : withTransfers(schedule);
  if (llvm::Error error =
          stageGraphs.empty() ? addTransfers(job, complete) : addStages(job, complete, stageGraphs, streams))
    return error;
  return job;
}

/// Returns whether the graphs of the schedule can be made: at most a deadlock is wrong with it.
bool isComplete(llvm::ArrayRef<Diagnostic> findings) {
  return llvm::all_of(findings, [](const Diagnostic &finding) { return finding.rule == "pipeline.deadlock"; });
}

llvm::Expected<ExitCode> checkJobOf(const jobs::Job &job, const CheckOptions &options, const JobOutput &output) {
  llvm::Expected<JobCheckOptions> how = jobCheckOptions(options);
  if (!how)
    return how.takeError();
  llvm::Expected<CheckedJob> checked = checkWholeJob(job, *how);
  if (!checked)
    return checked.takeError();
  return reportJobs(options, *checked, output);
}

} // namespace

llvm::Expected<bool> isPipelineFile(const std::string &path) {
  // Standard input can be read only once.
  if (path == "-" || llvm::sys::fs::is_directory(path))
    return false;
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  return isPipelineSchedule(file->text());
}

llvm::Expected<ExitCode> checkPipelineOf(const CheckOptions &options, const std::string &path, Streams streams) {
  if (!options.groups.empty() || options.ranks != 0)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        llvm::Twine(options.ranks != 0 ? "--ranks" : "--groups") +
            " with a schedule: expected none\n  note: the schedule has a line for each rank; "
            "\"groups\" in the file of --stage-graphs names the group file");
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  llvm::Expected<PipelineSchedule> schedule = readPipelineSchedule(file->source());
  if (!schedule)
    return schedule.takeError();
  if (options.stages != 0)
    schedule->stages = static_cast<int64_t>(options.stages);
  std::vector<Diagnostic> findings = verifyPipelineSchedule(*schedule);
  // The graphs of the ranks can be made only of a schedule in which no action is missing or misplaced.
  if (!isComplete(findings)) {
    if (options.json)
      printJson(streams.out, findings);
    else
      streams.out << toString(findings);
    if (options.replay || !options.sarif.empty() || !options.dot.empty() || !options.report.empty())
      streams.err << "note: --replay, --sarif, --dot and --report need a schedule without these errors\n";
    return ExitCode::Diagnosed;
  }
  llvm::Expected<jobs::Job> job = jobOf(*schedule, options.stageGraphs, streams);
  if (!job)
    return job.takeError();
  bool prints = !options.json && !writesToOutput(options);
  if (prints && findings.empty())
    streams.out << visibleText(path) << " runs to its end: " << counted(schedule->ranks.size(), "rank") << ", "
                << counted(static_cast<size_t>(schedule->stages), "stage") << ", " << schedule->microbatches
                << (schedule->microbatches == 1 ? " microbatch\n" : " microbatches\n");
  else if (prints)
    streams.out << toString(findings);
  llvm::Expected<ExitCode> code = checkJobOf(*job, options, {path, streams});
  return !code || findings.empty() ? std::move(code) : ExitCode::Diagnosed;
}

} // namespace ccgraph::driver

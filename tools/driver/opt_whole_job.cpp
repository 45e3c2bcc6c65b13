#include "driver/opt_whole_job.h"

#include "ccgraph/frontend/job_file.h"
#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/job_output.h"
#include "report/job_rewrite_report.h"

#include "llvm/Support/FileSystem.h"

#include <set>

namespace ccgraph::driver {
namespace {

llvm::Error usage(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Most flags are about one graph.
llvm::Error checkFlags(const OptOptions &options) {
  static const std::set<std::string> known = {
      "-o", "--json", "--pipeline", "--machine", "--collectives", "--memory-budget", "-O0", "-O1", "-O2", "-O3"};
  for (const report::GivenFlag &flag : options.given)
    if (known.count(flag.name) == 0)
      return usage(flag.name + " with a job file: expected a flag that is about all graphs: -o, -O, --pipeline, "
                               "--machine, --collectives, --memory-budget, --json");
  if (options.output.empty() || options.output == "-")
    return usage("got a job file without -o FOLDER, expected the folder for the rewritten graphs");
  return llvm::Error::success();
}

llvm::Error rewrite(const OptOptions &options, const InputFile &file, Streams streams) {
  if (llvm::Error error = checkFlags(options))
    return error;
  bool isChosen = options.pipeline.level || options.pipeline.text;
  llvm::Expected<Pipeline> pipeline =
      isChosen ? options.pipeline.pipeline(defaultLevel) : Pipeline::parse(defaultJobPipeline);
  if (!pipeline)
    return pipeline.takeError();
  llvm::Expected<RunCosts> costs = loadRunCosts({options.pipeline.machine, options.pipeline.collectives, ""}, {});
  if (!costs)
    return costs.takeError();
  llvm::Expected<JobDescription> job = describeJobFile(file);
  if (!job)
    return job.takeError();
  Diagnostics warnings;
  JobRewriteRequest request{*job, *pipeline, options.pipeline.manager, costs->machine};
  llvm::Expected<JobRewrite> result = rewriteJobInto(options.output, request, warnings);
  std::string warned = toString(warnings.take());
  streams.err << warned;
  if (!result)
    return result.takeError();
  if (options.json)
    report::writeJobRewriteJson(streams.out, *result, warned);
  else
    report::writeJobRewriteText(streams.out, *result);
  return llvm::Error::success();
}

} // namespace

std::optional<InputFile> openJsonFile(const std::string &input) {
  // A job file is named so. Standard input and a folder of logs are opened where graphs are read.
  llvm::StringRef name = input;
  if (!(name.endswith(".json") || name.endswith(".json.gz")) || llvm::sys::fs::is_directory(input))
    return std::nullopt;
  llvm::Expected<InputFile> file = InputFile::open(input);
  if (file)
    return std::move(*file);
  llvm::consumeError(file.takeError());
  return std::nullopt;
}

ExitCode runWholeJob(const OptOptions &options, const InputFile &file, Streams streams) {
  llvm::Error error = rewrite(options, file, streams);
  if (!error)
    return ExitCode::Ok;
  ExitCode code = error.isA<DiagnosticError>() ? ExitCode::Diagnosed : ExitCode::Usage;
  printError(streams.err, std::move(error));
  return code;
}

} // namespace ccgraph::driver

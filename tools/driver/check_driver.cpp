#include "driver/check_driver.h"

#include "ccgraph/jobs/check.h"
#include "ccgraph/toolkit/job_files.h"
#include "driver/check_contract.h"
#include "driver/check_options.h"
#include "driver/check_pipeline.h"
#include "report/check_report.h"

namespace ccgraph::driver {
namespace {

/// Every error of ccgraph-check ends with this code, because 1 means that the job has findings.
ExitCode reject(Streams streams, llvm::Error error) {
  printError(streams.err, std::move(error));
  return ExitCode::Usage;
}

/// Reads the graphs; each is freed before the next one is read.
llvm::Expected<jobs::Job> readJob(const CheckOptions &options, llvm::ArrayRef<std::string> paths, Streams streams) {
  llvm::Expected<std::vector<JobGraph>> graphs = describeJob(paths, options.groups);
  if (!graphs)
    return graphs.takeError();
  Diagnostics warnings;
  jobs::Job job;
  llvm::Error error =
      visitJobGraphs(*graphs, options.ranks, warnings,
                     [&](const Graph &graph, llvm::ArrayRef<int64_t> ranks) { return job.add(graph, ranks); });
  streams.err << toString(warnings.take());
  if (error)
    return error;
  return job;
}

ExitCode checkJob(const CheckOptions &options, llvm::ArrayRef<std::string> paths, Streams streams) {
  llvm::Expected<jobs::Job> job = readJob(options, paths, streams);
  if (!job)
    return reject(streams, job.takeError());
  jobs::CheckOptions how;
  if (!options.under.empty())
    how.under = options.semantics();
  jobs::CheckResult result = jobs::checkJob(*job, how);
  if (options.json)
    report::writeCheckJson(streams.out, result);
  else
    report::writeCheckText(streams.out, result);
  return result.findings.empty() ? ExitCode::Ok : ExitCode::Diagnosed;
}

/// Selects the check by the flags and by the content of the input.
llvm::Expected<ExitCode> checkInput(const CheckOptions &options, llvm::ArrayRef<std::string> paths, Streams streams) {
  if (options.isOfContract())
    return checkContractOf(options, paths.front(), streams);
  if (options.stages != 0)
    return checkPipelineOf(options, paths.front(), streams);
  if (paths.size() == 1) {
    llvm::Expected<bool> isPipeline = isPipelineFile(paths.front());
    if (!isPipeline)
      return isPipeline.takeError();
    if (*isPipeline)
      return checkPipelineOf(options, paths.front(), streams);
  }
  return checkJob(options, paths, streams);
}

} // namespace

ExitCode checkMain(llvm::ArrayRef<const char *> arguments, Streams streams) {
  CheckOptions options;
  CommandLine line = declareCheckFlags(options);
  if (llvm::Error error = line.parse(arguments))
    return reject(streams, std::move(error));
  if (options.help) {
    llvm::Error error = line.printHelp(streams.out, *options.help);
    return error ? reject(streams, std::move(error)) : ExitCode::Ok;
  }
  if (options.version) {
    streams.out << "ccgraph-check " << CCGRAPH_VERSION << '\n';
    return ExitCode::Ok;
  }
  if (llvm::Error error = checkCheckUsage(options, line.positional()))
    return reject(streams, std::move(error));
  llvm::Expected<ExitCode> code = checkInput(options, line.positional(), streams);
  return code ? *code : reject(streams, code.takeError());
}

} // namespace ccgraph::driver

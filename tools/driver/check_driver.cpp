#include "driver/check_driver.h"

#include "ccgraph/jobs/check.h"
#include "ccgraph/toolkit/job_files.h"
#include "driver/check_contract.h"
#include "driver/check_options.h"
#include "driver/check_pipeline.h"
#include "report/check_report.h"

#include "llvm/ADT/StringSet.h"

namespace ccgraph::driver {
namespace {

/// Every error of ccgraph-check ends with this code, because 1 means that the job has findings.
ExitCode reject(Streams streams, llvm::Error error) {
  printError(streams.err, std::move(error));
  return ExitCode::Usage;
}

/// Reads the graphs; each is freed before the next one is read.
llvm::Expected<jobs::Job> readJob(const JobDescription &description, size_t ranks, Diagnostics &warnings) {
  jobs::Job job;
  if (llvm::Error error =
          visitJobGraphs(description.graphs, ranks, warnings,
                         [&](const Graph &graph, llvm::ArrayRef<int64_t> of) { return job.add(graph, of); }))
    return error;
  return job;
}

/// Checks each job of the input.
llvm::Expected<std::vector<report::CheckedJob>> checkJobs(const CheckOptions &options,
                                                          llvm::ArrayRef<std::string> paths, Diagnostics &warnings) {
  llvm::Expected<std::vector<JobDescription>> described = describeJobs(paths, options.groups, warnings);
  if (!described)
    return described.takeError();
  jobs::CheckOptions how;
  if (!options.under.empty())
    how.under = options.semantics();
  std::vector<report::CheckedJob> checked;
  for (const JobDescription &description : *described) {
    llvm::Expected<jobs::Job> job = readJob(description, options.ranks, warnings);
    if (!job)
      return job.takeError();
    checked.push_back({description.compilation, jobs::checkJob(*job, how)});
  }
  return checked;
}

/// Prints each warning once, since the graphs of one log are read from the same file.
void printOnce(llvm::raw_ostream &os, llvm::ArrayRef<Diagnostic> warnings) {
  llvm::StringSet<> printed;
  for (const Diagnostic &warning : warnings)
    if (std::string text = toString(warning); printed.insert(text).second)
      os << text;
}

ExitCode checkJob(const CheckOptions &options, llvm::ArrayRef<std::string> paths, Streams streams) {
  Diagnostics warnings;
  llvm::Expected<std::vector<report::CheckedJob>> checked = checkJobs(options, paths, warnings);
  printOnce(streams.err, warnings.take());
  if (!checked)
    return reject(streams, checked.takeError());
  if (options.json)
    report::writeCheckJson(streams.out, *checked);
  else
    report::writeCheckText(streams.out, *checked);
  bool isClean = llvm::all_of(*checked, [](const report::CheckedJob &job) { return job.result.findings.empty(); });
  return isClean ? ExitCode::Ok : ExitCode::Diagnosed;
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

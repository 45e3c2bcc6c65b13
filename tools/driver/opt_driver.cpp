#include "driver/opt_driver.h"

#include "ccgraph/frontend/job_file.h"
#include "ccgraph/ir/text.h"
#include "ccgraph/passes/registry.h"
#include "ccgraph/toolkit/text.h"
#include "driver/fit_machine.h"
#include "driver/opt_job.h"
#include "driver/opt_whole_job.h"

namespace ccgraph::driver {
namespace {

ExitCode helpPass(llvm::StringRef name, Streams streams) {
  if (auto pass = createPass(name)) {
    streams.out << passHelpText(*pass);
    return ExitCode::Ok;
  }
  std::string nearest = nearestWord(name, namesOfPasses());
  streams.err << "error: unknown pass '" << visibleText(name)
              << "'\n  note: " << (nearest.empty() ? "--list-passes lists them" : "did you mean " + nearest + "?")
              << '\n';
  return ExitCode::Usage;
}

/// Handles requests that need no graph; returns nothing if a graph is to be read.
std::optional<ExitCode> answerWithoutGraph(const CommandLine &line, const OptOptions &options, Streams streams) {
  if (auto code = answerCommonFlags(line, {"ccgraph-opt", options.help, options.version}, streams))
    return code;
  if (options.listPasses) {
    streams.out << passListText();
    return ExitCode::Ok;
  }
  if (!options.helpPass.empty())
    return helpPass(options.helpPass, streams);
  return std::nullopt;
}

} // namespace

ExitCode optMain(llvm::ArrayRef<const char *> arguments, Streams streams) {
  OptOptions options;
  CommandLine line = optCommandLine(options);
  if (llvm::Error error = parseOptOptions(line, options, arguments))
    return rejectUsage(streams, std::move(error));
  if (auto code = answerWithoutGraph(line, options, streams))
    return *code;
  if (!options.fitMachine.empty())
    return runFitMachine(options, streams);
  std::optional<InputFile> opened = openJsonFile(options.input);
  if (opened && isJobFile(opened->text()))
    return runWholeJob(options, *opened, streams);
  auto pipeline = options.pipeline.pipeline(defaultLevel);
  if (!pipeline)
    return rejectUsage(streams, pipeline.takeError());
  return runOptJob(options, std::move(*pipeline), std::move(opened), streams);
}

} // namespace ccgraph::driver

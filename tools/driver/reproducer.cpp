#include "driver/reproducer.h"

#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/toolkit/graph_files.h"
#include "report/advice_command.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

namespace ccgraph::driver {
namespace {

// Passes have changed the graph in memory, so it cannot be used here. The graph is read again from the bytes of the
// input, with the same operators and groups, and written as JSON. A bug report can contain this file and the command
// that runs the passes up to the one that failed.

/// Loads the graph that failed, by its name in the file.
llvm::Expected<std::unique_ptr<Graph>> loadFailed(Context &context, const OptOptions &options, const InputFile &input,
                                                  llvm::StringRef name) {
  if (llvm::Error error = options.pipeline.declareOps(context))
    return error;
  auto graphs = loadGraphs(context, input, name);
  if (!graphs)
    return graphs.takeError();
  if (llvm::Error error = options.groups.empty() ? llvm::Error::success() : addGroups(*graphs->front(), options.groups))
    return error;
  return std::move(graphs->front());
}

/// Returns where the graph was written: the requested file, else a new file in the temporary folder that other users
/// cannot read.
llvm::Expected<std::string> writeGraph(const OptOptions &options, const Graph &graph) {
  llvm::SmallString<128> path(options.reproducer);
  if (path.empty())
    if (std::error_code code = llvm::sys::fs::createTemporaryFile("ccgraph-reproducer", "json", path))
      return llvm::createStringError(code, "no file could be made in the temporary folder: " + code.message());
  llvm::Error error = writeFile(path, [&](llvm::raw_ostream &os) {
    writeJsonGraph(os, graph);
    return llvm::Error::success();
  });
  if (error)
    return error;
  return path.str().str();
}

/// Returns the flags that change the effect of a pass, besides the pipeline.
std::string otherFlags(const OptOptions &options) {
  const PassManagerOptions &manager = options.pipeline.manager;
  std::string text;
  if (!options.pipeline.opFile.empty())
    text += " --ops " + report::shellWord(options.pipeline.opFile);
  if (!options.pipeline.machine.empty())
    text += " --machine " + report::shellWord(options.pipeline.machine);
  for (const std::string &path : options.pipeline.collectives)
    text += " --collectives " + report::shellWord(path);
  if (!options.pipeline.durations.empty())
    text += " --durations " + report::shellWord(options.pipeline.durations);
  if (!manager.spmd)
    text += " --ranks-differ";
  if (manager.bitwise)
    text += " --bitwise";
  if (manager.memoryBudget)
    text += " --memory-budget " + std::to_string(*manager.memoryBudget);
  else if (manager.memoryPercent)
    text += " --memory-budget " + std::to_string(*manager.memoryPercent) + "%";
  else if (!manager.limitMemory)
    text += " --memory-budget unlimited";
  return text;
}

} // namespace

void writeReproducer(const OptOptions &options, const InputFile &input, const PassFailure &failure,
                     llvm::raw_ostream &err) {
  err << "  note: this is a defect of ccgraph, found by the " << stageName(failure.stage) << " check after "
      << failure.pass << "; no graph was written\n";
  Context context;
  auto graph = loadFailed(context, options, input, failure.graph ? failure.graph->name() : "");
  llvm::Expected<std::string> path = graph ? writeGraph(options, **graph) : graph.takeError();
  if (!path) {
    llvm::StringRef why = llvm::StringRef(llvm::toString(path.takeError())).rtrim();
    err << "  note: a reproducer could not be written: " << why.split('\n').first << '\n';
    return;
  }
  // Because the pass that applies a schedule has no name on a command line, the schedule is given again.
  std::string what = options.schedule.empty() ? " --pipeline " + report::shellWord(failure.pipeline)
                                              : " --schedule " + report::shellWord(options.schedule);
  err << "  note: reproduce with: ccgraph-opt " << report::shellWord(*path) << what << otherFlags(options) << '\n';
}

} // namespace ccgraph::driver

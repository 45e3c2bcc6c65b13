#include "driver/reproducer.h"

#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/toolkit/graph_files.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

#include <unistd.h>

namespace ccgraph::driver {
namespace {

constexpr llvm::StringLiteral reproducerName = "ccgraph-reproducer.json";

// The graph in memory is of no use here, because passes have changed it. So it is read again from the bytes of the
// input, with the same operators and groups, and written as JSON: a file that a report can carry, beside the command
// that runs the passes up to the one that failed.

/// The graph that failed, by the name that it has in the file.
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

/// Where the graph was written: the first of two folders that takes it.
/// The working folder may be read-only, as it often is where a job runs; the error that is told is that of the first
/// folder.
llvm::Expected<std::string> writeSomewhere(const Graph &graph) {
  auto write = [&](llvm::StringRef path) {
    return writeFile(path, [&](llvm::raw_ostream &os) {
      writeJsonGraph(os, graph);
      return llvm::Error::success();
    });
  };
  llvm::Error error = write(reproducerName);
  if (!error)
    return reproducerName.str();
  llvm::SmallString<128> elsewhere;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, elsewhere);
  llvm::sys::path::append(elsewhere, "ccgraph-reproducer-" + llvm::Twine(getpid()) + ".json");
  if (llvm::Error second = write(elsewhere)) {
    llvm::consumeError(std::move(second));
    return error;
  }
  llvm::consumeError(std::move(error));
  return elsewhere.str().str();
}

/// The flags that change what a pass does, beside the pipeline.
std::string otherFlags(const OptOptions &options) {
  const PassManagerOptions &manager = options.pipeline.manager;
  std::string text;
  if (!options.pipeline.opFile.empty())
    text += " --ops " + options.pipeline.opFile;
  if (!options.pipeline.machine.empty())
    text += " --machine " + options.pipeline.machine;
  for (const std::string &path : options.pipeline.collectives)
    text += " --collectives " + path;
  if (!options.pipeline.durations.empty())
    text += " --durations " + options.pipeline.durations;
  if (!manager.spmd)
    text += " --ranks-differ";
  if (manager.bitwise)
    text += " --bitwise";
  if (manager.memoryBudget)
    text += " --memory-budget " + std::to_string(*manager.memoryBudget);
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
  llvm::Expected<std::string> path = graph ? writeSomewhere(**graph) : graph.takeError();
  if (!path) {
    llvm::StringRef why = llvm::StringRef(llvm::toString(path.takeError())).rtrim();
    err << "  note: a reproducer could not be written: " << why.split('\n').first << '\n';
    return;
  }
  err << "  note: reproduce with: ccgraph-opt " << *path << " --pipeline '" << failure.pipeline << "'"
      << otherFlags(options) << '\n';
}

} // namespace ccgraph::driver

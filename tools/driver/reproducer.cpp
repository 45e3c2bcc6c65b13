#include "driver/reproducer.h"

#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/toolkit/graph_files.h"

namespace ccgraph::driver {
namespace {

constexpr llvm::StringLiteral reproducerPath = "ccgraph-reproducer.json";

/// The graph that failed, by the name that it has in the file.
llvm::Error writeGraph(const OptOptions &options, llvm::StringRef name) {
  Context context;
  auto file = InputFile::open(options.input);
  if (!file)
    return file.takeError();
  auto graphs = loadGraphs(context, *file, name);
  if (!graphs)
    return graphs.takeError();
  Graph &graph = *graphs->front();
  if (llvm::Error error = options.groups.empty() ? llvm::Error::success() : addGroups(graph, options.groups))
    return error;
  return writeFile(reproducerPath, [&](llvm::raw_ostream &os) {
    writeJsonGraph(os, graph);
    return llvm::Error::success();
  });
}

} // namespace

void writeReproducer(const OptOptions &options, const PassFailure &failure, llvm::raw_ostream &err) {
  err << "  note: this is a defect of ccgraph, found by the " << stageName(failure.stage) << " check after "
      << failure.pass << "; nothing was written\n";
  if (options.input == "-") {
    err << "  note: give the graph as a file to have a reproducer written\n";
    return;
  }
  if (llvm::Error error = writeGraph(options, failure.graph ? failure.graph->name() : ""))
    return printError(err, std::move(error));
  err << "  note: reproduce with: ccgraph-opt " << reproducerPath << " --pipeline '" << failure.pipeline << "'\n";
}

} // namespace ccgraph::driver

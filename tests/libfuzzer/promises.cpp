#include "libfuzzer/promises.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/frontend/trace_log.h"
#include "ccgraph/ir/infer_types.h"
#include "ccgraph/ir/verifier.h"
#include "fuzz/complaints.h"

#include <cstdlib>

namespace ccgraph::test {
namespace {

void demand(const std::string &complaint) {
  if (complaint.empty())
    return;
  llvm::errs() << "broken promise: " << complaint << '\n';
  std::abort();
}

void use(Graph &graph) {
  inferTypes(graph);
  demand(complaintAbout(verify(graph)));
  llvm::raw_null_ostream nowhere;
  writeFxText(nowhere, graph);
  writeJsonGraph(nowhere, graph);
}

} // namespace

llvm::StringRef textOf(const uint8_t *data, size_t size) { return {reinterpret_cast<const char *>(data), size}; }

void holdGraphReader(llvm::StringRef text) {
  Context context;
  Diagnostics warnings;
  auto graphs = readGraphs(context, {"input", text}, {.warnings = &warnings});
  if (!graphs)
    return demand(complaintAbout(graphs.takeError()));
  if (graphs->empty())
    demand("neither a graph nor an error");
  for (const std::unique_ptr<Graph> &graph : *graphs)
    use(*graph);
  demand(complaintAbout(warnings.take()));
}

void holdTraceReader(llvm::StringRef text) {
  InputFile file = InputFile::ofText("input", text.str(), {});
  Diagnostics warnings;
  auto log = TraceLog::open(file, warnings);
  if (!log)
    return demand(complaintAbout(log.takeError()));
  for (const ListedGraph &listed : log->graphs()) {
    auto payload = log->text(listed);
    if (!payload)
      return demand("a graph that was listed is gone: " + llvm::toString(payload.takeError()));
    Context context;
    auto graphs = readGraphs(context, payload->source());
    if (static_cast<bool>(graphs) != listed.leftOut.empty())
      demand("a graph is listed as " + (listed.leftOut.empty() ? "read" : listed.leftOut) + " and is not");
    if (!graphs)
      llvm::consumeError(graphs.takeError());
  }
  demand(complaintAbout(warnings.take()));
}

} // namespace ccgraph::test

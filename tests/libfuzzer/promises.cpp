#include "libfuzzer/promises.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/frontend/json_plan.h"
#include "ccgraph/frontend/plan_text.h"
#include "ccgraph/frontend/trace_log.h"
#include "ccgraph/ir/infer_types.h"
#include "ccgraph/ir/plan_verifier.h"
#include "ccgraph/ir/verifier.h"
#include "files/gzip.h"
#include "fuzz/check_subjects.h"
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

/// Returns a difference if the written Python text does not read back node by node; empty if it does.
std::string differenceOfFxText(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::cantFail(writeFxText(os, graph));
  Context context;
  auto again = readFxText(context, {"written", os.str()});
  if (!again)
    return "what was written is not read: " + llvm::toString(again.takeError());
  const Node *other = again->front()->front();
  for (const Node *node : graph) {
    bool same = other && other->opcode() == node->opcode() && other->target().str() == node->target().str() &&
                (node->opcode() == Opcode::Output || other->name().str() == node->name().str());
    if (!same)
      return "what was written is read as another graph, from '" + node->name().str().str() + "' on:\n" + os.str();
    other = other->next();
  }
  return other ? "what was written is read with more nodes" : "";
}

void use(Graph &graph) {
  inferTypes(graph);
  demand(complaintAbout(verify(graph)));
  llvm::raw_null_ostream nowhere;
  if (llvm::Error error = writeFxText(nowhere, graph))
    demand(complaintAbout(std::move(error)));
  else
    demand(differenceOfFxText(graph));
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

void holdPlanReader(llvm::StringRef text) {
  Context context;
  Diagnostics warnings;
  auto plan = readPlan(context, {"input", text}, {.warnings = &warnings});
  if (!plan)
    return demand(complaintAbout(plan.takeError()));
  if (llvm::Error error = verifyPlanOrError(**plan))
    demand(complaintAbout(std::move(error)));
  llvm::raw_null_ostream nowhere;
  writePlan(nowhere, **plan);
  writePlanText(nowhere, **plan);
  writePlanDot(nowhere, **plan);
}

void holdGzipReader(llvm::StringRef bytes) {
  auto text = inflateGzip({"input", bytes});
  if (!text)
    return demand(complaintAbout(text.takeError()));
  if (text->size() > mostInflatedBytes(bytes.size()))
    demand("a text of " + std::to_string(text->size()) + " bytes came out");
}

void holdCheckReaders(llvm::StringRef text) {
  demand(complaintAboutPipelineSchedule(text));
  demand(complaintAboutJobFile(text));
}

} // namespace ccgraph::test

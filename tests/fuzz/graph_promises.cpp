#include "fuzz/graph_promises.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/runtime/seeded_inputs.h"
#include "ccgraph/toolkit/graph_facts.h"
#include "ccgraph/toolkit/group_assumption.h"
#include "fuzz/complaints.h"
#include "support/seeded_run.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::test {
namespace {

constexpr size_t ranks = 2;
constexpr size_t mostNodes = 200;
constexpr int64_t mostBytes = int64_t(1) << 20;

using Writer = llvm::function_ref<void(llvm::raw_ostream &, const Graph &)>;

std::string textOf(const Graph &graph, Writer write) {
  std::string text;
  llvm::raw_string_ostream os(text);
  write(os, graph);
  return os.str();
}

/// Reads the written text, and writes it again.
std::string roundTrip(const Graph &graph, Writer write) {
  std::string text = textOf(graph, write);
  auto again = readGraphs(graph.context(), {"written", text});
  if (!again)
    return "what was written is not read: " + llvm::toString(again.takeError()) + text;
  if (std::string twice = textOf(*again->front(), write); twice != text)
    return "what was written is read as another graph:\n" + text + "---\n" + twice;
  return "";
}

/// The FX text of a graph must read back as the same graph; only a graph from another form may contain what FX text
/// cannot express.
std::string fxRoundTrip(const Graph &graph, GraphFormat format) {
  llvm::raw_null_ostream nowhere;
  if (llvm::Error error = writeFxText(nowhere, graph))
    return format == GraphFormat::FxText ? "what was read is not written: " + llvm::toString(std::move(error))
                                         : (llvm::consumeError(std::move(error)), "");
  if (format == GraphFormat::FxText)
    return roundTrip(graph, [](llvm::raw_ostream &os, const Graph &it) { llvm::cantFail(writeFxText(os, it)); });
  std::string text = textOf(graph, [](llvm::raw_ostream &os, const Graph &it) { llvm::cantFail(writeFxText(os, it)); });
  auto again = readGraphs(graph.context(), {"written", text});
  if (!again)
    return "FX text of a JSON graph is not read: " + llvm::toString(again.takeError()) + text;
  return again->front()->size() == graph.size() ? "" : "FX text of a JSON graph has another number of nodes: " + text;
}

/// Runs -O2 with all checks; the only permitted failure is a refusal of the input.
std::string optimize(Graph &graph) {
  std::string complaint;
  PassManagerOptions options;
  options.onFailure = [&](const PassFailure &failure) {
    if (isDefectOfPass(failure))
      complaint = "the checks after " + failure.pipeline + " failed at " + stageName(failure.stage).str() + ": ";
  };
  auto run = runPipeline(graph, pipelineOfLevel(2), options);
  if (run)
    return "";
  if (!complaint.empty())
    return complaint + llvm::toString(run.takeError());
  return complaintAbout(run.takeError());
}

/// Two ranks must compute the same before and after, if they can run the program.
std::string compare(const Graph &before, const Graph &after) {
  runtime::RunRequest request;
  request.graphs = {&before};
  request.ranks = ranks;
  request.memoryLimit = mostBytes;
  for (size_t rank = 0; rank < ranks; ++rank)
    request.inputs.push_back(runtime::seededInputs(before, static_cast<int64_t>(rank), 1, mostBytes));
  auto report = runtime::checkEquivalence(request, {&after}, {});
  if (report.verdict != runtime::Verdict::Different || !report.beforeFailure.empty())
    return "";
  return "the values after -O2 differ: " + differencesIn(report);
}

std::string optimizeAndCompare(const Graph &graph) {
  std::unique_ptr<Graph> before = graph.clone();
  assumeGroups(*before, ranks);
  // Two ranks may be too few for the program; the tools report this too.
  if (llvm::Error error = verifyOrError(*before))
    return complaintAbout(std::move(error));
  std::unique_ptr<Graph> after = before->clone();
  (void)gatherFacts(*before);
  std::string complaint = optimize(*after);
  if (complaint.empty() && before->size() <= mostNodes)
    complaint = compare(*before, *after);
  if (complaint.empty())
    return "";
  return complaint + "\nbefore:\n" + textOf(*before, [](auto &os, auto &it) { llvm::cantFail(writeFxText(os, it)); }) +
         "after:\n" + textOf(*after, [](auto &os, auto &it) { llvm::cantFail(writeFxText(os, it)); });
}

} // namespace

std::string brokenPromise(const Graph &graph, GraphFormat format) {
  std::vector<Diagnostic> findings = verify(graph);
  if (std::string complaint = complaintAbout(findings); !complaint.empty())
    return complaint;
  if (llvm::any_of(findings, [](const Diagnostic &finding) { return finding.severity == Severity::Error; }))
    return "";
  std::string complaint;
  if (llvm::Error refused = checkJsonReadsBack(graph))
    complaint = complaintAbout(std::move(refused));
  else
    complaint = roundTrip(graph, [](llvm::raw_ostream &os, const Graph &it) { writeJsonGraph(os, it); });
  if (complaint.empty())
    complaint = fxRoundTrip(graph, format);
  return complaint.empty() ? optimizeAndCompare(graph) : complaint;
}

} // namespace ccgraph::test

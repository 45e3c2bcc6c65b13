#include "legality/legal_results.h"

#include "support/corpus.h"
#include "support/one_pass.h"
#include "support/rewrites.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/group_file.h"
#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/verifier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

namespace ccgraph::test {

namespace {

/// Adds a few ordering edges, each from a node to one some steps later, so that an edit can remove one.
void addOrderingEdges(Graph &graph) {
  Random random(graph.size());
  std::vector<Node *> nodes = graph.nodes();
  for (int i = 0; i < 4; ++i) {
    size_t from = random.below(nodes.size());
    size_t to = from + 1 + random.below(12);
    if (to < nodes.size() && nodes[to]->opcode() == Opcode::CallFunction && !isWait(*nodes[to]) &&
        !isWait(*nodes[from]))
      graph.addOrdering(nodes[to], nodes[from]);
  }
}

/// Adds a write in place at the end to memory that one launch reads until its wait, so that an edit can move it.
void addLateWrite(Graph &graph) {
  std::vector<Node *> sent;
  for (Node *node : graph.nodes()) {
    Effects effects = effectsOf(*node);
    for (unsigned i = 0; i < node->numOperands() && collectiveOf(*node); ++i)
      if (has(effects.operands[i], Access::InFlightRead) && node->operand(i)->type() &&
          node->operand(i)->type()->isTensor())
        sent.push_back(node->operand(i));
  }
  if (sent.empty())
    return;
  Random random(graph.size());
  Node *value = random.of(sent);
  Node *write = makeCall(graph.output(), "late_write", "aten.neg_.default", {value});
  graph.setType(write, value->type());
}

bool usable(const Graph &graph, size_t maxNodes) {
  if (graph.size() > maxNodes)
    return false;
  bool communicates = llvm::any_of(graph.nodes(), [](const Node *node) { return collectiveOf(*node); });
  llvm::Error broken = verifyOrError(graph);
  bool verified = !broken;
  llvm::consumeError(std::move(broken));
  return communicates && verified;
}

} // namespace

Corpus::Corpus(llvm::StringRef kind, size_t maxNodes) : context_(std::make_unique<Context>()) {
  for (const CapturedGraph &captured : capturedGraphs(kind)) {
    if (captured.readable.empty())
      continue;
    InputFile file = llvm::cantFail(InputFile::open(captured.readable));
    if (file.text().size() > maxNodes * 700)
      continue; // reading the largest ones would take longer than all trials
    auto graphs = readGraphs(*context_, file.source());
    if (!graphs)
      llvm::report_fatal_error(llvm::StringRef(llvm::toString(graphs.takeError())));
    Graph &graph = *graphs->front();
    if (!captured.facts.empty()) {
      InputFile facts = llvm::cantFail(InputFile::open(captured.facts));
      if (auto groups = readGroupFile(facts.source()))
        graph.groups() = *groups;
      else
        llvm::consumeError(groups.takeError());
    }
    if (!usable(graph, maxNodes))
      continue;
    addOrderingEdges(graph);
    addLateWrite(graph);
    graphs_.push_back({captured.name, std::move(graphs->front())});
  }
}

LegalResult untouched(const SourceGraph &source) {
  LegalResult result{source.name, source.graph->clone(), nullptr, {}};
  result.before = std::make_unique<GraphSnapshot>(*result.graph);
  return result;
}

LegalResult afterPass(const SourceGraph &source, const std::string &text) {
  LegalResult result = untouched(source);
  result.made += ": " + text;
  result.certificate = runOnePass(*result.graph, text).certificate;
  return result;
}

std::string anyPass(Random &random, const Graph &graph) {
  // A search in a graph with thousands of nodes takes longer than all other passes of a trial, and changes the graph in
  // the same ways as a search in a small graph.
  constexpr size_t mostSearched = 1000;
  switch (random.below(8)) {
  case 0:
    return "sink-waits";
  case 1:
    return graph.size() <= mostSearched ? "schedule-overlap{walks=4 beam=8}" : "sink-waits";
  case 2:
    return "coalesce-collectives{layout=grouped max-count=" + std::to_string(2 + random.below(30)) + "}";
  case 3:
    return "coalesce-collectives{layout=grouped}";
  case 4:
    return "eliminate-dead-collectives";
  case 5:
    return "deduplicate-collectives";
  case 6:
    return "coalesce-collectives{layout=flat max-count=" + std::to_string(2 + random.below(30)) + "}";
  default:
    return "coalesce-collectives{layout=flat}";
  }
}

} // namespace ccgraph::test

#include "ccgraph/ir/verifier.h"

#include "verifier/graph_rules.h"

namespace ccgraph {
namespace verifier {

void Report::add(const Node &node, Finding finding) {
  if (finding.severity == Severity::Warning && !options_.warnings)
    return;
  Diagnostic diagnostic = diagnose(node, finding.rule, std::move(finding.message), std::move(finding.repair));
  diagnostic.severity = finding.severity;
  push(&node, std::move(diagnostic));
}

void Report::add(Finding finding) {
  Diagnostic diagnostic = diagnose(finding.rule, std::move(finding.message), std::move(finding.repair));
  diagnostic.severity = finding.severity;
  diagnostic.where = graph_.name().str();
  push(nullptr, std::move(diagnostic));
}

void Report::forward(const Node &node, llvm::StringRef rule, llvm::Error error) {
  llvm::handleAllErrors(std::move(error), [&](const DiagnosticError &found) {
    for (Diagnostic diagnostic : found.diagnostics()) {
      diagnostic.rule = rule.str();
      push(&node, std::move(diagnostic));
    }
  });
}

void Report::push(const Node *node, Diagnostic diagnostic) {
  bool isError = diagnostic.severity == Severity::Error;
  errors_ += isError;
  // Three families report, each in program order, so the first `limit` findings of all are among the first of each.
  if (isError && errors_ > 3 * options_.limit + 3)
    ++uncounted_;
  else
    entries_.push_back({node, std::move(diagnostic)});
}

// The families report one after another; sorting by position puts all findings about a node together. Findings about
// the graph as a whole come at the end. `path` names the subgraph: "body/mm".
void Report::drainInto(Diagnostics &out, llvm::StringRef path) {
  llvm::stable_sort(entries_, [](const Entry &a, const Entry &b) {
    return a.node && b.node ? a.node->isBefore(b.node) : a.node && !b.node;
  });
  for (Entry &entry : entries_) {
    entry.diagnostic.where = path.str() + entry.diagnostic.where;
    out.add(std::move(entry.diagnostic));
  }
  for (; uncounted_ > 0; --uncounted_)
    out.add(Diagnostic());
}

std::string quoted(const Node &node) { return "'" + node.name().str().str() + "'"; }

namespace {

// Sorted by id. The test iterates over them: each has a graph that breaks it.
constexpr VerifierRule rules[] = {
    {"async.freed",
     "Nothing names a storage that a wait has freed, and a wait frees no storage of the caller's or an attribute's."},
    {"async.host-copy",
     "ao.wait_tensor is the one wait on a copy to or from the host, and waits on nothing else: PyTorch registers such "
     "a copy, and its first wait takes it off the register."},
    {"async.missing-wait", "Each result of a launched collective is waited on or returned."},
    {"async.read-in-flight", "Only views, getitem and waits read a value between its launch and its wait."},
    {"async.useless-wait", "A wait is on the result of a launch."},
    {"async.write-in-flight", "Nothing writes a buffer that a collective reads or writes until its wait."},
    {"structure.arguments", "A call has the arguments that its schema requires, and no others."},
    {"structure.control-deps",
     "control_deps takes its predecessors, a subgraph, and an argument for each placeholder of it."},
    {"structure.inputs",
     "Placeholders and get_attr read no node, placeholders precede every call, and each has a target of its own."},
    {"structure.names", "Every node has a name, which no other node of its graph has."},
    {"structure.order", "A node follows every node that it reads or is ordered after."},
    {"structure.output", "A graph ends in its one output."},
    {"structure.target", "Every node but the output names its target."},
    {"types.argument", "Arguments of collectives and waits are of the kinds that their schemas take."},
    {"types.contiguous", "The inputs of gathers, scatters and all_to_all are contiguous."},
    {"types.devices", "A list of c10d's that has a tensor for each device of the rank has one tensor."},
    {"types.getitem", "getitem takes an existing element, and has its type."},
    {"types.group", "A collective states its group: a name, a node, or ranks."},
    {"types.group-known", "A named group is in the group table, if the graph has one."},
    {"types.group-size", "The group size of a call is the number of the group's members."},
    {"types.list-dtype", "The tensors of an all_reduce on a list have one dtype; on gloo, those of an all_gather too."},
    {"types.operands",
     "A call takes tensors of shapes that fit: matrices that can be multiplied, sizes that can be combined, rows that "
     "can be divided."},
    {"types.rank", "Roots and peers are ranks within the group: from 0 to its size."},
    {"types.reduce-dtype",
     "The reduction is defined on the dtype: no bitwise one on floats, no order on complex numbers."},
    {"types.reduce-op", "A reduction is sum, avg, product, min, max, band, bor, bxor or unused."},
    {"types.result", "The result of a collective or wait has the type that its arguments make."},
    {"types.sizes", "No size of a tensor is negative, and its bytes can be counted in 63 bits."},
    {"types.splits", "The splits of an all_to_all are as many as members, not negative, and add up to the rows."},
};

// A subgraph is verified like a separate graph, except for waits. A wait on a placeholder may end an async pair of its
// parent, so a wait without a launch in the subgraph is no finding (Scope). The caller's storage map belongs to the
// outermost graph.
void verifyInto(Diagnostics &out, const Graph &graph, const VerifyOptions &options, const std::string &path) {
  Report report(graph, options);
  checkStructure(report);
  checkTypes(report);
  checkAsync(report, options, path.empty() ? Scope::Whole : Scope::Subgraph);
  report.drainInto(out, path);
  VerifyOptions within = options;
  within.storages = nullptr;
  for (const auto &[name, subgraph] : graph.subgraphs())
    verifyInto(out, *subgraph, within, path + name.str().str() + "/");
}

} // namespace
} // namespace verifier

std::vector<Diagnostic> verify(const Graph &graph, const VerifyOptions &options) {
  Diagnostics diagnostics(options.limit);
  verifier::verifyInto(diagnostics, graph, options, "");
  return diagnostics.take();
}

llvm::Error verifyOrError(const Graph &graph, const VerifyOptions &options) {
  VerifyOptions errorsOnly = options;
  errorsOnly.warnings = false;
  std::vector<Diagnostic> found = verify(graph, errorsOnly);
  return found.empty() ? llvm::Error::success() : makeError(std::move(found));
}

llvm::ArrayRef<VerifierRule> verifierRules() { return verifier::rules; }

} // namespace ccgraph

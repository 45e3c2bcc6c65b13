#include "ccgraph/runtime/equivalence.h"

#include "ccgraph/runtime/fixed_outputs.h"

#include "ccgraph/ir/value_names.h"

#include <set>

namespace ccgraph::runtime {
namespace {

std::vector<std::string> placeholdersOf(const Graph &graph) {
  std::vector<std::string> names;
  for (const Node *node : graph)
    if (node->opcode() == Opcode::Placeholder)
      names.push_back(inputName(node->name().str()));
  return names;
}

const Graph &graphOf(const std::vector<const Graph *> &graphs, size_t rank) {
  return *graphs[graphs.size() == 1 ? 0 : rank];
}

/// A caller passes inputs by position, so each gets the name that the other graph has for its position. Returns the
/// error; empty where the graphs take as many inputs.
std::string renameInputs(const Graph &from, const Graph &to, TensorMap &inputs) {
  std::vector<std::string> given = placeholdersOf(from), taken = placeholdersOf(to);
  if (given.size() != taken.size())
    return "takes " + std::to_string(taken.size()) + " inputs, expected " + std::to_string(given.size());
  std::vector<TensorMap::node_type> moved;
  for (const std::string &name : given)
    moved.push_back(inputs.extract(name));
  for (size_t i = 0; i < taken.size(); ++i)
    if (!moved[i].empty()) {
      moved[i].key() = taken[i];
      inputs.insert(std::move(moved[i]));
    }
  return "";
}

/// Outputs that no input reaches in any of the programs: they are what they are in every run.
std::set<std::string> fixedInAll(const std::vector<const Graph *> &before, const std::vector<const Graph *> &after) {
  std::set<std::string> fixed = fixedOutputs(*before.front());
  for (const std::vector<const Graph *> &graphs : {before, after})
    for (const Graph *graph : graphs) {
      std::set<std::string> own = fixedOutputs(*graph);
      std::erase_if(fixed, [&](const std::string &name) { return own.count(name) == 0; });
    }
  return fixed;
}

Verdict verdictOf(const Comparison &comparison) {
  if (!comparison.equal())
    return Verdict::Different;
  return comparison.answered() ? Verdict::Equal : Verdict::NotChecked;
}

} // namespace

EquivalenceReport checkEquivalence(const RunRequest &before, const std::vector<const Graph *> &after,
                                   const ComparisonRules &rules) {
  EquivalenceReport report;
  RunRequest second = before;
  second.graphs = after;
  for (size_t rank = 0; rank < second.inputs.size(); ++rank)
    if (std::string wrong = renameInputs(graphOf(before.graphs, rank), graphOf(after, rank), second.inputs[rank]);
        !wrong.empty())
      report.comparison.differences.push_back({rank, "program", wrong});
  if (!report.comparison.equal()) {
    report.verdict = Verdict::Different;
    return report;
  }
  auto expected = observe(before), got = observe(second);
  bool ran = static_cast<bool>(expected), ranAfter = static_cast<bool>(got);
  if (!ran)
    report.beforeFailure = llvm::toString(expected.takeError());
  if (!ranAfter)
    report.afterFailure = llvm::toString(got.takeError());
  if (ran && ranAfter) {
    ComparisonRules all = rules;
    all.fixed.merge(fixedInAll(before.graphs, after));
    report.comparison = compareObservations({*expected, *got, before.inputs}, all);
    report.verdict = verdictOf(report.comparison);
  } else if (ran != ranAfter) {
    report.verdict = Verdict::Different;
  }
  return report;
}

} // namespace ccgraph::runtime

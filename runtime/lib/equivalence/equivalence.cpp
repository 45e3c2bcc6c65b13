#include "ccgraph/runtime/equivalence.h"

namespace ccgraph::runtime {

EquivalenceReport checkEquivalence(const RunRequest &before, const std::vector<const Graph *> &after,
                                   const ComparisonRules &rules) {
  EquivalenceReport report;
  RunRequest second = before;
  second.graphs = after;
  llvm::Expected<RunResult> expected = interpret(before), got = interpret(second);
  bool ran = static_cast<bool>(expected), ranAfter = static_cast<bool>(got);
  if (!ran)
    report.beforeFailure = llvm::toString(expected.takeError());
  if (!ranAfter)
    report.afterFailure = llvm::toString(got.takeError());
  if (ran && ranAfter) {
    report.comparison = compareRuns({*expected, *got, before.inputs}, rules);
    report.verdict = report.comparison.equal() ? Verdict::Equal : Verdict::Different;
  } else if (ran != ranAfter) {
    report.verdict = Verdict::Different;
  }
  return report;
}

} // namespace ccgraph::runtime

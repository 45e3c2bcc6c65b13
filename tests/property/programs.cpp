#include "property/programs.h"

#include "support/seeded_run.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/verifier.h"

#include <cstdlib>
#include <functional>

namespace ccgraph::test {

void forEachProgram(const std::function<void(Context &, const RandomProgram &)> &property) {
  // The seed is fixed, because two runs must give the same result: RC_PARAMS=seed=... tests more programs, and a
  // failing seed belongs in a unit test.
  setenv("RC_PARAMS", "seed=20261121", /*overwrite=*/0);
  auto holds = rc::check([&] {
    const auto numbers =
        *rc::gen::scale(4.0, rc::gen::container<std::vector<uint32_t>>(rc::gen::inRange<uint32_t>(0, 1u << 20)));
    Context context;
    RandomProgram program = makeRandomProgram(context, numbers);
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::cantFail(writeFxText(os, *program.graph));
    RC_LOG() << program.ranks << " ranks\n" << os.str();
    property(context, program);
  });
  EXPECT_TRUE(holds);
}

Pipeline levelWithBeams(unsigned level, llvm::StringRef width) {
  Pipeline pipeline = pipelineOfLevel(level);
  for (const auto &pass : pipeline.passes())
    if (llvm::any_of(pass->options(), [](const OptionBase *option) { return option->name() == "beam"; }))
      pass->set("beam", width);
  return pipeline;
}

bool verifies(const Graph &graph) {
  llvm::Error error = verifyOrError(graph);
  if (!error)
    return true;
  RC_LOG() << llvm::toString(std::move(error)) << '\n';
  return false;
}

bool sameValues(const RandomProgram &program, const Graph &after, const Tolerance &tolerance) {
  runtime::ComparisonRules rules;
  rules.otherwise = tolerance;
  runtime::EquivalenceReport report =
      runtime::checkEquivalence(seededRequest(*program.graph, program.ranks), {&after}, rules);
  // A program that returns nothing, or only values that cannot distinguish programs, fulfills the property.
  const bool ran = report.beforeFailure.empty() && report.afterFailure.empty();
  if (ran && report.comparison.equal())
    return true;
  RC_LOG() << differencesIn(report);
  return false;
}

} // namespace ccgraph::test

// Tests that an edit which the legality checker accepts does not change the results: random programs are edited
// blindly, and run if the checker accepts.
//
// The edits are not illegal by construction: they move any node to a place nearby, exchange operands, or are the
// illegal edits with and without cover-up. Every accepted program must give equal values on every rank of the reference
// interpreter.
#include "legality/illegal_edits.h"
#include "legality/legal_edits.h"
#include "support/random_program.h"
#include "support/rewrites.h"
#include "support/seeded_run.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/verifier.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace ccgraph::test {
namespace {

void moveAnything(Trial &trial) {
  std::vector<Node *> nodes =
      nodesWhere(trial.graph(), [](const Node &node) { return node.opcode() == Opcode::CallFunction; });
  if (nodes.empty())
    return;
  size_t from = trial.random.below(nodes.size());
  size_t reach = std::min<size_t>(8, nodes.size());
  size_t to = (from + nodes.size() + trial.random.below(2 * reach + 1) - reach) % nodes.size();
  trial.graph().moveBefore(nodes[from], nodes[to]);
}

void editBlindly(Trial &trial) {
  auto edits = illegalEdits();
  switch (trial.random.below(6)) {
  case 0:
    edits[trial.random.below(edits.size())].apply(trial);
    return;
  case 1:
    swapNeighbours(trial.result, trial.random, 10);
    return;
  case 2:
    mergeNeighbours(trial.result, trial.random);
    return;
  default:
    for (size_t moves = 1 + trial.random.below(3); moves > 0; --moves)
      moveAnything(trial);
  }
}

std::string differences(const RandomProgram &program, const Graph &after) {
  runtime::EquivalenceReport report =
      runtime::checkEquivalence(seededRequest(*program.graph, program.ranks), {&after}, {});
  return report.verdict == runtime::Verdict::Equal ? "" : differencesIn(report);
}

std::string textOf(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::cantFail(writeFxText(os, graph));
  return os.str();
}

TEST(LegalitySoundness, WhatIsAcceptedComputesTheSame) {
  size_t accepted = 0;
  size_t refused = 0;
  size_t wrong = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    Random random(seed);
    std::vector<uint32_t> numbers(20 + random.below(220));
    for (uint32_t &number : numbers)
      number = static_cast<uint32_t>(random.below(1U << 20));
    Context context;
    RandomProgram program = makeRandomProgram(context, numbers);
    SourceGraph source{"program", program.graph->clone()};
    LegalResult result = random.below(3) == 0 ? afterPass(source, anyPass(random, *source.graph)) : untouched(source);
    Trial trial{result, random, random.below(2) == 0};
    editBlindly(trial);
    if (!refusals(*result.before, *result.graph, result.certificate).empty()) {
      ++refused;
      continue;
    }
    ++accepted;
    std::string why = differences(program, *result.graph);
    wrong += why.empty() ? 0 : 1;
    EXPECT_EQ(why, "") << "seed " << seed << "\n" << textOf(*program.graph) << textOf(*result.graph);
  }
  std::printf("blind edits: %zu accepted, of which %zu compute something else; %zu refused\n", accepted, wrong,
              refused);
  EXPECT_GE(accepted, 500U);
}

} // namespace
} // namespace ccgraph::test

#include "schedule/kept_problem.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/lifetimes.h"
#include "schedule/overlap/contraction.h"

namespace ccgraph {

std::vector<Repetition> keptRepetitions(const Graph &graph, const ProgramFacts &facts, bool spmd,
                                        llvm::function_ref<void(const Repetition &, RepetitionObstacle)> refused,
                                        UnknownSizes unknown) {
  std::vector<Repetition> kept;
  RepeatedCollectives collectives(graph, facts, spmd);
  for (Node *node : graph) {
    std::optional<Repetition> repetition = collectives.find(node);
    collectives.advance(node);
    if (!repetition || (unknown == UnknownSizes::LeaveOut && !outputBytes(*node)))
      continue;
    if (std::optional<RepetitionObstacle> obstacle = collectives.obstacle(*repetition)) {
      refused(*repetition, *obstacle);
      continue;
    }
    collectives.accept(*repetition);
    kept.push_back(std::move(*repetition));
  }
  return kept;
}

overlap::Problem withKept(const overlap::Problem &problem, llvm::ArrayRef<Node *> nodes, const ProgramFacts &facts,
                          llvm::ArrayRef<Repetition> kept) {
  const std::vector<uint32_t> stepOf = overlap::stepsById(nodes);
  overlap::Replacements replacements;
  auto replace = [&](const Node *dropped, const Node *by) {
    replacements.steps.push_back({stepOf[dropped->id()], stepOf[by->id()]});
    auto from = facts.storages().storages(dropped), to = facts.storages().storages(by);
    for (size_t i = 0; i < from.size() && i < to.size(); ++i)
      if (from[i] != to[i])
        replacements.storages.push_back({from[i], to[i]});
  };
  for (const Repetition &repetition : kept) {
    replace(repetition.again, repetition.first);
    replace(repetition.waitAgain, repetition.wait);
    for (const RepeatedValues::Pair &pair : repetition.operands)
      replace(pair.again, pair.first);
  }
  return overlap::contract(problem, replacements);
}

} // namespace ccgraph

#include "placed_doubts.h"

#include "ccgraph/placements/infer_placements.h"
#include "ccgraph/toolkit/placement_files.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {
namespace {

std::optional<placements::PlacementFinding> firstFinding(const equality::StepComparison &comparison) {
  placements::PlacementQuestion question;
  question.known = comparison.placements;
  for (const equality::RankStep &rank : comparison.ranks)
    question.ranks.push_back({rank.graph, rank.groups});
  llvm::Expected<placements::PlacementAnswer> answer = placements::inferPlacements(question);
  if (!answer) {
    llvm::consumeError(answer.takeError());
    return std::nullopt;
  }
  return answer->findings.empty() ? std::nullopt : std::optional(answer->findings.front());
}

void putAt(std::vector<equality::StepPlace> &places, size_t index, const Node *node) {
  if (!node)
    return;
  NamedNode named = namedNode(node);
  llvm::erase_if(places, [&](const equality::StepPlace &place) { return place.node == named.name; });
  places.insert(places.begin() + static_cast<std::ptrdiff_t>(std::min(index, places.size())),
                {0, std::move(named.name), std::move(named.source)});
}

} // namespace

void addPlacedDoubts(equality::StepAnswer &answer, const equality::StepComparison &comparison) {
  if (answer.equal.value_or(true))
    return;
  if (std::optional<placements::PlacementFinding> finding = firstFinding(comparison)) {
    putAt(answer.where, 1, finding->operand);
    putAt(answer.where, 1, finding->node);
  }
}

} // namespace ccgraph

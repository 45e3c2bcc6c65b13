#include "placed_doubts.h"

#include "ccgraph/checks/placement_files.h"
#include "ccgraph/placements/infer_placements.h"

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

/// Puts the node at `index`. A node that is listed keeps its rank, and its place if that comes before.
void putAt(std::vector<equality::StepPlace> &places, size_t index, const Node *node) {
  if (!node)
    return;
  NamedNode named = namedNode(node);
  equality::StepPlace place{0, std::move(named.name), std::move(named.source)};
  auto listed = llvm::find_if(places, [&](const equality::StepPlace &other) { return other.node == place.node; });
  if (listed != places.end()) {
    if (static_cast<size_t>(listed - places.begin()) < index)
      return;
    place = *listed;
    places.erase(listed);
  }
  places.insert(places.begin() + static_cast<std::ptrdiff_t>(std::min(index, places.size())), std::move(place));
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

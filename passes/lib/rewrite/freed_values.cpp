#include "rewrite/freed_values.h"

namespace ccgraph {

static constexpr llvm::StringLiteral onHost = "host";

FreedValues::FreedValues(Graph &graph, const ProgramFacts &facts, const CostModel &cost, const FreeingActions &actions)
    : graph_(graph), lives_(graph, facts), recomputation_(lives_, cost, {actions.gathers, actions.time}) {
  if (cost.machine().hostLink.exists())
    offloading_.emplace(lives_, cost, actions.recompute ? CopyTime::Added : CopyTime::Alone);
  llvm::SmallVector<FreeingAction *, 2> taken;
  if (actions.recompute)
    taken.push_back(&recomputation_);
  if (actions.offload && offloading_)
    taken.push_back(&*offloading_);
  reduction_.emplace(lives_, taken);
}

bool FreedValues::isOffloaded(llvm::StringRef text, UsualAction usual) {
  return usual == UsualAction::Offload || text.endswith(("." + onHost).str());
}

bool FreedValues::free(llvm::StringRef text, UsualAction usual) {
  auto [value, rest] = text.split('.');
  auto [after, place] = rest.split('.');
  const Node *node = graph_.find(value), *step = graph_.find(after);
  if (!node || !step || !(place.empty() || place == onHost))
    return false;
  if (place == onHost || usual == UsualAction::Offload)
    return offloading_ && reduction_->free(*offloading_, node, step);
  return reduction_->free(recomputation_, node, step);
}

std::vector<std::string> FreedValues::texts(UsualAction usual) const {
  std::vector<std::string> texts;
  for (const PeakReduction::Done &done : reduction_->done()) {
    std::string text = (done.value.value->name().str() + "." + done.value.after->name().str()).str();
    if (isOffload(done.action) && usual != UsualAction::Offload)
      text += "." + onHost.str();
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<FreedValues::Kept> FreedValues::kept() const {
  std::vector<Kept> kept;
  for (const PeakReduction::Kept &it : reduction_->kept())
    kept.push_back({it.value, isOffload(it.action), it.obstacle});
  return kept;
}

} // namespace ccgraph

#include "rewrite/peak_reduction.h"

namespace ccgraph {

/// Returns the offers without an obstacle, those of the largest gain first. The first round notes the obstacles of the
/// others.
std::vector<PeakReduction::Planned> PeakReduction::offersAt(const Node *at) {
  std::vector<Planned> offers;
  for (StorageId storage = 0; storage < lives_.bytes.size(); ++storage) {
    for (FreeingAction *action : actions_) {
      auto noteKept = [&](unsigned obstacle) {
        if (isFirstRound_)
          kept_.push_back({lives_.names[storage].front(), action, obstacle});
      };
      const Node *place = action->placeOf(at);
      if (lives_.isWritten(storage) && lives_.isLiveAcross(storage, place))
        noteKept(action->writtenObstacle());
      if (!lives_.mayGo(storage, place))
        continue;
      const FreeingAction::Offer offer = action->offer(storage, place);
      if (offer.obstacle)
        noteKept(*offer.obstacle);
      else
        offers.push_back({storage, action, offer});
    }
  }
  llvm::stable_sort(offers, isBetter);
  return offers;
}

bool PeakReduction::reduceAt(const ValueLives::Peak &peak, int64_t bytes) {
  std::vector<Planned> offers = offersAt(peak.at);
  int64_t live = peak.bytes;
  bool any = false;
  for (size_t i = 0; i < offers.size() && live > bytes; ++i) {
    Planned now = offers[i];
    const Node *place = now.action->placeOf(peak.at);
    if (!lives_.mayGo(now.storage, place))
      continue;
    // The offers that were taken before may have changed this one.
    now.offer = now.action->offer(now.storage, place);
    if (now.offer.obstacle)
      continue;
    // With two actions, an offer that has become worse is compared with the next ones again.
    auto next = offers.begin() + static_cast<ptrdiff_t>(i) + 1;
    auto turn = std::find_if_not(next, offers.end(), [&](const Planned &it) { return isBetter(it, now); });
    if (actions_.size() > 1 && turn != next) {
      offers.insert(turn, now);
      continue;
    }
    live -= now.offer.bytes;
    done_.push_back({now.action->take(now.storage, place), now.action});
    any = true;
  }
  return any;
}

int64_t PeakReduction::reduceTo(int64_t bytes) {
  constexpr unsigned mostRounds = 64;
  ValueLives::Peak now = lives_.peak();
  for (; now.bytes > bytes && rounds_ < mostRounds; ++rounds_) {
    const bool any = reduceAt(now, bytes);
    isFirstRound_ = false;
    if (!any)
      break;
    now = lives_.peak();
  }
  return now.bytes;
}

bool PeakReduction::free(FreeingAction &action, const Node *value, const Node *after) {
  if (lives_.isNew(value) || action.placeOf(after) != after)
    return false;
  const llvm::ArrayRef<StorageId> storages = lives_.facts().storages().storages(value);
  if (storages.size() != 1 || !lives_.mayGo(storages.front(), after) || action.offer(storages.front(), after).obstacle)
    return false;
  done_.push_back({action.take(storages.front(), after), &action});
  return true;
}

} // namespace ccgraph

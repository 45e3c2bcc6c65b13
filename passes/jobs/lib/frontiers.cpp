#include "frontiers.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace ccgraph::jobs {

Id Frontiers::intern(List list) {
  if (list.size() == 1)
    return alone_[list.front()];
  auto [entry, isNew] = ids_.try_emplace(list, static_cast<Id>(lists_.size()));
  if (isNew)
    lists_.push_back(std::move(list));
  return entry->second;
}

Id Frontiers::addLaunch(llvm::SmallVector<Id, 2> keys) {
  keys_.push_back(std::move(keys));
  alone_.push_back(static_cast<Id>(lists_.size()));
  lists_.push_back({static_cast<Id>(keys_.size() - 1)});
  return alone_.back();
}

Id Frontiers::unite(Id a, Id b) {
  if (a == b || b == empty)
    return a;
  if (a == empty)
    return b;
  auto known = united_.find({std::min(a, b), std::max(a, b)});
  if (known != united_.end())
    return known->second;
  List all;
  std::set_union(lists_[a].begin(), lists_[a].end(), lists_[b].begin(), lists_[b].end(), std::back_inserter(all));
  List kept;
  llvm::SmallDenseSet<Id, 8> seen;
  for (Id launch : llvm::reverse(all)) {
    // A later launch with the same key completes after this one.
    if (llvm::any_of(keys_[launch], [&](Id key) { return seen.contains(key); }))
      continue;
    seen.insert(keys_[launch].begin(), keys_[launch].end());
    kept.push_back(launch);
  }
  std::reverse(kept.begin(), kept.end());
  Id result = intern(std::move(kept));
  united_[{std::min(a, b), std::max(a, b)}] = result;
  return result;
}

} // namespace ccgraph::jobs

#include "rewrite/spare_memory.h"

#include "analysis/lifetimes.h"

namespace ccgraph {

LiveBytes &SpareMemory::live() {
  if (!live_)
    live_.emplace(liveMemory(graph_, facts_));
  return *live_;
}

void SpareMemory::reset(std::optional<int64_t> budget) {
  budget_ = budget;
  live_.reset();
}

bool SpareMemory::hasRoom(int64_t bytes, Node *from, const Node *to) {
  return !budget_ || !live().firstAbove(from, to, *budget_ - bytes);
}

bool SpareMemory::waitFreesInput(const Node *launch, const Node *wait) {
  if (!budget_)
    return true;
  const LiveBytes &memory = live();
  return llvm::any_of(memory.intervalsOf(wait), [&](LiveBytes::IntervalId id) {
    if (memory.last(id) != wait || memory.isForGood(id) || memory.first(id) == launch)
      return false;
    bool alone = true;
    memory.forEachHolder(id, [&](const Node *holder) { alone &= holder == wait || !launch->isBefore(holder); });
    return alone;
  });
}

void SpareMemory::take(int64_t bytes, llvm::ArrayRef<Node *> holders) {
  if (budget_)
    (void)live().addInterval(bytes, holders);
}

} // namespace ccgraph

#include "schedule/chunks/chunk_sets.h"

namespace ccgraph {

/// Returns true if the pieces save more than the part of the collectives that overlaps with other computation anyway.
/// Pieces of columns also let other collectives be less exposed.
bool ChunkSets::isWorth(const ChunkPlan &plan) const {
  if (plan.region.cutsColumns() && trial_.exposes(plan.region) > 0)
    return true;
  if (plan.region.kind == ChunkRegion::Kind::ReduceColumns)
    return false;
  int64_t hidden = 0;
  for (const Node *launch : plan.launches())
    hidden += cost_.estimatedTime(*launch).picoseconds - trial_.exposed(*launch);
  return plan.saving() > hidden;
}

/// Returns the chains, and those of the other plans that do not overlap with one.
static ChunkPlans withChains(const ChunkPlans &chains, const ChunkPlans &others) {
  ChunkPlans all = chains;
  for (const ChunkPlan *plan : others)
    if (llvm::none_of(chains, [&](const ChunkPlan *chain) { return chain->overlaps(*plan); }))
      all.push_back(plan);
  return all;
}

bool ChunkSets::wasTried(const ChunkPlans &set) {
  std::string text;
  for (const ChunkPlan *plan : set)
    text += plan->text() + ";";
  return !tried_.insert(text).second;
}

void ChunkSets::attempt(const ChunkPlans &set) {
  // The second attempt has most of the first one's sets, whose schedules are no faster than the best one.
  if (wasTried(set))
    return;
  std::optional<PredictedStep> cut = trial_.schedule(set, step_.time);
  if (!cut || cut->time >= step_.time)
    return;
  step_ = *cut;
  best_ = set;
}

void ChunkSets::attempt(llvm::ArrayRef<ChunkPlan> chainPlans, llvm::ArrayRef<ChunkPlan> plans) {
  ChunkPlans all, worth, ends, gathers, reduces, chains;
  for (const ChunkPlan &plan : chainPlans)
    if (isWorth(plan))
      chains.push_back(&plan);
  for (const ChunkPlan &plan : plans) {
    all.push_back(&plan);
    if (!isWorth(plan))
      continue;
    worth.push_back(&plan);
    if (plan.region.cutsColumns() && trial_.exposes(plan.region) > 0)
      ends.push_back(&plan);
    (plan.region.gathers() ? gathers : reduces).push_back(&plan);
  }
  const int64_t before = step_.time;
  if (!chains.empty()) {
    const ChunkPlans withWorth = withChains(chains, worth), withAll = withChains(chains, all);
    attempt(withWorth);
    if (withAll.size() != withWorth.size())
      attempt(withAll);
  }
  // Parts of the regions are not tried where chains are faster, since each attempt is a search.
  if (step_.time < before)
    gathers.clear(), reduces.clear();
  for (const ChunkPlans *set : {&ends, &worth, &all, &gathers, &reduces})
    if (!set->empty() && (set == &worth || set->size() != worth.size()))
      attempt(*set);
}

} // namespace ccgraph

#include "ccgraph/toolkit/peak_holders.h"

#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/ir/text.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

/// Returns the later of two nodes in program order.
const Node *lastOf(const Node *a, const Node *b) { return !a || (b && a->isBefore(b)) ? b : a; }

/// Returns for each storage the last node that keeps it alive; null if there is none.
std::vector<const Node *> lastHolders(const StorageLives &lives) {
  std::vector<const Node *> last;
  for (const StorageLife &life : lives.storages)
    last.push_back(life.holders.empty() ? nullptr : life.holders.back());
  for (const SharedHold &shared : lives.shared)
    for (StorageId storage : shared.held)
      last[storage] = lastOf(last[storage], shared.holders.back());
  return last;
}

} // namespace

PeakHolders holdersOfPeak(const Graph &graph) {
  StorageMap storages(graph);
  MemoryPeak peak = peakMemory(graph, storages);
  PeakHolders result{peak.at, peak.bytes, {}};
  if (!peak.at)
    return result;
  StorageLives lives = storageLives(graph, storages, AsyncPairs(graph, storages));
  std::vector<const Node *> last = lastHolders(lives);
  for (StorageId storage = 0; storage < lives.storages.size(); ++storage) {
    const StorageLife &life = lives.storages[storage];
    bool begun = life.fromStart || (!life.holders.empty() && !peak.at->isBefore(life.holders.front()));
    bool ended = !life.toEnd && last[storage] && last[storage]->isBefore(peak.at);
    if (begun && !ended && life.bytes > 0)
      result.holders.push_back({storages.owner(storage), life.bytes});
  }
  llvm::stable_sort(result.holders, [](const PeakHolder &a, const PeakHolder &b) { return a.bytes > b.bytes; });
  return result;
}

std::string str(const PeakHolders &peak, size_t count) {
  if (!peak.at)
    return "nothing alive";
  std::string text = "live at " + peak.at->name().str().str() + ":";
  int64_t others = 0;
  for (size_t i = 0; i < peak.holders.size(); ++i)
    if (i < count)
      text +=
          (i == 0 ? " " : ", ") + peak.holders[i].owner->name().str().str() + " " + bytesText(peak.holders[i].bytes);
    else
      others += peak.holders[i].bytes;
  if (peak.holders.size() > count)
    text += ", and " + counted(peak.holders.size() - count, "other") + " " + bytesText(others);
  return text;
}

} // namespace ccgraph

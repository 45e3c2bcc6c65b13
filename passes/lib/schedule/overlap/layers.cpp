#include "schedule/overlap/layers.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ccgraph::overlap {

namespace {

constexpr size_t longestPeriod = 256;
/// Of all values, so many percent must be what they were a period before.
constexpr size_t mostPercent = 75;

} // namespace

size_t periodOf(llvm::ArrayRef<int64_t> values) {
  for (size_t period = 1; period <= longestPeriod && 2 * period <= values.size(); ++period) {
    size_t same = 0;
    for (size_t i = period; i < values.size(); ++i)
      same += values[i] == values[i - period];
    if (100 * same >= mostPercent * (values.size() - period))
      return period;
  }
  return 0;
}

Layers::Layers(const Tasks &tasks) : layerOf_(tasks.size(), none) {
  // Prefetches in the order in which they are needed, all others as they are produced.
  std::map<std::tuple<uint32_t, uint32_t, bool>, std::vector<uint32_t>> kinds;
  for (uint32_t task = 0; task < tasks.size(); ++task)
    if (tasks.launches(task))
      kinds[{tasks.step(task).stream, tasks.step(task).mergeKey, tasks.prefetchable(task)}].push_back(task);
  for (auto &[kind, launches] : kinds) {
    if (std::get<bool>(kind))
      std::stable_sort(launches.begin(), launches.end(),
                       [&](uint32_t a, uint32_t b) { return tasks.neededBy(a) < tasks.neededBy(b); });
    divide(tasks, launches);
  }
}

void Layers::add(llvm::ArrayRef<uint32_t> launches, uint32_t fetchedFrom) {
  for (uint32_t launch : launches)
    layerOf_[launch] = static_cast<uint32_t>(sizes_.size());
  sizes_.push_back(static_cast<uint32_t>(launches.size()));
  fetchedFrom_.push_back(fetchedFrom);
}

/// A layer begins where the repetition does, and ends a period later; what stands between repetitions is a layer, too.
void Layers::divide(const Tasks &tasks, llvm::ArrayRef<uint32_t> launches) {
  std::vector<int64_t> bytes;
  for (uint32_t launch : launches)
    bytes.push_back(tasks.step(launch).bytes);
  size_t period = periodOf(bytes);
  auto repeats = [&](size_t i) { return period > 0 && i + period < bytes.size() && bytes[i] == bytes[i + period]; };
  uint32_t fetchedFrom = 0;
  for (size_t begin = 0, end = 0; begin < launches.size(); begin = end) {
    if (tasks.step(launches[begin]).mergeKey == none)
      end = begin + 1;
    else if (repeats(begin) || (begin >= period && repeats(begin - period)))
      end = std::min(begin + period, launches.size());
    else
      for (end = begin + 1; end < launches.size() && !repeats(end);)
        ++end;
    add(launches.slice(begin, end - begin), fetchedFrom);
    fetchedFrom = tasks.neededBy(launches[begin]);
  }
}

} // namespace ccgraph::overlap

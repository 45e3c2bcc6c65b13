#include "schedule/overlap/large_bucket.h"

#include "ccgraph/ir/int_list.h"

#include <map>

namespace ccgraph::overlap {

namespace {

constexpr int64_t mebibyte = int64_t{1} << 20;
constexpr int64_t leastLarge = 512 * mebibyte;
constexpr int64_t mostPercent = 102;

/// Launches that may be merged.
struct Kind {
  uint32_t launch;
  int64_t bytes = 0;
};

std::map<uint32_t, Kind> mergeableKinds(const Problem &problem) {
  std::map<uint32_t, Kind> kinds;
  for (uint32_t step = 0; step < problem.steps.size(); ++step)
    if (const Step &it = problem.steps[step]; it.kind == StepKind::Launch && it.mergeKey != none) {
      Kind &kind = kinds.try_emplace(it.mergeKey, Kind{step}).first->second;
      kind.bytes = saturatingAdd(kind.bytes, it.bytes);
    }
  return kinds;
}

/// Returns the picoseconds a mebibyte of one collective with this many bytes.
int64_t paceOf(const Problem &problem, uint32_t launch, int64_t bytes) {
  return problem.estimatedTime(launch, bytes) / (bytes / mebibyte);
}

} // namespace

int64_t largeBucket(const Problem &problem) {
  int64_t large = leastLarge;
  for (auto [key, kind] : mergeableKinds(problem)) {
    if (kind.bytes <= large)
      continue;
    int64_t best = paceOf(problem, kind.launch, kind.bytes);
    while (large <= kind.bytes / 2 && 100 * paceOf(problem, kind.launch, large) > mostPercent * best)
      large *= 2;
  }
  return large;
}

} // namespace ccgraph::overlap

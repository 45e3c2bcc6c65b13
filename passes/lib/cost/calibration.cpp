#include "cost/calibration.h"

namespace ccgraph {

void RatioSamples::add(double predicted, double measured) {
  if (predicted > 0 && measured > 0)
    samples_.push_back({measured / predicted, predicted});
}

// Samples of one ratio may come in any order. Their weights have the same sum only if they are added in the same order,
// so they are sorted by weight too.
Scale RatioSamples::scale() const {
  if (samples_.empty())
    return {};
  std::vector<Sample> sorted = samples_;
  llvm::sort(sorted, [](const Sample &a, const Sample &b) {
    return a.ratio != b.ratio ? a.ratio < b.ratio : a.weight < b.weight;
  });
  double total = 0;
  for (const Sample &sample : sorted)
    total += sample.weight;
  double below = 0;
  for (const Sample &sample : sorted)
    if ((below += sample.weight) * 2 >= total)
      return {sample.ratio, sorted.size()};
  return {sorted.back().ratio, sorted.size()};
}

} // namespace ccgraph

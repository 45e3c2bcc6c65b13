#include "cost/measured_collectives.h"

#include <algorithm>
#include <tuple>

namespace ccgraph {
namespace {

constexpr double microsecond = 1e-6; // microseconds in a picosecond

llvm::ArrayRef<CollectiveSample> samplesOf(const Machine &machine, const CollectiveShape &shape) {
  const auto wanted = std::make_tuple(timedAs(shape.kind), shape.placement.ranks, shape.placement.nodes);
  auto key = [](const CollectiveSample &sample) { return std::make_tuple(sample.kind, sample.ranks, sample.nodes); };
  const auto &all = machine.measured;
  auto first = std::partition_point(all.begin(), all.end(), [&](const auto &sample) { return key(sample) < wanted; });
  auto last = std::partition_point(first, all.end(), [&](const auto &sample) { return key(sample) == wanted; });
  return {&*all.begin() + (first - all.begin()), static_cast<size_t>(last - first)};
}

double along(const CollectiveSample &a, const CollectiveSample &b, int64_t bytes) {
  const double part = static_cast<double>(bytes - a.bytes) / static_cast<double>(b.bytes - a.bytes);
  return static_cast<double>(a.picoseconds) + part * static_cast<double>(b.picoseconds - a.picoseconds);
}

double beyond(llvm::ArrayRef<CollectiveSample> samples, int64_t bytes) {
  const CollectiveSample &last = samples.back();
  if (samples.size() > 1 && samples[samples.size() - 2].picoseconds < last.picoseconds)
    return along(samples[samples.size() - 2], last, bytes);
  const double growth = last.bytes > 0 ? static_cast<double>(bytes) / static_cast<double>(last.bytes) : 1;
  return static_cast<double>(last.picoseconds) * growth;
}

} // namespace

std::vector<int64_t> measuredSizes(const Machine &machine, const CollectiveShape &shape) {
  std::vector<int64_t> sizes;
  if (!machine.measured.empty())
    for (const CollectiveSample &sample : samplesOf(machine, shape))
      sizes.push_back(sample.bytes);
  return sizes;
}

std::optional<double> measuredMicroseconds(const Machine &machine, const CollectiveShape &shape) {
  if (machine.measured.empty())
    return std::nullopt;
  const llvm::ArrayRef<CollectiveSample> samples = samplesOf(machine, shape);
  if (samples.empty())
    return std::nullopt;
  if (shape.bytes <= samples.front().bytes)
    return static_cast<double>(samples.front().picoseconds) * microsecond;
  if (shape.bytes > samples.back().bytes)
    return beyond(samples, shape.bytes) * microsecond;
  auto next = llvm::partition_point(samples, [&](const auto &sample) { return sample.bytes < shape.bytes; });
  return along(*std::prev(next), *next, shape.bytes) * microsecond;
}

} // namespace ccgraph

#include "cost/pytorch_rules.h"

#include "cost/arithmetic.h"
#include "cost/nccl_constants.h"

#include <algorithm>

namespace ccgraph {
namespace {

using nccl::Algorithm;
using nccl::Protocol;

constexpr double giga = 1e9;

// A network reaches 77 % of its rate between two nodes and all of it between eight. Beyond two nodes, messages above 50
// MB gain with the 0.17th power of their size.
constexpr double networkBase = .77;
constexpr double networkGain = .23;
constexpr double nodesForAll = 7;
constexpr double largeMessage = 5e7;
constexpr double sizeExponent = .17;

/// The inputs of one estimate.
struct Question {
  const Machine &machine;
  int64_t ranks;
  int64_t nodes;
  int64_t bytes;
  bool reducesAll;
  /// GB/s of the link
  double bus;

  [[nodiscard]] double steps() const { return static_cast<double>((reducesAll ? 2 : 1) * (ranks - 1)); }
  [[nodiscard]] double channels() const { return static_cast<double>(machine.link(level()).channels); }
  [[nodiscard]] LinkLevel level() const { return nodes > 1 ? LinkLevel::Inter : LinkLevel::Intra; }
};

double networkBandwidth(double line, int64_t nodes, int64_t bytes) {
  double reached = line * (networkBase + networkGain * std::min(1.0, static_cast<double>(nodes - 1) / nodesForAll));
  if (nodes > 2 && static_cast<double>(bytes) > largeMessage)
    reached *= power(static_cast<double>(bytes) / largeMessage, sizeExponent);
  return std::min(reached, line);
}

double ringBandwidth(const Question &q, Protocol protocol) {
  const Generation generation = q.machine.generation;
  switch (protocol) {
  case Protocol::LL:
    return std::min(nccl::mostOfLL(generation, q.nodes), q.bus * .5);
  case Protocol::LL128:
    return std::min(q.bus * 120 / 128, q.channels() * nccl::mostOfRing128(generation, q.nodes));
  case Protocol::Simple:
    return q.bus;
  }
  llvm_unreachable("no such protocol");
}

double treeBandwidth(const Question &q, Protocol protocol) {
  const Generation generation = q.machine.generation;
  switch (protocol) {
  case Protocol::LL:
    return std::min(q.bus / 3.8, nccl::mostOfLL(generation, q.nodes));
  case Protocol::LL128:
    return std::min(q.bus * (q.nodes == 1 ? 7.0 / 9 : 120.0 / 128),
                    q.channels() * nccl::mostOfTree128(generation, q.nodes));
  case Protocol::Simple:
    return std::min(q.bus * .92, q.channels() * nccl::mostOfTree(generation, q.nodes));
  }
  llvm_unreachable("no such protocol");
}

/// If a group has several nodes, a hop inside a node costs at least the network overhead of the kernel.
double intraHop(const Question &q, Algorithm algorithm, Protocol protocol) {
  const double hop = nccl::hopLatency(q.machine.intra.kind, algorithm, protocol);
  return q.nodes > 1 ? std::max(hop, protocol == Protocol::Simple ? 3.0 : 1.0) : hop;
}

double ringLatency(const Question &q, Protocol protocol) {
  const double across = q.nodes == 1 ? 0 : static_cast<double>((q.reducesAll ? 2 : 1) * (q.nodes - 1));
  return nccl::baseLatency(Algorithm::Ring, protocol) + (q.steps() - across) * intraHop(q, Algorithm::Ring, protocol) +
         across * nccl::hopLatency(q.machine.inter.kind, Algorithm::Ring, protocol);
}

double treeLatency(const Question &q, Protocol protocol) {
  const auto inside = static_cast<double>(q.ranks / q.nodes - 1);
  const auto across = static_cast<double>(floorLog2(q.nodes));
  return nccl::baseLatency(Algorithm::Tree, protocol) +
         2 * (inside * intraHop(q, Algorithm::Tree, protocol) +
              across * nccl::hopLatency(q.machine.inter.kind, Algorithm::Tree, protocol));
}

double microseconds(double latency, double bandwidth, int64_t bytes) {
  return latency + static_cast<double>(bytes) / (1000.0 * bandwidth);
}

double ringTime(const Question &q, Protocol protocol) {
  const double bandwidth = ringBandwidth(q, protocol) * static_cast<double>(q.ranks) / q.steps();
  return microseconds(ringLatency(q, protocol), bandwidth, q.bytes);
}

double treeTime(const Question &q, Protocol protocol) {
  const double bandwidth = treeBandwidth(q, protocol) * .5 * nccl::treeCorrection(protocol, q.bytes);
  return microseconds(treeLatency(q, protocol), bandwidth, q.bytes);
}

} // namespace

double pytorchMicroseconds(const Machine &machine, const CollectiveShape &shape) {
  const auto [ranks, nodes] = shape.placement;
  const double line = static_cast<double>(machine.link(shape.placement.level()).bytesPerSecond) / giga;
  const double bus = nodes > 1 ? networkBandwidth(line, nodes, shape.bytes) : line;
  const Question q{machine, ranks, nodes, shape.bytes, shape.kind == CollectiveKind::AllReduce, bus};
  double best = ringTime(q, Protocol::Simple);
  for (Protocol protocol : nccl::allProtocols) {
    if (protocol == Protocol::LL128 && nodes > 1)
      continue;
    best = std::min(best, ringTime(q, protocol));
    if (q.reducesAll)
      best = std::min(best, treeTime(q, protocol));
  }
  return best;
}

} // namespace ccgraph

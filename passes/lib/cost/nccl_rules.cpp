#include "cost/nccl_rules.h"

#include "cost/arithmetic.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

namespace ccgraph {
namespace {

using nccl::Algorithm;
using nccl::Protocol;

constexpr double giga = 1e9;
constexpr double microsecond = 1e-6; // microseconds in a picosecond

/// With this many bytes for each channel and rank, plain buffers wait for one another across nodes.
constexpr int64_t slowShare = 64;

/// The inputs of one estimate, in the terms of NCCL's model.
struct Question {
  const Machine &machine;
  const CollectiveShape &shape;
  double ranks = 0;
  double nodes = 0;
  double ranksOnNode = 0;
  double channels = 0;
  /// GB/s that all channels reach together
  double bus = 0;

  Question(const Machine &machine, const CollectiveShape &shape)
      : machine(machine), shape(shape), ranks(static_cast<double>(shape.placement.ranks)),
        nodes(static_cast<double>(shape.placement.nodes)),
        ranksOnNode(static_cast<double>(std::max<int64_t>(1, shape.placement.ranks / shape.placement.nodes))),
        channels(static_cast<double>(machine.link(shape.placement.level()).channels)) {
    const double inside = static_cast<double>(machine.intra.bytesPerSecond) / giga;
    const double across = static_cast<double>(machine.inter.bytesPerSecond) / giga * ranksOnNode;
    bus = isAcross() ? (ranksOnNode > 1 ? std::min(inside, across) : across) : inside;
  }

  [[nodiscard]] bool isAcross() const { return nodes > 1; }
  [[nodiscard]] bool is(CollectiveKind kind) const { return shape.kind == kind; }
  /// Returns the number of rounds of a ring.
  [[nodiscard]] double steps() const {
    return is(CollectiveKind::AllReduce) ? 2 * (ranks - 1) : is(CollectiveKind::Broadcast) ? ranks : ranks - 1;
  }
  [[nodiscard]] double intraHop(Algorithm algorithm, Protocol protocol) const {
    return nccl::hopLatency(machine.intra.kind, algorithm, protocol) +
           static_cast<double>(machine.intra.latencyPs) * microsecond;
  }
  /// Returns the latency of a hop across nodes. With one GPU a node, rings use the tree's latency. The topology's own
  /// latency counts twice for Simple, whose buffers need an answer.
  [[nodiscard]] double interHop(Algorithm algorithm, Protocol protocol) const {
    const Algorithm from = algorithm == Algorithm::Ring && ranksOnNode == 1 ? Algorithm::Tree : algorithm;
    return nccl::hopLatency(machine.inter.kind, from, protocol) +
           static_cast<double>(machine.inter.latencyPs) * microsecond * (protocol == Protocol::Simple ? 2 : 1);
  }
};

double ringLatency(const Question &q, Protocol protocol) {
  const double base = nccl::baseLatency(Algorithm::Ring, protocol);
  if (q.is(CollectiveKind::Broadcast)) // its chunks follow one another around the ring
    return base + (q.isAcross() ? q.interHop(Algorithm::Ring, protocol) : q.intraHop(Algorithm::Ring, protocol));
  const double across = q.isAcross() ? (q.is(CollectiveKind::AllReduce) ? 2 : 1) * (q.nodes - 1) : 0;
  // The cost of launching a step where a network is involved.
  const double overhead = protocol == Protocol::Simple ? 3 : 1;
  const double intra = q.intraHop(Algorithm::Ring, protocol);
  double latency = base + (q.steps() - across) * (q.isAcross() ? std::max(intra, overhead) : intra) +
                   across * q.interHop(Algorithm::Ring, protocol);
  const double share = static_cast<double>(q.shape.bytes) / (q.channels * q.ranks);
  if (q.isAcross() && protocol == Protocol::Simple && q.is(CollectiveKind::AllReduce) && share >= slowShare)
    latency *= q.machine.generation == Generation::Volta ? 1.9 : 1.4;
  return latency;
}

double ringBandwidth(const Question &q, Protocol protocol) {
  double bus = q.bus;
  if (protocol == Protocol::LL)
    bus = std::min(nccl::mostOfLL(q.machine.generation, q.shape.placement.nodes), bus * .5);
  else if (protocol == Protocol::LL128)
    bus = std::min(bus * .92, q.channels * nccl::mostOfRing128(q.machine.generation, q.shape.placement.nodes));
  return bus * q.ranks / q.steps();
}

double treeBandwidth(const Question &q, Protocol protocol) {
  const Generation generation = q.machine.generation;
  const int64_t nodes = q.shape.placement.nodes;
  double bus = std::min(q.bus * .92, q.channels * nccl::mostOfTree(generation, nodes));
  if (protocol == Protocol::LL)
    bus = std::min(bus / 3.8, nccl::mostOfLL(generation, nodes));
  else if (protocol == Protocol::LL128)
    bus = std::min(bus * (q.isAcross() ? 120.0 / 128 : 7.0 / 9), q.channels * nccl::mostOfTree128(generation, nodes));
  return bus * .5 * nccl::treeCorrection(protocol, q.shape.bytes);
}

std::optional<NcclTime> treeTime(const Question &q, Protocol protocol) {
  if (!q.is(CollectiveKind::AllReduce))
    return std::nullopt;
  const double latency =
      nccl::baseLatency(Algorithm::Tree, protocol) +
      2 * ((q.ranksOnNode - 1) * q.intraHop(Algorithm::Tree, protocol) +
           static_cast<double>(floorLog2(q.shape.placement.nodes)) * q.interHop(Algorithm::Tree, protocol));
  return NcclTime{latency, treeBandwidth(q, protocol)};
}

/// Returns the time of NVLS: the switch adds the contributions of the ranks of one node, and distributes the sum to all
/// of them.
std::optional<NcclTime> nvlsTime(const Question &q) {
  if (!q.is(CollectiveKind::AllReduce) || q.machine.multicastBytesPerSecond == 0 || q.ranksOnNode < 2)
    return std::nullopt;
  double latency = q.intraHop(Algorithm::Nvls, Protocol::Simple);
  double bus = static_cast<double>(q.machine.multicastBytesPerSecond) / giga;
  if (q.isAcross()) {
    latency += q.interHop(Algorithm::Nvls, Protocol::Simple);
    bus = std::min(bus, q.bus);
  }
  return NcclTime{latency, bus * q.ranks / q.steps()};
}

/// NVLS inside a node, a tree of the nodes across.
std::optional<NcclTime> nvlsTreeTime(const Question &q) {
  if (!q.is(CollectiveKind::AllReduce) || q.machine.multicastBytesPerSecond == 0 || q.ranksOnNode < 2 || !q.isAcross())
    return std::nullopt;
  const double latency =
      q.intraHop(Algorithm::NvlsTree, Protocol::Simple) +
      2 * static_cast<double>(floorLog2(q.shape.placement.nodes)) * q.interHop(Algorithm::NvlsTree, Protocol::Simple);
  const double most = q.channels * nccl::mostOfNvlsTree(q.machine.generation, q.shape.placement.nodes);
  return NcclTime{latency, std::min(q.bus, most) * q.ranks / q.steps()};
}

/// For groups of one rank a node.
std::optional<NcclTime> patTime(const Question &q) {
  const bool fits = q.is(CollectiveKind::AllGather) || q.is(CollectiveKind::ReduceScatter);
  if (!fits || !q.isAcross() || q.ranksOnNode > 1)
    return std::nullopt;
  const double latency =
      nccl::baseLatency(Algorithm::Pat, Protocol::Simple) +
      static_cast<double>(floorLog2(q.shape.placement.nodes)) * q.interHop(Algorithm::Pat, Protocol::Simple) / 3.5 +
      2.8 * q.ranks;
  return NcclTime{latency, q.bus * .75};
}

/// For communication between pairs of ranks: all pairs are concurrent, over the node's links inside it and over the
/// network card across nodes.
double pairwiseMicroseconds(const Question &q) {
  const double base = nccl::baseLatency(Algorithm::Ring, Protocol::Simple);
  const auto bytes = static_cast<double>(q.shape.bytes);
  const bool among = !isPointToPoint(q.shape.kind);
  const double inside = among ? bytes * (q.ranksOnNode - 1) / q.ranks : (q.isAcross() ? 0 : bytes);
  const double across = among ? bytes * (q.ranks - q.ranksOnNode) / q.ranks : (q.isAcross() ? bytes : 0);
  const double wire = std::max(inside / static_cast<double>(q.machine.intra.bytesPerSecond),
                               across / static_cast<double>(q.machine.inter.bytesPerSecond));
  const double hop =
      q.isAcross() ? q.interHop(Algorithm::Ring, Protocol::Simple) : q.intraHop(Algorithm::Ring, Protocol::Simple);
  return base + hop + wire * 1e6;
}

bool isRing(CollectiveKind kind) {
  constexpr CollectiveKind rings[] = {CollectiveKind::AllReduce, CollectiveKind::AllGather,
                                      CollectiveKind::ReduceScatter, CollectiveKind::Broadcast,
                                      CollectiveKind::Barrier};
  return llvm::is_contained(rings, kind);
}

} // namespace

std::optional<NcclTime> ncclTime(const Machine &machine, const CollectiveShape &shape, Algorithm algorithm,
                                 Protocol protocol) {
  const Question q(machine, shape);
  switch (algorithm) {
  case Algorithm::Tree:
    return treeTime(q, protocol);
  case Algorithm::Ring:
    return NcclTime{ringLatency(q, protocol), ringBandwidth(q, protocol)};
  case Algorithm::Nvls:
    return protocol == Protocol::Simple ? nvlsTime(q) : std::nullopt;
  case Algorithm::NvlsTree:
    return protocol == Protocol::Simple ? nvlsTreeTime(q) : std::nullopt;
  case Algorithm::Pat:
    return protocol == Protocol::Simple ? patTime(q) : std::nullopt;
  }
  llvm_unreachable("no such algorithm");
}

int64_t ncclSlowerAllReduce(const Machine &machine, const CollectiveShape &shape) {
  return slowShare * machine.link(shape.placement.level()).channels * shape.placement.ranks;
}

double ncclMicroseconds(const Machine &machine, const CollectiveShape &shape) {
  if (!isRing(shape.kind))
    return pairwiseMicroseconds(Question(machine, shape));
  double best = std::numeric_limits<double>::max();
  for (Algorithm algorithm : nccl::allAlgorithms)
    for (Protocol protocol : nccl::allProtocols)
      if (auto time = ncclTime(machine, shape, algorithm, protocol))
        best = std::min(best, time->latency + static_cast<double>(shape.bytes) / (1000.0 * time->bandwidth));
  return best;
}

} // namespace ccgraph

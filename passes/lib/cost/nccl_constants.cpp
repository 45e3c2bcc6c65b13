#include "cost/nccl_constants.h"

#include "cost/arithmetic.h"

#include <algorithm>
#include <array>

namespace ccgraph::nccl {
namespace {

size_t index(Generation generation) { return static_cast<size_t>(generation); }
size_t index(Algorithm algorithm) { return static_cast<size_t>(algorithm); }

/// One number for each protocol.
using ByProtocol = std::array<double, 3>;
size_t index(Protocol protocol) { return static_cast<size_t>(protocol); }

/// One number for one node, two nodes, and more.
using ByNodes = std::array<double, 3>;
double ofNodes(const ByNodes &values, int64_t nodes) { return values[nodes < 3 ? static_cast<size_t>(nodes - 1) : 2]; }

/// One row for each generation: Volta, Ampere, Hopper, Blackwell.
using ByGeneration = std::array<ByNodes, 4>;

double at(const ByGeneration &table, Generation generation, int64_t nodes) {
  return ofNodes(table[index(generation)], nodes);
}

// Tree, Ring, NVLS, NVLSTree, PAT. Algorithms that run in the switch have no base latency: their hop includes it.
constexpr ByProtocol bases[] = {{6.8, 14.0, 8.4}, {6.6, 14.0, 8.4}, {0, 0, 0}, {0, 0, 0}, {8.0, 8.0, 8.0}};

// By LinkKind. Only Simple exists in the switch and for PAT; the other two are never used there.
constexpr ByProtocol hops[3][5] = {
    {{.6, 1.25, 4.0}, {.6, 1.9, 3.4}, {25, 25, 25}, {25, 25, 25}, {4, 4, 4}},
    {{1.0, 1.9, 4.0}, {1.0, 2.5, 5.7}, {0, 0, 0}, {0, 0, 0}, {4, 4, 4}},
    {{5.0, 8.5, 14.0}, {2.7, 4.0, 14.0}, {18, 18, 18}, {20.9, 20.9, 20.9}, {14, 14, 14}},
};

// Across nodes the value depends on the host's processor and not on the GPU; these are Intel's.
constexpr std::array<double, 4> mostLLInside = {39.0, 87.7, 141.0, 282.0};
constexpr ByNodes mostLLAcross = {39.0, 39.0, 20.4};

constexpr ByGeneration ring128 = {{{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {40, 40, 40}}};
constexpr ByGeneration tree128 = {{{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}}};
constexpr ByGeneration tree = {{{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}}};
constexpr ByGeneration nvlsTree = {{{0, 0, 0}, {0, 0, 0}, {0, 57.7, 45.5}, {0, 96, 80}}};

constexpr size_t corrections = 24;
constexpr double treeReaches[3][corrections] = {
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9},
};

} // namespace

double baseLatency(Algorithm algorithm, Protocol protocol) { return bases[index(algorithm)][index(protocol)]; }

double hopLatency(LinkKind kind, Algorithm algorithm, Protocol protocol) {
  return hops[static_cast<size_t>(kind)][index(algorithm)][index(protocol)];
}

double mostOfLL(Generation generation, int64_t nodes) {
  return nodes == 1 ? mostLLInside[index(generation)] : ofNodes(mostLLAcross, nodes);
}
double mostOfRing128(Generation generation, int64_t nodes) { return at(ring128, generation, nodes); }
double mostOfTree128(Generation generation, int64_t nodes) { return at(tree128, generation, nodes); }
double mostOfTree(Generation generation, int64_t nodes) { return at(tree, generation, nodes); }
double mostOfNvlsTree(Generation generation, int64_t nodes) { return at(nvlsTree, generation, nodes); }

double treeCorrection(Protocol protocol, int64_t bytes) {
  constexpr int64_t unit = 64;
  const int64_t step = floorLog2(std::max(bytes / unit, int64_t(1)));
  return step < static_cast<int64_t>(corrections) ? treeReaches[index(protocol)][step] : 1.0;
}

} // namespace ccgraph::nccl

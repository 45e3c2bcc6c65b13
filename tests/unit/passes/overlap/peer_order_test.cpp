// Compares orders of the suite's graphs, from ccgraph and from Inductor's passes: the result of a replay against
// another simulator, and the quality of each order on machines for which it was not made.
#include "unit/passes/overlap/peer_order.h"

#include "analysis/program_facts.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/timeline.h"
#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/graph_files.h"
#include "schedule/overlap/graph_problem.h"
#include "schedule/overlap/merging.h"
#include "schedule/overlap/replay.h"
#include "schedule/overlap/search.h"

#include "llvm/Support/xxhash.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace ccgraph::overlap::test {
namespace {

constexpr double picosecondsOfUs = 1e6;
/// for a step time and for a peak
constexpr double agreement = 1e-3;

class PeerOrders : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    graph_ = llvm::cantFail(loadGraph(context_, folder() + "/readable.py.gz"));
    llvm::cantFail(addGroups(*graph_, folder() + "/facts.json.gz"));
    durations_ = llvm::cantFail(loadDurations(folder() + "/durations.tsv.gz"));
    replayed_ = readReplayed(folder());
  }
  [[nodiscard]] static std::string folder() { return std::string(CCGRAPH_TEST_DATA "/suite/") + GetParam(); }
  [[nodiscard]] static PeerOrder read(const Replayed &peer) {
    return readPeerOrder(folder() + "/" + peer.order + ".gz");
  }

  Context context_;
  std::unique_ptr<Graph> graph_;
  Durations durations_;
  std::vector<Replayed> replayed_;
};

void expectNear(double got, double expected) { EXPECT_NEAR(got, expected, expected * agreement); }

/// A machine for which an order was not made.
struct Disturbance {
  std::string name;
  double compute = 1;
  double links = 1;
  /// each node takes up to this much more or less, determined by its name and the seed
  double noise = 0;
  uint64_t seed = 0;

  [[nodiscard]] bool isAsPlanned() const { return compute == 1 && links == 1 && noise == 0; }
  [[nodiscard]] double factor(const Step &step, llvm::StringRef node) const {
    double base = step.kind == StepKind::Launch ? links : compute;
    constexpr uint64_t parts = 1'000'000;
    uint64_t chance = llvm::xxHash64((node + "#" + llvm::Twine(seed)).str()) % parts;
    return base * (1 + noise * (2 * static_cast<double>(chance) / parts - 1));
  }
};

std::vector<Disturbance> disturbances() {
  std::vector<Disturbance> all = {{"as it is"},
                                  {"links half as fast", 1, 2},
                                  {"links twice as fast", 1, .5},
                                  {"computation half as fast", 2, 1},
                                  {"computation twice as fast", .5, 1}};
  constexpr double part = .3;
  for (uint64_t seed : {1, 2, 3, 4, 5})
    all.push_back({"30 % noise, seed " + std::to_string(seed), 1, 1, part, seed});
  return all;
}

/// `names` is by step; a bucket uses the noise of its first member.
Problem disturbed(const Problem &problem, const std::vector<std::string> &names, const Disturbance &by) {
  Problem result = problem;
  for (size_t step = 0; step < names.size(); ++step)
    result.steps[step].picoseconds = static_cast<int64_t>(static_cast<double>(problem.steps[step].picoseconds) *
                                                          by.factor(problem.steps[step], names[step]));
  result.estimatedTime = [&problem, &names, by](uint32_t launch, int64_t bytes) {
    return static_cast<int64_t>(static_cast<double>(problem.estimatedTime(launch, bytes)) *
                                by.factor(problem.steps[launch], names[launch]));
  };
  return result;
}

int64_t timeUnder(const PeerOrder &order, const Disturbance &by, const Schedule &schedule) {
  return replay(disturbed(order.problem, order.names, by), schedule).total;
}

/// Returns the graph with all merges that it permits.
PeerOrder asProblem(Graph &graph, const CostModel &costs) {
  ProgramFacts facts(graph);
  CommGroups groups(graph, true);
  Dependences dependences(facts, groups);
  GraphProblemOptions options{facts, groups, dependences, costs};
  GraphProblem given = problemOf(graph, options);
  allowMerging(given, graph, options, false);
  PeerOrder order{std::move(given.problem), {}};
  for (const Node *node : given.nodes)
    order.names.push_back(node->name().str().str());
  return order;
}

unsigned walks() {
  const char *set = std::getenv("CCGRAPH_TEST_WALKS");
  constexpr unsigned ofO2 = 16;
  return set ? static_cast<unsigned>(std::atoi(set)) : ofO2;
}

} // namespace

TEST_P(PeerOrders, TheInputTakesWhatAnotherSimulatorSays) {
  CostModel costs(*graph_, *machinePreset("h100x8-ndr"), &durations_);
  Analyses analyses(*graph_);
  Timeline timeline = predictTimeline(*graph_, analyses, costs);
  expectNear(static_cast<double>(timeline.total) / picosecondsOfUs, replayed_[0].stepMicroseconds);
  expectNear(static_cast<double>(timeline.exposed) / picosecondsOfUs, replayed_[0].exposedMicroseconds);
  expectNear(static_cast<double>(peakMemory(*graph_).bytes), static_cast<double>(replayed_[0].peakBytes));
}

TEST_P(PeerOrders, PlainRecordsTakeWhatAnotherSimulatorSays) {
  ASSERT_GE(replayed_.size(), 4U);
  for (const Replayed &peer : llvm::drop_begin(replayed_)) {
    PeerOrder order = read(peer);
    Replay result = replay(order.problem, asItStands(order.problem));
    SCOPED_TRACE(peer.order);
    expectNear(static_cast<double>(result.total) / picosecondsOfUs, peer.stepMicroseconds);
    EXPECT_NEAR(static_cast<double>(result.exposed) / picosecondsOfUs, peer.exposedMicroseconds,
                agreement * peer.stepMicroseconds);
    expectNear(static_cast<double>(result.peakBytes), static_cast<double>(peer.peakBytes));
  }
}

/// ccgraph's order, made with the memory of a peer's order, and the peer's order are replayed alike without new
/// scheduling. If few collectives dominate, a single noise is chance, so the mean over noises counts.
TEST_P(PeerOrders, OursIsNoWorseOnMachinesThatItWasNotMadeFor) {
  CostModel costs(*graph_, *machinePreset("h100x8-ndr"), &durations_);
  PeerOrder input = asProblem(*graph_, costs);
  constexpr double rounding = 1.0005, oneInThirty = 1.03;
  for (const Replayed &peer : replayed_) {
    PeerOrder theirs = peer.order == "input" ? input : read(peer);
    Schedule ours = search(input.problem, {peer.peakBytes, walks(), 0});
    double noisy = 0, noises = 0;
    for (const Disturbance &by : disturbances()) {
      auto our = static_cast<double>(timeUnder(input, by, ours));
      auto before = static_cast<double>(timeUnder(input, by, asItStands(input.problem)));
      auto their = static_cast<double>(timeUnder(theirs, by, asItStands(theirs.problem)));
      std::printf("| %s | %s | %s | %.1f | %.3f | %.3f |\n", GetParam(), peer.order.c_str(), by.name.c_str(),
                  our / picosecondsOfUs / 1e3, our / their, our / before);
      EXPECT_LE(our, before * rounding) << peer.order << ", " << by.name;
      noisy += by.noise > 0 ? our / their : 0;
      noises += by.noise > 0;
      if (by.noise == 0) {
        EXPECT_LE(our, their * (by.isAsPlanned() ? rounding : oneInThirty)) << peer.order << ", " << by.name;
      }
    }
    EXPECT_LE(noisy / noises, rounding) << peer.order;
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, PeerOrders,
                         testing::Values("ddp_24l_w16", "fsdp_16l_w8_small", "fsdp_32l_w64", "fsdp_8l_w64",
                                         "fsdp_tp_2d_32l", "moe_12l_ep32", "tp8_sp_32l"));

} // namespace ccgraph::overlap::test

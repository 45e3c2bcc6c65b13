#include "planner/program_bound.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/group_id.h"
#include "ccgraph/passes/bounds.h"
#include "ccgraph/passes/pass_manager.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>
#include <map>

namespace ccgraph::planner {
namespace {

/// The collectives of one kind and one group of tensors that move together.
struct Traffic {
  /// the group
  std::string stream;
  CollectiveKind kind = CollectiveKind::AllReduce;
  Placement placement;
  /// where the time of this kind changes its form (CostModel::collectivePieces)
  std::vector<int64_t> pieces;
  /// the bytes of all, and of the smallest
  int64_t bytes = 0;
  int64_t smallest = std::numeric_limits<int64_t>::max();
};

/// One program of few layers, and the least that it takes.
struct SmallProgram {
  int64_t computePs = 0;
  int64_t pathPs = 0;
  int64_t floorBytes = 0;
  std::vector<int64_t> sizes;
  /// by kind and group, in the order of the text
  std::map<std::string, Traffic> traffic;
};

// --- One program -----------------------------------------------------------------------------------------------------

int64_t bytesOf(const Node &collective) {
  return std::max(inputBytes(collective).value_or(0), outputBytes(collective).value_or(0));
}

void addTraffic(SmallProgram &program, const Node &node, const CostModel &costs) {
  const std::string group = groupIdOf(node).text;
  const CollectiveKind kind = node.op()->collective->kind;
  const int64_t bytes = bytesOf(node);
  auto [place, isNew] = program.traffic.try_emplace(collectiveName(kind).str() + " " + group);
  Traffic &traffic = place->second;
  if (isNew) {
    traffic.stream = group;
    traffic.kind = kind;
    traffic.placement = costs.placementOf(node);
    traffic.pieces = costs.collectivePieces(node);
  }
  traffic.bytes += bytes;
  traffic.smallest = std::min(traffic.smallest, bytes);
}

/// Adds computation and traffic, and finds the longest path.
void measure(SmallProgram &program, const Graph &graph, const CostModel &costs) {
  llvm::DenseMap<const Node *, int64_t> ends;
  for (const Node *node : graph) {
    const int64_t time = costs.estimatedTime(*node).picoseconds;
    int64_t begin = 0;
    for (const Use &use : node->operandUses())
      begin = std::max(begin, ends.lookup(use.def()));
    ends[node] = begin + time;
    program.pathPs = std::max(program.pathPs, begin + time);
    if (node->op() && node->op()->collective)
      addTraffic(program, *node, costs);
    else
      program.computePs += time;
  }
}

/// Removes repeated collectives as far as a pass may with unlimited memory.
llvm::Error simplify(Graph &graph, const Machine &machine) {
  PassManagerOptions options;
  options.verifyEach = options.checkLegality = options.limitMemory = false;
  options.machine = machine;
  Pipeline pipeline = pipelineOfLevel(2);
  [[maybe_unused]] bool stopped = pipeline.stopAfter("eliminate-dead-collectives");
  assert(stopped && "the level removes collectives");
  return runPipeline(graph, pipeline, options).takeError();
}

int64_t floorOf(Graph &graph, const Machine &machine) {
  Analyses analyses(graph);
  CostModel costs(graph, machine);
  return predictBounds(graph, analyses, costs).memory.bytes;
}

llvm::Expected<SmallProgram> smallProgram(const LayeredProgram &of, int64_t layers, const Machine &machine) {
  Context context;
  llvm::Expected<std::unique_ptr<Graph>> graph = of.generate(context, layers);
  if (!graph)
    return graph.takeError();
  SmallProgram program;
  program.floorBytes = floorOf(**graph, machine);
  program.sizes = of.sizesOf(**graph);
  if (llvm::Error error = simplify(**graph, machine))
    return error;
  measure(program, **graph, CostModel(**graph, machine));
  return program;
}

// --- All layers ------------------------------------------------------------------------------------------------------

/// Returns the least time of a kind of traffic with `bytes`, in buckets of any size from the smallest collective.
int64_t leastTime(const CostModel &costs, const Traffic &traffic, int64_t bytes) {
  if (bytes == 0 || traffic.smallest == 0)
    return 0;
  std::vector<int64_t> sizes = traffic.pieces;
  for (int64_t size = 1; size < bytes; size *= 2)
    sizes.push_back(size);
  sizes.push_back(traffic.smallest);
  sizes.push_back(bytes);
  double rate = std::numeric_limits<double>::infinity();
  for (int64_t size : sizes)
    if (size >= traffic.smallest && size <= bytes)
      rate = std::min(rate, static_cast<double>(costs.collective(traffic.kind, size, traffic.placement)) /
                                static_cast<double>(size));
  return static_cast<int64_t>(std::floor(rate * static_cast<double>(bytes)));
}

/// The line through the values of two programs with `first` and `first + 1` layers.
struct Line {
  int64_t first = 0;
  int64_t layers = 0;
  [[nodiscard]] int64_t at(int64_t low, int64_t high) const { return low + (layers - first) * (high - low); }
};

ProgramBound extended(const SmallProgram &low, const SmallProgram &high, const Line &line, const CostModel &costs) {
  ProgramBound bound;
  bound.computePs = line.at(low.computePs, high.computePs);
  bound.pathPs = line.at(low.pathPs, high.pathPs);
  for (const auto &[name, traffic] : high.traffic) {
    auto before = low.traffic.find(name);
    const int64_t bytes = line.at(before == low.traffic.end() ? 0 : before->second.bytes, traffic.bytes);
    bound.streamsPs[traffic.stream] += leastTime(costs, traffic, bytes);
  }
  bound.bytes = line.at(low.floorBytes, high.floorBytes);
  for (size_t i = 0; i != low.sizes.size(); ++i)
    bound.sizes.push_back(line.at(low.sizes[i], high.sizes[i]));
  return bound;
}

} // namespace

int64_t ProgramBound::picoseconds() const {
  int64_t most = std::max(computePs, pathPs);
  for (const auto &[group, time] : streamsPs)
    most = std::max(most, time);
  return most;
}

struct LayeredBound::Programs {
  explicit Programs(const Machine &machine) : costs(graph, machine) {}

  // The times of collectives depend on the machine only.
  Context context;
  Graph graph{context};
  CostModel costs;
  int64_t firstLayers = 1;
  SmallProgram low, high;
};

llvm::Expected<LayeredBound> LayeredBound::measure(const LayeredProgram &of, int64_t firstLayers,
                                                   const Machine &machine) {
  auto programs = std::make_shared<Programs>(machine);
  programs->firstLayers = firstLayers;
  for (auto [layers, place] : {std::pair(firstLayers, &programs->low), {firstLayers + 1, &programs->high}}) {
    llvm::Expected<SmallProgram> program = smallProgram(of, layers, machine);
    if (!program)
      return program.takeError();
    *place = std::move(*program);
  }
  return LayeredBound(std::move(programs));
}

ProgramBound LayeredBound::of(int64_t layers) const {
  assert(layers >= programs_->firstLayers && "fewer layers were not measured");
  return extended(programs_->low, programs_->high, Line{programs_->firstLayers, layers}, programs_->costs);
}

} // namespace ccgraph::planner

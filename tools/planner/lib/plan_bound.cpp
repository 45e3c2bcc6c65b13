#include "planner/plan_bound.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/group_id.h"
#include "ccgraph/passes/bounds.h"
#include "ccgraph/passes/pass_manager.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <map>

namespace ccgraph::planner {
namespace {

using models::GenerateRequest;
using models::Part;

/// The collectives of one kind and one group of tensors that move together.
struct Traffic {
  /// the group
  std::string stream;
  /// the bytes of all, and of the smallest
  int64_t bytes = 0;
  int64_t smallest = 0;
  const Node *like = nullptr;
};

/// One program of few layers, and what it takes at least.
struct SmallProgram {
  std::unique_ptr<Graph> graph;
  std::unique_ptr<CostModel> costs;
  int64_t computePs = 0;
  int64_t pathPs = 0;
  int64_t floorBytes = 0;
  int64_t stateBytes = 0;
  /// by kind and group, in the order of the text
  std::map<std::string, Traffic> traffic;
};

// --- One program -----------------------------------------------------------------------------------------------------

int64_t bytesOf(const Node &collective) {
  return std::max(inputBytes(collective).value_or(0), outputBytes(collective).value_or(0));
}

void addTraffic(SmallProgram &program, const Node &node) {
  const std::string group = groupIdOf(node).text;
  const int64_t bytes = bytesOf(node);
  Traffic &traffic = program.traffic[collectiveName(node.op()->collective->kind).str() + " " + group];
  traffic.smallest = traffic.like ? std::min(traffic.smallest, bytes) : bytes;
  traffic.bytes += bytes;
  traffic.stream = group;
  traffic.like = &node;
}

/// Adds computation and traffic, and finds the longest path.
void measure(SmallProgram &program) {
  llvm::DenseMap<const Node *, int64_t> ends;
  for (const Node *node : *program.graph) {
    const int64_t time = program.costs->estimatedTime(*node).picoseconds;
    int64_t begin = 0;
    for (const Use &use : node->operandUses())
      begin = std::max(begin, ends.lookup(use.def()));
    ends[node] = begin + time;
    program.pathPs = std::max(program.pathPs, begin + time);
    if (node->op() && node->op()->collective)
      addTraffic(program, *node);
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

llvm::Expected<SmallProgram> smallProgram(Context &context, const GenerateRequest &request, const Machine &machine) {
  llvm::Expected<std::unique_ptr<Graph>> graph = models::generate(context, request);
  if (!graph)
    return graph.takeError();
  SmallProgram program;
  program.graph = std::move(*graph);
  program.floorBytes = floorOf(*program.graph, machine);
  program.stateBytes = optimizerStateBytes(*program.graph);
  if (llvm::Error error = simplify(*program.graph, machine))
    return error;
  program.costs = std::make_unique<CostModel>(*program.graph, machine);
  measure(program);
  return program;
}

// --- All layers ------------------------------------------------------------------------------------------------------

/// Returns the least time of a kind of traffic with `bytes`, in buckets of any size from the smallest collective.
int64_t leastTime(const CostModel &costs, const Traffic &traffic, int64_t bytes) {
  if (bytes == 0 || traffic.smallest == 0)
    return 0;
  std::vector<int64_t> sizes = costs.collectivePieces(*traffic.like);
  for (int64_t size = 1; size < bytes; size *= 2)
    sizes.push_back(size);
  sizes.push_back(traffic.smallest);
  sizes.push_back(bytes);
  double rate = std::numeric_limits<double>::infinity();
  for (int64_t size : sizes)
    if (size >= traffic.smallest && size <= bytes)
      rate = std::min(rate, static_cast<double>(costs.collective(*traffic.like, size)) / static_cast<double>(size));
  return static_cast<int64_t>(std::floor(rate * static_cast<double>(bytes)));
}

/// The line through the values of two programs with `first` and `first + 1` layers.
struct Line {
  int64_t first = 0;
  int64_t layers = 0;
  [[nodiscard]] int64_t at(int64_t low, int64_t high) const { return low + (layers - first) * (high - low); }
};

PlanBound extended(const SmallProgram &low, const SmallProgram &high, const Line &line) {
  PlanBound bound;
  bound.picoseconds = std::max(line.at(low.computePs, high.computePs), line.at(low.pathPs, high.pathPs));
  std::map<std::string, int64_t> streams;
  for (const auto &[name, traffic] : high.traffic) {
    auto before = low.traffic.find(name);
    const int64_t bytes = line.at(before == low.traffic.end() ? 0 : before->second.bytes, traffic.bytes);
    streams[traffic.stream] += leastTime(*high.costs, traffic, bytes);
  }
  for (const auto &[name, time] : streams)
    bound.picoseconds = std::max(bound.picoseconds, time);
  bound.bytes = line.at(low.floorBytes, high.floorBytes);
  return bound;
}

/// The bound of one program, and the state of its optimizer.
struct PartBound {
  PlanBound bound;
  int64_t stateBytes = 0;
};

llvm::Expected<PartBound> boundOfPart(GenerateRequest request, const Machine &machine) {
  Context context;
  // The first layers may be dense, and one of each kind must be there.
  Line line{request.model.experts > 0 ? request.model.denseLayers + 1 : 1, request.model.layers};
  if (line.layers <= line.first)
    line.first = line.layers;
  request.model.layers = line.first;
  llvm::Expected<SmallProgram> low = smallProgram(context, request, machine);
  if (!low)
    return low.takeError();
  if (line.layers == line.first)
    return PartBound{extended(*low, *low, line), low->stateBytes};
  ++request.model.layers;
  llvm::Expected<SmallProgram> high = smallProgram(context, request, machine);
  if (!high)
    return high.takeError();
  return PartBound{extended(*low, *high, line), line.at(low->stateBytes, high->stateBytes)};
}

} // namespace

int64_t optimizerStateBytes(const Graph &step) {
  int64_t bytes = 0;
  for (const Node *node : step) {
    llvm::StringRef name = node->name().str();
    if (node->opcode() == Opcode::Placeholder && (name.startswith("average_of_") || name.startswith("square_of_")))
      bytes += node->type()->numBytes().value_or(0);
  }
  return bytes;
}

llvm::Expected<PlanBound> boundOf(const PlanJob &job, const PlanCandidate &candidate, const Machine &machine) {
  llvm::Expected<PartBound> last = boundOfPart(requestOf(job, candidate, Part::Step), machine);
  if (!last)
    return last.takeError();
  PlanBound bound = last->bound;
  if (candidate.accumulation == 1)
    return bound;
  llvm::Expected<PartBound> each = boundOfPart(requestOf(job, candidate, Part::Joint), machine);
  if (!each)
    return each.takeError();
  bound.picoseconds += (candidate.accumulation - 1) * each->bound.picoseconds;
  bound.bytes = std::max(bound.bytes, each->bound.bytes + last->stateBytes);
  return bound;
}

} // namespace ccgraph::planner

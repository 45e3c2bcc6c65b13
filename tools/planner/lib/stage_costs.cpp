#include "planner/stage_costs.h"

#include "planner/plan_bound.h"

#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/cost.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <set>

namespace ccgraph::planner {

using models::GenerateRequest;
using models::ModelPart;
using models::StageProgram;

/// One stage of a candidate.
struct StageCatalog::Query {
  GenerateRequest request;
  ModelPart part;

  [[nodiscard]] int64_t layers() const { return part.endLayer - part.firstLayer; }
  [[nodiscard]] int64_t denseLayers() const {
    const int64_t dense = request.model.experts > 0 ? request.model.denseLayers : 0;
    return std::clamp<int64_t>(dense - part.firstLayer, 0, layers());
  }
  /// Returns the layers of the smaller of two programs that a bound is extended from: one of each kind is there.
  [[nodiscard]] int64_t firstLayers() const { return std::min(denseLayers() + 1, layers()); }

  /// Names what the program depends on, apart from the layers of its one kind. The programs of a microbatch depend on
  /// neither the shards nor the ranks of the pipeline; those of weights do not depend on the microbatch.
  [[nodiscard]] std::string key(StageProgram program) const {
    const models::Parallelism &p = request.parallel;
    const std::string ofStage = llvm::formatv("{0} {1}{2} {3} tp{4} ep{5} ", static_cast<int>(program), part.isFirst,
                                              part.isLast, denseLayers(), p.tensor, p.experts)
                                    .str();
    if (program == StageProgram::Gather || program == StageProgram::Update)
      return ofStage +
             llvm::formatv("dp{0}x{1} pp{2}", p.replicas, p.shards, request.clipNorm > 0 ? p.pipeline : 0).str();
    return ofStage + llvm::formatv("cp{0} b{1} {2}", p.context, request.shape.batch,
                                   static_cast<int>(request.recompute.activations))
                         .str();
  }
};

namespace {

int64_t bytesOf(const Node &node) { return node.type()->numBytes().value_or(0); }

template <typename Predicate>
int64_t inputBytes(const Graph &graph, Predicate isCounted) {
  int64_t bytes = 0;
  for (const Node *node : graph)
    if (node->opcode() == Opcode::Placeholder && isCounted(*node))
      bytes += bytesOf(*node);
  return bytes;
}

bool isHeldByStage(const Node &input) { return models::isGatheredWeight(input) || models::isGradientSum(input); }
int64_t heldBytes(const Graph &graph) { return inputBytes(graph, isHeldByStage); }
int64_t sumBytes(const Graph &graph) { return inputBytes(graph, models::isGradientSum); }
int64_t storedBytes(const Graph &graph) {
  return inputBytes(graph, [](const Node &input) { return !isHeldByStage(input); });
}

/// Returns the bytes that live at the end of a forward pass, for its own microbatch.
int64_t savedBytes(const Graph &forward) {
  const int64_t others =
      inputBytes(forward, [](const Node &input) { return isHeldByStage(input) || models::isOutputGradient(input); });
  return memoryCurve(forward, StorageMap(forward)).back() - others;
}

/// Returns the nodes behind `before` (null: all) that the gradient of the stage's input does not need; without it, all
/// of them.
std::vector<const Node *> weightNodes(const Graph &graph, const Node *before, const Node *inputGradient) {
  llvm::DenseSet<const Node *> needed;
  if (inputGradient)
    needed.insert(inputGradient);
  std::vector<const Node *> nodes;
  for (const Node *node = graph.output()->prev(); node != before; node = node->prev())
    if (needed.contains(node))
      needed.insert(node->dataOperands().begin(), node->dataOperands().end());
    else if (node->opcode() != Opcode::Placeholder)
      nodes.push_back(node);
  return nodes;
}

int64_t timeOf(llvm::ArrayRef<const Node *> nodes, const Graph &graph, const Machine &machine) {
  CostModel costs(graph, machine);
  int64_t time = 0;
  for (const Node *node : nodes)
    time += costs.estimatedTime(*node).picoseconds;
  return time;
}

/// Returns the bytes of values that the nodes read, and that neither they nor the stage for all microbatches has.
int64_t bytesReadBy(llvm::ArrayRef<const Node *> nodes, const Graph &graph) {
  const llvm::DenseSet<const Node *> own(nodes.begin(), nodes.end());
  const StorageMap storages(graph);
  std::set<StorageId> read;
  for (const Node *node : nodes)
    for (const Node *operand : node->dataOperands())
      if (!own.contains(operand))
        read.insert(storages.storages(operand).begin(), storages.storages(operand).end());
  int64_t bytes = 0;
  for (StorageId storage : read)
    if (const Node *owner = storages.owner(storage); !owner || !isHeldByStage(*owner))
      bytes += storages.numBytes(storage).value_or(0);
  return bytes;
}

/// Returns the sizes of a program that a bound extends to more layers.
std::vector<int64_t> sizesOf(StageProgram program, const ModelPart &part, const Graph &graph, const Machine &machine) {
  switch (program) {
  case StageProgram::Forward:
    return {savedBytes(graph)};
  case StageProgram::Backward: {
    const Node *inputGradient = part.isFirst ? nullptr : graph.output()->operand(0);
    return {timeOf(weightNodes(graph, nullptr, inputGradient), graph, machine)};
  }
  case StageProgram::Microbatch: {
    const Node *output = graph.output()->operand(0);
    const Node *inputGradient = part.isFirst ? nullptr : graph.output()->operand(1);
    return {inputBytes(graph, models::isGatheredWeight), sumBytes(graph), peakMemory(graph).bytes - heldBytes(graph),
            bytesReadBy(weightNodes(graph, output, inputGradient), graph)};
  }
  case StageProgram::Update:
    return {storedBytes(graph), sumBytes(graph), optimizerStateBytes(graph)};
  case StageProgram::Gather:
  case StageProgram::Gradients:
  case StageProgram::Transfer:
    return {};
  }
  llvm_unreachable("all programs are listed");
}

ModelPart withLayers(const ModelPart &part, int64_t layers) {
  ModelPart few = part;
  few.endLayer = few.firstLayer + layers;
  return few;
}

} // namespace

llvm::Expected<ProgramBound> StageCatalog::boundOf(const Query &query, StageProgram program) {
  const std::string key = query.key(program) + (query.firstLayers() == query.denseLayers() ? " dense" : "");
  llvm::Expected<LayeredBound> bound = bounds_.of(key, [&] {
    LayeredProgram layered{
        [&](Context &context, int64_t layers) {
          return models::generateStage(context, {query.request, withLayers(query.part, layers)}, program);
        },
        [&](const Graph &graph) { return sizesOf(program, query.part, graph, machine_); }};
    return LayeredBound::measure(layered, query.firstLayers(), machine_);
  });
  if (!bound)
    return bound.takeError();
  return bound->of(query.layers());
}

llvm::Expected<PlanProgram> StageCatalog::optimized(const Query &query, StageProgram program) {
  const std::string key = query.key(program) + " L" + std::to_string(query.layers());
  return optimized_.of(key, [&]() -> llvm::Expected<PlanProgram> {
    Context context;
    llvm::Expected<std::unique_ptr<Graph>> graph = models::generateStage(context, {query.request, query.part}, program);
    if (!graph)
      return graph.takeError();
    return optimizedProgram(**graph, machine_, std::nullopt);
  });
}

llvm::Expected<int64_t> StageCatalog::transferTime(const Query &query) {
  const std::string key =
      query.key(StageProgram::Transfer) + " of" + std::to_string(query.request.parallel.ranksOfStage());
  return sizes_.of(key, [&]() -> llvm::Expected<int64_t> {
    Context context;
    llvm::Expected<std::unique_ptr<Graph>> graph =
        models::generateStage(context, {query.request, query.part}, StageProgram::Transfer);
    if (!graph)
      return graph.takeError();
    return timeOf((*graph)->nodes(), **graph, machine_);
  });
}

llvm::Expected<int64_t> StageCatalog::workingBytes(const Query &query) {
  const std::string key = query.key(StageProgram::Microbatch) + " L" + std::to_string(query.layers());
  return sizes_.of(key, [&]() -> llvm::Expected<int64_t> {
    Context context;
    llvm::Expected<std::unique_ptr<Graph>> graph =
        models::generateStage(context, {query.request, query.part}, StageProgram::Microbatch);
    if (!graph)
      return graph.takeError();
    return peakMemory(**graph).bytes - heldBytes(**graph);
  });
}

llvm::Expected<ModelFloor> StageCatalog::floorOf(const PlanCandidate &candidate) {
  PlanCandidate whole = candidate;
  whole.pipeline.reset();
  whole.parallel.pipeline = 1;
  // Stage 2 keeps gathered weights, and its optimizer has the state of all parameters of the rank.
  whole.zero = candidate.parallel.shards > 1 ? 2 : 0;
  Query query{requestOf(job_, whole, models::Part::Step), ModelPart{0, job_.step.model.layers}};
  // The norm of all gradients is no part of each microbatch.
  query.request.clipNorm = 0;
  ModelFloor floor;
  for (auto [program, place] : {std::pair(StageProgram::Gradients, &floor.gradients),
                                {StageProgram::Microbatch, &floor.microbatch},
                                {StageProgram::Gather, &floor.gather},
                                {StageProgram::Update, &floor.update}}) {
    llvm::Expected<ProgramBound> bound = boundOf(query, program);
    if (!bound)
      return bound.takeError();
    *place = std::move(*bound);
  }
  return floor;
}

llvm::Expected<StageCosts> StageCatalog::boundOf(const PlanCandidate &candidate, const ModelPart &part) {
  const Query query{requestOf(job_, candidate, models::Part::Step), part};
  StageCosts costs;
  std::map<StageProgram, ProgramBound> bounds;
  for (StageProgram program : {StageProgram::Gather, StageProgram::Forward, StageProgram::Backward,
                               StageProgram::Microbatch, StageProgram::Update}) {
    llvm::Expected<ProgramBound> bound = boundOf(query, program);
    if (!bound)
      return bound.takeError();
    bounds[program] = std::move(*bound);
  }
  llvm::Expected<int64_t> transfer = transferTime(query);
  if (!transfer)
    return transfer.takeError();
  const ProgramBound &backward = bounds[StageProgram::Backward], &microbatch = bounds[StageProgram::Microbatch];
  costs.bound = {.gather = bounds[StageProgram::Gather].picoseconds(),
                 .forward = bounds[StageProgram::Forward].picoseconds(),
                 .backward = backward.picoseconds(),
                 .weights = std::min(backward.picoseconds(), backward.sizes[0]),
                 .update = bounds[StageProgram::Update].picoseconds(),
                 .transfer = *transfer};
  costs.memory = {.stored = bounds[StageProgram::Update].sizes[0],
                  .gathered = microbatch.sizes[0],
                  .sums = microbatch.sizes[1],
                  .saved = bounds[StageProgram::Forward].sizes[0],
                  .pending = microbatch.sizes[3],
                  .working = microbatch.sizes[2],
                  .update = bounds[StageProgram::Update].bytes - bounds[StageProgram::Update].sizes[1]};
  return costs;
}

llvm::Expected<StageCosts> StageCatalog::costsOf(const PlanCandidate &candidate, const ModelPart &part) {
  llvm::Expected<StageCosts> costs = boundOf(candidate, part);
  if (!costs)
    return costs;
  const Query query{requestOf(job_, candidate, models::Part::Step), part};
  const int64_t weights = costs->bound.weights;
  llvm::Expected<ProgramBound> updateFloor = boundOf(query, StageProgram::Update);
  if (!updateFloor)
    return updateFloor.takeError();
  for (auto [program, time] : {std::pair(StageProgram::Gather, &StageTimes::gather),
                               {StageProgram::Forward, &StageTimes::forward},
                               {StageProgram::Backward, &StageTimes::backward},
                               {StageProgram::Update, &StageTimes::update}}) {
    llvm::Expected<PlanProgram> result = optimized(query, program);
    if (!result)
      return result.takeError();
    costs->predicted.*time = result->stepPs;
    costs->bound.*time = result->boundPs;
    costs->exposed.*time = result->exposedPs;
    if (program == StageProgram::Update)
      costs->memory.update += result->peakBytes - updateFloor->bytes;
  }
  for (StageTimes *times : {&costs->predicted, &costs->bound})
    times->weights = std::min(times->backward, weights);
  costs->predicted.transfer = costs->bound.transfer;
  llvm::Expected<int64_t> working = workingBytes(query);
  if (!working)
    return working.takeError();
  costs->memory.working = *working;
  return costs;
}

} // namespace ccgraph::planner

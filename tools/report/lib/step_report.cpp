#include "report/step_report.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/order_of_result.h"
#include "ccgraph/toolkit/pass_options.h"
#include "ccgraph/toolkit/step_graphs.h"

#include <map>

namespace ccgraph::report {
namespace {

using CostOf = llvm::function_ref<std::optional<GraphCost>(const StepGraphReport &)>;

std::optional<GraphCost> sumOf(llvm::ArrayRef<StepGraphReport> graphs, CostOf costOf) {
  GraphCost sum;
  for (const StepGraphReport &graph : graphs) {
    std::optional<GraphCost> cost = costOf(graph);
    if (!cost)
      return std::nullopt;
    sum.total += cost->total;
    sum.compute += cost->compute;
    sum.exposed += cost->exposed;
    sum.peakBytes = std::max(sum.peakBytes, cost->peakBytes);
    sum.unsized += cost->unsized;
  }
  return sum;
}

/// StepPredictor reads the graphs of a step and runs the pipeline over them.
class StepPredictor {
public:
  StepPredictor(StepReport &report, const StepQuestion &question)
      : report_(report), question_(question), normalize_(llvm::cantFail(Pipeline::parse(normalizing))) {}

  llvm::Error run() {
    StepGraphReport &own = report_.graphs[report_.chosen];
    own.asRead = question_.asRead;
    own.optimized = question_.optimized;
    if (llvm::Error error = readAll())
      return error;
    for (StepGraphReport &graph : report_.graphs)
      if (llvm::Error error = predict(graph, &graph == &own))
        return error;
    return llvm::Error::success();
  }

private:
  /// The phase of each level that normalizes a graph and moves no node.
  static constexpr const char *normalizing = "inline-control-deps,inline-subgraphs,functionalize-collectives";

  /// Reads all graphs; each log is read only once.
  llvm::Error readAll() {
    std::vector<size_t> indices;
    for (const StepGraphReport &report : report_.graphs) {
      if (!report.optimized)
        indices.push_back(report.graph.start);
      if (!report.graph.startsFromInductor())
        llvm::append_range(indices, report.graph.inductor);
    }
    llvm::Expected<GraphList> graphs = readStepGraphs(question_.context, question_.input, indices);
    if (!graphs)
      return graphs.takeError();
    for (size_t i = 0; i != indices.size(); ++i) {
      if (llvm::Error error = question_.prepare(*(*graphs)[i]))
        return error;
      graphs_[indices[i]] = std::move((*graphs)[i]);
    }
    return llvm::Error::success();
  }

  llvm::Error predict(StepGraphReport &report, bool isOwn) {
    if (!isOwn) {
      known_ = knownOrdersOf(report.graph);
      llvm::Error error = optimize(*graphs_.at(report.graph.start), report.asRead, report.optimized);
      known_.clear();
      if (error)
        return error;
    }
    if (report.graph.startsFromInductor()) {
      report.inductor = report.asRead;
      return llvm::Error::success();
    }
    if (llvm::Error error = predictInductors(report))
      return error;
    return report.graph.inductor.size() == 1 ? predictOtherStart(report, isOwn) : llvm::Error::success();
  }

  /// Runs the pipeline on Inductor's result, which may compute less than the start.
  llvm::Error predictOtherStart(StepGraphReport &report, bool isOwn) {
    const size_t index = report.graph.inductor.front();
    std::optional<GraphCost> asRead, optimized;
    if (llvm::Error error = optimize(*graphs_.at(index), asRead, optimized))
      return error;
    if (isOwn)
      report_.fromInductor = optimized;
    else if (optimized && report.optimized && isFaster(*optimized, *report.optimized)) {
      report.optimized = optimized;
      report.betterStart = index;
    }
    return llvm::Error::success();
  }

  /// Returns what Inductor chose for the graph, if it has another form.
  [[nodiscard]] std::vector<KnownOrder> knownOrdersOf(const TrainingStepGraph &graph) const {
    if (graph.inductor.size() != 1 || graph.startsFromInductor())
      return {};
    return {orderOfResult(*graphs_.at(graph.start), *graphs_.at(graph.inductor.front()))};
  }

  /// Adds the costs of forward and backward if these replace a joint graph.
  llvm::Error predictInductors(StepGraphReport &report) {
    if (report.graph.inductor.empty())
      return llvm::Error::success();
    GraphCost sum;
    for (size_t index : report.graph.inductor) {
      llvm::Expected<GraphCost> cost = costAsRead(*graphs_.at(index));
      if (!cost)
        return cost.takeError();
      sum = {sum.total + cost->total, sum.compute + cost->compute, sum.exposed + cost->exposed,
             std::max(sum.peakBytes, cost->peakBytes), sum.unsized + cost->unsized};
    }
    report.inductor = sum;
    return llvm::Error::success();
  }

  [[nodiscard]] PassManagerOptions options() const {
    PassManagerOptions options = trialOptions(question_.options);
    options.verifyInput = true;
    options.onRewrite = nullptr;
    options.durations = nullptr;
    options.knownOrders = known_;
    return options;
  }

  [[nodiscard]] Machine machine() const { return orDefault(question_.options.machine); }

  // The buckets of another graph have no duration, and the cost model could not scale their predictions, because no
  // collective of that graph may have one.

  /// Returns the durations of another graph. A collective without one takes its predicted time, scaled as the durations
  /// of the chosen graph scale its links.
  [[nodiscard]] Durations durationsOf(const Graph &graph) const {
    Durations durations = question_.durationsOf(graph);
    if (question_.cost.durations.empty())
      return durations;
    CostModel costs(graph, machine());
    for (const Node *node : graph)
      if (node->op() && node->op()->collective && !durations.find(node->name().str())) {
        const Scale &scale = question_.cost.links[static_cast<size_t>(costs.placementOf(*node).level())];
        const double scaled = static_cast<double>(costs.estimatedTime(*node).picoseconds) * scale.factor;
        if (scale.nodes > 0)
          durations.add(node->name().str(), {static_cast<int64_t>(scaled), DurationSource::Estimated});
      }
    return durations;
  }

  /// Returns null if no node of the graph has a duration.
  static const Durations *ifAny(const Durations &durations) { return durations.empty() ? nullptr : &durations; }

  llvm::Expected<GraphCost> costAsRead(const Graph &graph) {
    const Durations durations = durationsOf(graph);
    std::unique_ptr<Graph> normal = graph.clone();
    llvm::Expected<PipelineRun> run = runPipeline(*normal, normalize_, options());
    if (!run)
      return run.takeError();
    Analyses analyses(*normal);
    CostModel costs(*normal, machine(), ifAny(durations));
    return costOf(predictTimeline(*normal, analyses, costs), peakMemory(graph).bytes);
  }

  llvm::Error optimize(Graph &graph, std::optional<GraphCost> &asRead, std::optional<GraphCost> &optimized) {
    int64_t peakBytes = peakMemory(graph).bytes;
    const Durations durations = durationsOf(graph);
    PassManagerOptions used = options();
    used.durations = ifAny(durations);
    llvm::Expected<PipelineRun> run = runPipeline(graph, question_.pipeline, used);
    if (!run)
      return run.takeError();
    if (!run->timeBefore || !run->timeAfter)
      return llvm::Error::success();
    asRead = costOf(*run->timeBefore, peakBytes);
    optimized = costOf(*run->timeAfter, peakMemory(graph).bytes);
    return llvm::Error::success();
  }

  StepReport &report_;
  const StepQuestion &question_;
  Pipeline normalize_;
  std::map<size_t, std::unique_ptr<Graph>> graphs_; ///< by index in the list
  std::vector<KnownOrder> known_;                   ///< of the graph whose pipeline runs
};

} // namespace

GraphCost costOf(const Timeline &timeline, int64_t peakBytes) {
  // A collective of known size takes at least its latency, so a collective without duration has an unknown size.
  auto unsized =
      llvm::count_if(timeline.collectives, [](const CollectiveTime &time) { return time.begin == time.end; });
  return {timeline.total, timeline.compute, timeline.exposed, peakBytes, static_cast<size_t>(unsized)};
}

bool isFaster(const GraphCost &cost, const GraphCost &than) {
  return cost.total < than.total && cost.unsized <= than.unsized;
}

std::optional<GraphCost> StepReport::baseline() const {
  return sumOf(graphs, [](const StepGraphReport &graph) { return graph.baseline(); });
}

std::optional<GraphCost> StepReport::asRead() const {
  return sumOf(graphs, [](const StepGraphReport &graph) { return graph.asRead; });
}

std::optional<GraphCost> StepReport::optimized() const {
  return sumOf(graphs, [](const StepGraphReport &graph) { return graph.optimized; });
}

bool StepReport::isInductors() const {
  return llvm::all_of(graphs, [](const StepGraphReport &graph) { return graph.inductor.has_value(); });
}

StepReport describeStep(const GraphInput &input) {
  StepReport report;
  report.chosen = input.step->chosen;
  for (const TrainingStepGraph &graph : input.step->graphs) {
    report.graphs.emplace_back().graph = graph;
    const ListedGraph &start = input.listed[graph.start];
    report.reducesInGraphs |= start.ofCompiledAutograd && start.collectives > 0;
  }
  report.rank = input.listed[report.own().graph.start].rank;
  if (input.log)
    report.wrappers = input.log->wrappers();
  return report;
}

void predictStep(StepReport &report, const StepQuestion &question) {
  if (llvm::Error error = StepPredictor(report, question).run())
    report.obstacle = llvm::StringRef(llvm::toString(std::move(error))).split('\n').first.str();
}

} // namespace ccgraph::report

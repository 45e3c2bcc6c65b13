#include "driver/opt_input.h"

#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/machine_choice.h"
#include "ccgraph/toolkit/rewrite_graph.h"
#include "ccgraph/toolkit/side_files.h"
#include "ccgraph/toolkit/step_graphs.h"

namespace ccgraph::driver {

void forgetTypes(Graph &graph) {
  for (Node *node : graph.nodes())
    if (node->opcode() == Opcode::CallFunction)
      graph.setType(node, nullptr);
  for (const auto &[name, subgraph] : graph.subgraphs())
    forgetTypes(*subgraph);
}

llvm::Expected<GraphInput> OptInput::openFile(llvm::StringRef path) {
  Diagnostics found;
  auto input = openGraphs(path, options_.selector, found);
  warnings_ << toString(found.take());
  return input;
}

llvm::Error OptInput::open(std::optional<InputFile> opened) {
  Diagnostics found;
  auto input = opened ? openGraphs(std::move(*opened), options_.selector, found)
                      : openGraphs(options_.input, options_.selector, found);
  warnings_ << toString(found.take());
  if (!input)
    return input.takeError();
  input_.emplace(std::move(*input));
  return llvm::Error::success();
}

llvm::Expected<GraphList> OptInput::read(const GraphInput &input) {
  Diagnostics found;
  auto graphs = ccgraph::loadGraphs(context_, input.file, input.selector, &found);
  warnings_ << toString(found.take());
  return graphs;
}

llvm::Error OptInput::load(Pipeline &pipeline) {
  if (llvm::Error error = options_.pipeline.declareOps(context_))
    return error;
  if (llvm::Error error = loadCosts())
    return error;
  if (llvm::Error error = loadScheduleInto(pipeline))
    return error;
  return loadGraphs();
}

llvm::Error OptInput::loadGraphs() {
  auto graphs = read(*input_);
  if (!graphs)
    return graphs.takeError();
  graphs_ = std::move(*graphs);
  for (const auto &graph : graphs_) {
    addStatedGroups(*graph, *input_);
    if (input_->step)
      addHints(*graph, input_->listed[input_->step->graphs[input_->step->chosen].start]);
  }
  for (const auto &graph : graphs_)
    if (llvm::Error error = addGroupsAndObjects(*graph, objects_, options_.groups, &statedGroups_))
      return error;
  for (const GroupSplit &split : options_.splits)
    for (size_t i = 0; i < graphs_.size(); ++i)
      if (llvm::Error error = splitGroup(*graphs_[i], split))
        return withPlaces(std::move(error), place(i));
  return checkNumber();
}

/// Some outputs can be made of one graph only.
llvm::Error OptInput::checkNumber() const {
  bool holdsOne = options_.format() == OutputFormat::Json || options_.format() == OutputFormat::Plan ||
                  options_.format() == OutputFormat::Chakra || options_.writesSchedule();
  if (graphs_.size() > 1 && options_.writesGraphs() && holdsOne)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the file holds %zu graphs, and a JSON file one\n  note: choose with --graph "
                                   "(--list-graphs lists them), or write FX text",
                                   graphs_.size());
  if (llvm::StringRef view = options_.views.given(); graphs_.size() > 1 && !view.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the file holds %zu graphs, and %s shows one\n  note: choose with --graph "
                                   "(--list-graphs lists them)",
                                   graphs_.size(), view.str().c_str());
  if (graphs_.size() > 1 && !options_.compare.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "--compare takes one graph of each file: choose with --graph");
  return llvm::Error::success();
}

llvm::Error OptInput::loadCosts() {
  const PipelineFlags &flags = options_.pipeline;
  llvm::Expected<RunCosts> costs = loadRunCosts({flags.machine, flags.collectives, flags.durations}, gpus());
  if (!costs)
    return costs.takeError();
  costs_ = std::move(*costs);
  if (options_.measured.empty())
    return llvm::Error::success();
  llvm::Expected<MeasuredFiles> files = loadMeasuredFiles(options_.measured);
  if (!files)
    return files.takeError();
  measured_ = std::move(*files);
  return llvm::Error::success();
}

/// Explains the traces with all graphs of the step, before a pass changes one of them.
llvm::Error OptInput::explainTraces() {
  llvm::Expected<ExecutedGraphs> executed = executedGraphs({context_, *input_, graphs_, options_.stepGraphs});
  if (!executed)
    return executed.takeError();
  llvm::Expected<measured::JobExplanation> explanation = explainMeasured(executed->graphs, *measured_);
  if (!explanation)
    return explanation.takeError();
  explanation_ = std::move(*explanation);
  return llvm::Error::success();
}

/// The times of the traces take the place of durations.
llvm::Error OptInput::holdDurationsTo(const Graph &graph) {
  if (measured_) {
    if (llvm::Error error = explanation_ ? llvm::Error::success() : explainTraces())
      return error;
    auto own = llvm::find_if(graphs_, [&](const auto &it) { return it.get() == &graph; });
    const size_t index = static_cast<size_t>(own - graphs_.begin());
    costs_.durations = DurationFile::of(ccgraph::durationsOf(explanation_->graphs[index], measured_->origin));
  }
  std::optional<DurationFile> &durations = costs_.durations;
  if (!durations)
    return llvm::Error::success();
  if (llvm::Error error = durations->holdTo(graph))
    return error;
  if (input_->step && !durations->isEstimated())
    carried_.emplace(graph, durations->durations());
  return llvm::Error::success();
}

Durations OptInput::durationsOfOther(const Graph &other) const {
  if (carried_)
    return carried_->of(other);
  const std::optional<DurationFile> &durations = costs_.durations;
  return durations && durations->isEstimated() ? durations->estimatesOf(other) : Durations();
}

void OptInput::warnOfUnfitFiles(const Graph &graph) {
  Diagnostics found;
  auto add = [&](std::vector<Diagnostic> warnings) {
    for (Diagnostic &warning : warnings)
      found.add(std::move(warning));
  };
  const PipelineFlags &flags = options_.pipeline;
  if (!options_.groups.empty())
    add(unfitGroups(statedGroups_, graph, options_.groups));
  if (machine() && !machine()->measured.empty())
    add(unfitCollectives(*machine(), graph, flags.collectives.empty() ? flags.machine : flags.collectives.front()));
  if (costs_.durations && !costs_.durations->isEstimated())
    add(unfitDurations(*durations(), graph));
  if (!flags.opFile.empty())
    add(unfitOperators(flags.declared, graph, flags.opFile));
  warnings_ << toString(found.take());
}

llvm::Error OptInput::loadScheduleInto(Pipeline &pipeline) {
  if (options_.schedule.empty())
    return llvm::Error::success();
  Diagnostics found;
  auto stated = loadScheduledPipeline(options_.schedule, found);
  warnings_ << toString(found.take());
  if (!stated)
    return stated.takeError();
  schedule_ = std::move(stated->schedule);
  pipeline = std::move(stated->pipeline);
  return llvm::Error::success();
}

SymbolValues OptInput::sizesOf(const Graph &graph) const {
  return sizesFor(graph, options_.sizes, /*usesHints=*/options_.pipeline.manager.spmd);
}

llvm::Error OptInput::addGivenGroups(Graph &graph) {
  if (llvm::Error error = addGroupsAndObjects(graph, objects_, options_.groups))
    return error;
  for (const GroupSplit &split : options_.splits)
    if (llvm::Error error = splitGroup(graph, split))
      return error;
  return llvm::Error::success();
}

llvm::Expected<OptInput::Other> OptInput::loadOther(llvm::StringRef path) {
  auto input = openFile(path);
  if (!input)
    return input.takeError();
  auto graphs = read(*input);
  if (!graphs)
    return graphs.takeError();
  if (graphs->size() != 1)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "--compare takes one graph of each file: choose with --graph");
  Other other{std::move(*input), std::move(graphs->front())};
  if (!options_.groups.empty())
    if (llvm::Error error = addGroups(*other.graph, options_.groups))
      return error;
  return other;
}

} // namespace ccgraph::driver

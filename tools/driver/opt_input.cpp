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

llvm::Error OptInput::open() {
  auto input = openFile(options_.input);
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
  bool holdsOne =
      options_.format() == OutputFormat::Json || options_.format() == OutputFormat::Plan || options_.writesSchedule();
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
  if (!options_.pipeline.machine.empty()) {
    auto machine = loadMachine(options_.pipeline.machine);
    if (!machine)
      return machine.takeError();
    machine_ = std::move(*machine);
  }
  if (!machine_)
    machine_ = machineOfGpus(gpus());
  for (const std::string &path : options_.pipeline.collectives) {
    if (!machine_)
      machine_ = machinePreset(defaultMachine);
    if (llvm::Error error = addCollectives(*machine_, path))
      return error;
  }
  if (options_.pipeline.durations.empty())
    return llvm::Error::success();
  auto durations = DurationFile::load(options_.pipeline.durations);
  if (!durations)
    return durations.takeError();
  durations_ = std::move(*durations);
  return llvm::Error::success();
}

llvm::Error OptInput::holdDurationsTo(const Graph &graph) {
  if (!durations_)
    return llvm::Error::success();
  if (llvm::Error error = durations_->holdTo(graph))
    return error;
  if (input_->step && !durations_->isEstimated())
    carried_.emplace(graph, durations_->durations());
  return llvm::Error::success();
}

Durations OptInput::durationsOfOther(const Graph &other) const {
  if (carried_)
    return carried_->of(other);
  return durations_ && durations_->isEstimated() ? durations_->estimatesOf(other) : Durations();
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
  if (machine_ && !machine_->measured.empty())
    add(unfitCollectives(*machine_, graph, flags.collectives.empty() ? flags.machine : flags.collectives.front()));
  if (durations_ && !durations_->isEstimated())
    add(unfitDurations(durations_->durations(), graph));
  if (!flags.opFile.empty())
    add(unfitOperators(flags.declared, graph, flags.opFile));
  warnings_ << toString(found.take());
}

llvm::Error OptInput::loadScheduleInto(Pipeline &pipeline) {
  if (options_.schedule.empty())
    return llvm::Error::success();
  Diagnostics found;
  auto schedule = loadSchedule(options_.schedule, found);
  warnings_ << toString(found.take());
  if (!schedule)
    return schedule.takeError();
  auto stated = pipelineOf(*schedule);
  if (!stated)
    return stated.takeError();
  schedule_ = std::move(*schedule);
  pipeline = std::move(*stated);
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

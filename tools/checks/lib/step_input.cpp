#include "ccgraph/checks/step_input.h"

#include "ccgraph/toolkit/graph_files.h"
#include "ccgraph/toolkit/group_assumption.h"
#include "ccgraph/toolkit/node_places.h"
#include "ccgraph/toolkit/step_graphs.h"

#include "llvm/ADT/StringMap.h"

namespace ccgraph {
namespace {

/// A graph of the log, and its role in the step.
struct LoggedPart {
  size_t index = 0;
  std::string role;
  std::string compileId;
};

std::vector<LoggedPart> partsOf(const GraphInput &input) {
  std::vector<LoggedPart> parts;
  for (const TrainingStepGraph &graph : input.step->graphs) {
    if (graph.inductor.empty())
      parts.push_back({graph.start, graphRoleName(graph.role).str(), graph.compileId});
    for (size_t index : graph.inductor) {
      // Inductor splits a joint graph, and its results have roles of their own.
      GraphRole role = graph.inductor.size() > 1 ? input.listed[index].role : graph.role;
      parts.push_back({index, graphRoleName(role).str(), graph.compileId});
    }
  }
  return parts;
}

/// Appends what distinguishes equal labels: first the id of the compilation, then a number.
void makeUnique(std::vector<std::string> &labels, llvm::ArrayRef<std::string> ids) {
  llvm::StringMap<size_t> counts, seen;
  for (const std::string &label : labels)
    ++counts[label];
  for (size_t i = 0; i != labels.size(); ++i)
    if (counts[labels[i]] > 1 && !ids[i].empty())
      labels[i] += " " + ids[i];
  for (std::string &label : labels)
    if (size_t number = ++seen[label]; number > 1)
      label += " #" + std::to_string(number);
}

llvm::Error readLogged(Context &context, const GraphInput &input, TrainingStepInput &step) {
  std::vector<size_t> indices;
  std::vector<std::string> ids;
  for (const LoggedPart &part : partsOf(input)) {
    indices.push_back(part.index);
    step.labels.push_back(part.role);
    ids.push_back(part.compileId);
  }
  makeUnique(step.labels, ids);
  llvm::Expected<GraphList> graphs = readStepGraphs(context, input, indices);
  if (!graphs)
    return graphs.takeError();
  step.graphs = std::move(*graphs);
  return llvm::Error::success();
}

llvm::Error readFile(Context &context, const GraphInput &input, TrainingStepInput &step, Diagnostics &warnings) {
  llvm::Expected<GraphList> graphs = loadGraphs(context, input.file, input.selector, &warnings);
  if (!graphs)
    return graphs.takeError();
  step.graphs = std::move(*graphs);
  for (const auto &graph : step.graphs) {
    addStatedGroups(*graph, input);
    step.labels.push_back(graph->name().str());
  }
  makeUnique(step.labels, std::vector<std::string>(step.labels.size()));
  return llvm::Error::success();
}

} // namespace

std::vector<LabeledGraph> TrainingStepInput::labeled() const {
  std::vector<LabeledGraph> all;
  for (size_t i = 0; i != graphs.size(); ++i)
    all.push_back({graphs[i].get(), labels[i]});
  return all;
}

llvm::Expected<TrainingStepInput> readTrainingStep(Context &context, const TrainingStepSource &source,
                                                   Diagnostics &warnings) {
  llvm::Expected<GraphInput> input = openGraphs(source.path, "", warnings);
  if (!input)
    return input.takeError();
  TrainingStepInput step;
  step.gpus = input->gpus;
  if (llvm::Error error = input->step ? readLogged(context, *input, step) : readFile(context, *input, step, warnings))
    return error;
  for (size_t i = 0; i != step.graphs.size(); ++i) {
    Graph &graph = *step.graphs[i];
    if (!source.groups.empty())
      if (llvm::Error error = addGroups(graph, source.groups))
        return error;
    assumeGroups(graph, statedRanks(graph));
    if (llvm::Error error = checkWellFormed(graph))
      return input->step ? std::move(error) : withPlaces(std::move(error), {input->file, input->selector, i});
  }
  return step;
}

} // namespace ccgraph

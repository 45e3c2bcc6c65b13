#include "ccgraph/toolkit/graph_files.h"
#include "ccgraph/toolkit/measured_files.h"
#include "ccgraph/toolkit/step_graphs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

namespace ccgraph {
namespace {

class ExecutedFinder {
public:
  explicit ExecutedFinder(const ExecutedGraphsRequest &request) : request_(request) {}

  llvm::Expected<ExecutedGraphs> run() {
    for (const auto &graph : request_.given)
      add(*graph, request_.input.step ? labelOf(request_.input.step->graphs[request_.input.step->chosen])
                                      : graph->name().str());
    for (const std::string &file : request_.files)
      if (llvm::Error error = addFile(file))
        return error;
    if (request_.input.step)
      if (llvm::Error error = addStep(*request_.input.step))
        return error;
    return std::move(found_);
  }

private:
  static std::string labelOf(const TrainingStepGraph &graph) {
    return (graphRoleName(graph.role) + (graph.compileId.empty() ? "" : " ") + graph.compileId).str();
  }

  /// Graphs of equal names are told apart by a number.
  void add(const Graph &graph, const std::string &label) {
    std::string unique = label;
    for (unsigned number = 2; llvm::any_of(found_.graphs, [&](const auto &it) { return it.label == unique; }); ++number)
      unique = label + " #" + std::to_string(number);
    found_.graphs.push_back({graph, unique});
  }

  llvm::Error addFile(const std::string &path) {
    llvm::Expected<std::unique_ptr<Graph>> graph = loadGraph(request_.context, path);
    if (!graph)
      return graph.takeError();
    add(**graph, llvm::sys::path::filename(path).take_until([](char c) { return c == '.'; }).str());
    found_.read.push_back(std::move(*graph));
    return llvm::Error::success();
  }

  llvm::Error addStep(const LoggedTrainingStep &step) {
    const bool runsResults = step.graphs[step.chosen].startsFromInductor();
    std::vector<size_t> indices;
    std::vector<const TrainingStepGraph *> others;
    for (size_t i = 0; i != step.graphs.size(); ++i) {
      const TrainingStepGraph &graph = step.graphs[i];
      if (i == step.chosen)
        continue;
      indices.push_back(runsResults && graph.inductor.size() == 1 ? graph.inductor.front() : graph.start);
      others.push_back(&graph);
    }
    llvm::Expected<GraphList> graphs = readStepGraphs(request_.context, request_.input, indices);
    if (!graphs)
      return graphs.takeError();
    for (size_t i = 0; i != graphs->size(); ++i) {
      add(*(*graphs)[i], labelOf(*others[i]));
      found_.read.push_back(std::move((*graphs)[i]));
    }
    return llvm::Error::success();
  }

  const ExecutedGraphsRequest &request_;
  ExecutedGraphs found_;
};

} // namespace

llvm::Expected<ExecutedGraphs> executedGraphs(const ExecutedGraphsRequest &request) {
  return ExecutedFinder(request).run();
}

} // namespace ccgraph

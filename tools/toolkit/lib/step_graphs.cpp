#include "ccgraph/toolkit/step_graphs.h"

#include "ccgraph/toolkit/graph_files.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {
namespace {

/// Adds the graph that the selector names.
llvm::Error addGraph(Context &context, const InputFile &file, size_t selector, GraphList &graphs) {
  auto graph = loadGraph(context, file, std::to_string(selector));
  if (!graph)
    return graph.takeError();
  graphs.push_back(std::move(*graph));
  return llvm::Error::success();
}

llvm::Error readFromLog(Context &context, const GraphInput &input, llvm::ArrayRef<size_t> indices, GraphList &graphs) {
  std::vector<const ListedGraph *> wanted;
  for (size_t index : indices)
    wanted.push_back(&input.listed[index]);
  llvm::Expected<std::vector<InputFile>> texts = input.log->texts(wanted);
  if (!texts)
    return texts.takeError();
  for (size_t i = 0; i != wanted.size(); ++i)
    if (llvm::Error error = addGraph(context, (*texts)[i], wanted[i]->inPayload, graphs))
      return error;
  return llvm::Error::success();
}

/// The reader of the text does not count the graphs that were left out.
llvm::Error readFromText(Context &context, const GraphInput &input, llvm::ArrayRef<size_t> indices, GraphList &graphs) {
  for (size_t index : indices) {
    auto before = llvm::ArrayRef(input.listed).take_front(index);
    auto number = llvm::count_if(before, [](const ListedGraph &graph) { return graph.leftOut.empty(); });
    if (llvm::Error error = addGraph(context, input.file, static_cast<size_t>(number), graphs))
      return error;
  }
  return llvm::Error::success();
}

} // namespace

void addHints(Graph &graph, const ListedGraph &listed) {
  for (const auto &[name, value] : listed.hints) {
    Identifier symbol = graph.context().identifier(name);
    if (llvm::none_of(graph.symbolHints, [&](const auto &known) { return known.first == symbol; }))
      graph.symbolHints.emplace_back(symbol, value);
  }
}

llvm::Expected<GraphList> readStepGraphs(Context &context, const GraphInput &input, llvm::ArrayRef<size_t> indices) {
  GraphList graphs;
  if (llvm::Error error =
          input.log ? readFromLog(context, input, indices, graphs) : readFromText(context, input, indices, graphs))
    return error;
  for (size_t i = 0; i != graphs.size(); ++i) {
    addStatedGroups(*graphs[i], input);
    addHints(*graphs[i], input.listed[indices[i]]);
  }
  return graphs;
}

} // namespace ccgraph

#include "driver/program_files.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/group_file.h"
#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/frontend/safetensors.h"
#include "ccgraph/ir/effects.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Path.h"

#include <numeric>

namespace ccgraph::driver {
namespace {

llvm::Error fileError(llvm::StringRef path, const llvm::Twine &message, const llvm::Twine &repair) {
  Diagnostic diagnostic;
  diagnostic.rule = "tool.graph-choice";
  diagnostic.file = path.str();
  diagnostic.message = message.str();
  diagnostic.notes.push_back(repair.str());
  return makeError(std::move(diagnostic));
}

std::string namesOf(const GraphList &graphs) {
  std::vector<std::string> names;
  for (const auto &graph : graphs)
    names.push_back(graph->name().str());
  return llvm::join(names, ", ");
}

void collectGroups(const Graph &graph, std::vector<std::string> &names) {
  for (const Node *node = graph.front(); node; node = node->next()) {
    std::optional<CollectiveCall> call = collectiveCall(*node);
    if (call && !call->group.empty() && !llvm::is_contained(names, call->group))
      names.push_back(call->group.str());
  }
  for (const auto &[name, subgraph] : graph.subgraphs())
    collectGroups(*subgraph, names);
}

} // namespace

llvm::Expected<std::unique_ptr<Graph>> loadGraph(Context &context, llvm::StringRef path, llvm::StringRef selector) {
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  llvm::Expected<GraphList> graphs = readGraphs(context, file->source());
  if (!graphs)
    return graphs.takeError();
  if (selector.empty() && graphs->size() == 1)
    return std::move(graphs->front());
  if (selector.empty())
    return fileError(path, llvm::Twine("got ") + llvm::Twine(graphs->size()) + " graphs, expected one",
                     "choose with --graph: " + namesOf(*graphs));
  size_t index = 0;
  if (!selector.getAsInteger(10, index) && index < graphs->size())
    return std::move((*graphs)[index]);
  for (auto &graph : *graphs)
    if (graph->name() == selector)
      return std::move(graph);
  return fileError(path, "got no graph '" + selector + "'", "there are " + namesOf(*graphs));
}

llvm::Error addGroups(Graph &graph, llvm::StringRef path) {
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  llvm::Expected<GroupTable> table = readGroupFile(file->source());
  if (!table)
    return table.takeError();
  for (const Group &group : table->groups())
    graph.groups().set(group);
  return llvm::Error::success();
}

std::vector<std::string> assumeGroups(Graph &graph, size_t ranks) {
  std::vector<std::string> names, assumed;
  collectGroups(graph, names);
  for (const std::string &name : names) {
    if (graph.groups().find(name))
      continue;
    Group group;
    group.name = name;
    group.ranks.resize(ranks);
    std::iota(group.ranks.begin(), group.ranks.end(), int64_t{0});
    group.assumed = true;
    graph.groups().set(std::move(group));
    assumed.push_back(name);
  }
  return assumed;
}

llvm::Expected<std::vector<TensorMap>> loadValues(llvm::StringRef directory, size_t ranks) {
  std::vector<TensorMap> values;
  for (size_t rank = 0; rank < ranks; ++rank) {
    llvm::SmallString<128> path(directory);
    llvm::sys::path::append(path, "rank" + llvm::Twine(rank) + ".safetensors");
    llvm::Expected<InputFile> file = InputFile::open(path);
    if (!file)
      return file.takeError();
    llvm::Expected<TensorMap> tensors = readSafetensors(file->source());
    if (!tensors)
      return tensors.takeError();
    values.push_back(std::move(*tensors));
  }
  return values;
}

} // namespace ccgraph::driver

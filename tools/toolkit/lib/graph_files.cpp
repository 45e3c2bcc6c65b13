#include "ccgraph/toolkit/graph_files.h"

#include "ccgraph/frontend/group_file.h"
#include "ccgraph/frontend/object_file.h"
#include "ccgraph/frontend/safetensors.h"
#include "ccgraph/ir/guard_check.h"
#include "ccgraph/ir/infer_types.h"
#include "ccgraph/ir/text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Path.h"

namespace ccgraph {
namespace {

llvm::Error fileError(llvm::StringRef path, const llvm::Twine &message, const llvm::Twine &repair) {
  Diagnostic diagnostic = diagnose("tool.graph-choice", message.str(), repair.str());
  diagnostic.file = path.str();
  return makeError(std::move(diagnostic));
}

std::string namesOf(const GraphList &graphs) {
  std::vector<std::string> names;
  for (size_t i = 0; i < graphs.size(); ++i)
    names.push_back(std::to_string(i) + " " + graphs[i]->name().str());
  return llvm::join(names, ", ");
}

} // namespace

void completeTypes(Graph &graph, llvm::StringRef file, Diagnostics *warnings) {
  if (!lacksTypes(graph))
    return;
  InferenceReport report = inferTypes(graph);
  for (const auto &[target, count] : report.withoutRule) {
    Diagnostic warning;
    warning.severity = Severity::Warning;
    warning.file = file.str();
    warning.message = "the result types are unknown for " + target + ", " + counted(count, "call") +
                      ": the text prints no types, and no rule infers them";
    warning.notes.push_back("their sizes count as unknown; print the graph with types: print_readable()");
    if (warnings)
      warnings->add(std::move(warning));
  }
}

// A selector is an index if it is a number below the number of graphs, else a name: "--graph 1" is the second graph,
// and in a file with one graph named "1" it is that graph. If several graphs have the name, all are returned.
llvm::Expected<GraphList> loadGraphs(Context &context, const InputFile &file, llvm::StringRef selector,
                                     Diagnostics *warnings, NodePlaces *places) {
  llvm::Expected<GraphList> graphs = readGraphs(context, file.source(), {.warnings = warnings, .places = places});
  // An FX text may be printed without types; a JSON file without types states that they are unknown.
  if (graphs && detectGraphFormat(file.text()) == GraphFormat::FxText)
    for (const auto &graph : *graphs)
      completeTypes(*graph, file.name(), warnings);
  file.releaseMemory();
  for (size_t i = 0; graphs && i < graphs->size(); ++i)
    if (llvm::Error error = checkGuards(*(*graphs)[i]))
      return error;
  if (!graphs || selector.empty())
    return graphs;
  size_t index = 0;
  bool byIndex = !selector.getAsInteger(10, index) && index < graphs->size();
  GraphList chosen;
  for (size_t i = 0; i < graphs->size(); ++i)
    if (byIndex ? i == index : (*graphs)[i]->name() == selector)
      chosen.push_back(std::move((*graphs)[i]));
  if (chosen.empty())
    return fileError(file.name(), "got no graph '" + selector + "'", "there are " + namesOf(*graphs));
  return chosen;
}

llvm::Expected<std::unique_ptr<Graph>> loadGraph(Context &context, const InputFile &file, llvm::StringRef selector,
                                                 Diagnostics *warnings) {
  llvm::Expected<GraphList> graphs = loadGraphs(context, file, selector, warnings);
  if (!graphs)
    return graphs.takeError();
  if (graphs->size() == 1)
    return std::move(graphs->front());
  return fileError(file.name(), llvm::Twine("got ") + llvm::Twine(graphs->size()) + " graphs, expected one",
                   "choose with --graph: " + namesOf(*graphs));
}

llvm::Expected<std::unique_ptr<Graph>> loadGraph(Context &context, llvm::StringRef path, llvm::StringRef selector,
                                                 Diagnostics *warnings) {
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  return loadGraph(context, *file, selector, warnings);
}

// A group of the file replaces a group of the same name in the graph.
namespace {

llvm::Error addGroups(Graph &graph, const InputFile &file, GroupTable *stated = nullptr) {
  llvm::Expected<GroupTable> table = readGroupFile(file.source());
  if (!table)
    return table.takeError();
  for (const Group &group : table->groups())
    graph.groups().set(group);
  if (stated)
    *stated = std::move(*table);
  return checkGuards(graph);
}

} // namespace

llvm::Error addGroups(Graph &graph, llvm::StringRef path) {
  llvm::Expected<InputFile> file = InputFile::open(path);
  return file ? addGroups(graph, *file) : file.takeError();
}

llvm::Expected<ObjectMeanings> loadObjects(llvm::StringRef path) {
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  return readObjectFile(file->source());
}

void addOwnObjects(const Graph &graph, ObjectMeanings &objects) {
  ObjectMeanings own = objectsOf(graph);
  objects.insert(own.begin(), own.end());
}

namespace {

// The file is opened once, because it may be a pipe.
llvm::Error addFromFile(Graph &graph, ObjectMeanings &objects, llvm::StringRef path, GroupTable *stated) {
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  if (llvm::Error error = addGroups(graph, *file, stated))
    return error;
  llvm::Expected<ObjectMeanings> more = readObjectFile(file->source());
  if (!more)
    return more.takeError();
  objects.insert(more->begin(), more->end());
  return llvm::Error::success();
}

} // namespace

llvm::Error addGroupsAndObjects(Graph &graph, ObjectMeanings &objects, llvm::StringRef path, GroupTable *stated) {
  if (!path.empty())
    if (llvm::Error error = addFromFile(graph, objects, path, stated))
      return error;
  addOwnObjects(graph, objects);
  return llvm::Error::success();
}

// On 2 ranks: DIR/rank0.safetensors and DIR/rank1.safetensors.
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

} // namespace ccgraph

#include "driver/program_files.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/group_file.h"
#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/frontend/safetensors.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/verifier.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Path.h"

#include <numeric>
#include <unistd.h>

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
  for (size_t i = 0; i < graphs.size(); ++i)
    names.push_back(std::to_string(i) + " " + graphs[i]->name().str());
  return llvm::join(names, ", ");
}

/// A group that collectives name, and its size where one of them states it.
struct NamedGroup {
  std::string name;
  size_t size = 0;
};

void collectGroups(const Graph &graph, std::vector<NamedGroup> &groups) {
  for (const Node *node = graph.front(); node; node = node->next()) {
    std::optional<CollectiveCall> call = collectiveCall(*node);
    if (!call || call->group.empty())
      continue;
    auto found = llvm::find_if(groups, [&](const NamedGroup &group) { return group.name == call->group; });
    if (found == groups.end())
      found = groups.insert(groups.end(), {call->group.str(), 0});
    if (found->size == 0 && call->groupSize.value_or(0) > 0)
      found->size = static_cast<size_t>(*call->groupSize);
  }
  for (const auto &[name, subgraph] : graph.subgraphs())
    collectGroups(*subgraph, groups);
}

} // namespace

llvm::Expected<GraphList> loadGraphs(Context &context, const InputFile &file, llvm::StringRef selector,
                                     llvm::raw_ostream &warnings) {
  Diagnostics found;
  llvm::Expected<GraphList> graphs = readGraphs(context, file.source(), {.warnings = &found});
  warnings << toString(found.take());
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

llvm::Expected<std::unique_ptr<Graph>> loadGraph(Context &context, llvm::StringRef path, llvm::StringRef selector) {
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  llvm::Expected<GraphList> graphs = loadGraphs(context, *file, selector, llvm::errs());
  if (!graphs)
    return graphs.takeError();
  if (graphs->size() == 1)
    return std::move(graphs->front());
  return fileError(path, llvm::Twine("got ") + llvm::Twine(graphs->size()) + " graphs, expected one",
                   "choose with --graph: " + namesOf(*graphs));
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

void assumeGroups(Graph &graph, size_t ranks) {
  std::vector<NamedGroup> named;
  collectGroups(graph, named);
  for (const NamedGroup &known : named) {
    size_t size = known.size ? known.size : ranks;
    if (size == 0 || size > mostRanks || graph.groups().find(known.name))
      continue;
    Group group;
    group.name = known.name;
    group.ranks.resize(size);
    std::iota(group.ranks.begin(), group.ranks.end(), int64_t{0});
    group.assumed = true;
    graph.groups().set(std::move(group));
  }
}

std::string assumedGroupsText(const GroupTable &groups) {
  constexpr size_t mostNames = 6;
  llvm::MapVector<size_t, std::vector<std::string>> bySize;
  for (const Group &group : groups.groups())
    if (group.assumed)
      bySize[group.ranks.size()].push_back(group.name);
  std::string text;
  for (auto &[size, names] : bySize) {
    text += (text.empty() ? "" : "; ") + std::string(names.size() == 1 ? "group " : "groups ");
    bool all = names.size() <= mostNames;
    text += llvm::join(llvm::ArrayRef(names).take_front(mostNames), ", ") + (all ? "" : ", ...") + " taken as ";
    text += size == 1 ? "rank 0" : "ranks 0 to " + std::to_string(size - 1);
  }
  return text.empty() ? "" : text + ", since no file says";
}

llvm::Error checkWellFormed(const Graph &graph, llvm::StringRef path) {
  std::vector<Diagnostic> findings = verify(graph, {.warnings = false});
  std::string assumed = assumedGroupsText(graph.groups());
  for (Diagnostic &finding : findings) {
    if (finding.file.empty())
      finding.file = path.str();
    if (!assumed.empty() && llvm::StringRef(finding.rule).startswith("types."))
      finding.notes.push_back(assumed + ": --groups FILE says which ranks they are, or run another number of ranks");
  }
  return findings.empty() ? llvm::Error::success() : makeError(std::move(findings));
}

std::vector<std::string> unknownGroups(const Graph &graph) {
  std::vector<NamedGroup> named;
  collectGroups(graph, named);
  std::vector<std::string> names;
  for (const NamedGroup &group : named)
    if (!graph.groups().find(group.name))
      names.push_back(group.name);
  return names;
}

size_t statedRanks(const Graph &graph) {
  if (graph.worldSize)
    return static_cast<size_t>(*graph.worldSize);
  std::vector<NamedGroup> named;
  collectGroups(graph, named);
  size_t largest = 0;
  for (const NamedGroup &group : named)
    largest = std::max(largest, group.size);
  return largest;
}

int64_t machineMemory() { return int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE); }

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

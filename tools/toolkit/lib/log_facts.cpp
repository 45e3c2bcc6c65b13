#include "log_facts.h"

#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/toolkit/machine_choice.h"
#include "mesh_groups.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace ccgraph {
namespace {

/// Reads a graph of the log; returns null if it cannot be read. Empty `gpus` are set to those that the payload states.
std::unique_ptr<Graph> readAgain(const TraceLog &log, const ListedGraph &graph, Context &context,
                                 HostGpus *gpus = nullptr) {
  llvm::Expected<InputFile> text = log.text(graph);
  if (!text)
    return llvm::consumeError(text.takeError()), nullptr;
  if (gpus && gpus->empty())
    *gpus = gpusOf(text->text());
  auto graphs = readGraphs(context, text->source());
  if (!graphs)
    return llvm::consumeError(graphs.takeError()), nullptr;
  return graph.inPayload < graphs->size() ? std::move((*graphs)[graph.inPayload]) : nullptr;
}

bool isRunnable(const ListedGraph &graph) { return graph.kind == "fx_graph_runnable" && graph.leftOut.empty(); }

/// Returns the runnables of the rank, those of the same compilation first. Each creates the groups that it uses.
std::vector<const ListedGraph *> runnablesOf(llvm::ArrayRef<ListedGraph> graphs, const ListedGraph &chosen) {
  std::vector<const ListedGraph *> found;
  for (const ListedGraph &graph : graphs)
    if (isRunnable(graph) && graph.file == chosen.file && graph.rank == chosen.rank)
      found.push_back(&graph);
  llvm::stable_sort(found, [&](const ListedGraph *a, const ListedGraph *b) {
    return (a->compileId == chosen.compileId) > (b->compileId == chosen.compileId);
  });
  return found;
}

void readStatedGroups(const TraceLog &log, const ListedGraph &chosen, GraphInput &input) {
  for (const ListedGraph *runnable : runnablesOf(log.graphs(), chosen)) {
    Context context;
    std::unique_ptr<Graph> graph = readAgain(log, *runnable, context, &input.gpus);
    if (!graph)
      continue;
    for (const Group &group : graph->groups().groups())
      if (!input.groups.find(group.name))
        input.groups.set(group);
    input.rank = input.rank ? input.rank : graph->rank;
    input.worldSize = input.worldSize ? input.worldSize : graph->worldSize;
  }
}

/// The ranks at each position of a group, as the fx_graph_runnables of the ranks state them.
struct Places {
  std::map<int64_t, int64_t> rankAt; ///< by position
  bool agree = true;                 ///< one rank for each position, and one size
};

void notePlaces(const Graph &graph, int64_t rank, const GroupTable &wanted, std::map<std::string, Places> &places) {
  for (const Group &group : graph.groups().groups()) {
    const Group *own = wanted.find(group.name);
    std::optional<int64_t> place = placeOf(group);
    if (!own || !place)
      continue;
    Places &found = places[group.name];
    found.agree &= own->ranks.size() == group.ranks.size();
    auto [slot, isNew] = found.rankAt.try_emplace(*place, rank);
    found.agree &= isNew || slot->second == rank;
  }
}

// A name is one group on all ranks that use it, or it names several subgroups. In the second case two ranks have the
// same position, and the log does not state the subgroup of each rank. If each position has one rank, these ranks are
// the members.

/// Determines the members of the groups of which the rank's own log states the size only, from the logs of all ranks.
void gatherMembers(const TraceLog &log, const ListedGraph &chosen, GraphInput &input) {
  if (llvm::none_of(input.groups.groups(), [](const Group &group) { return group.assumed; }))
    return;
  std::map<std::string, Places> places;
  for (const ListedGraph &graph : log.graphs()) {
    if (!isRunnable(graph) || !graph.rank || graph.compileId != chosen.compileId)
      continue;
    Context context;
    if (std::unique_ptr<Graph> read = readAgain(log, graph, context))
      notePlaces(*read, *graph.rank, input.groups, places);
  }
  for (const auto &[name, found] : places) {
    Group group = *input.groups.find(name);
    auto size = static_cast<int64_t>(group.ranks.size());
    bool whole = found.agree && static_cast<int64_t>(found.rankAt.size()) == size && found.rankAt.begin()->first == 0 &&
                 found.rankAt.rbegin()->first == size - 1;
    if (!group.assumed || !whole)
      continue;
    group.ranks.clear();
    for (const auto &[place, rank] : found.rankAt)
      group.ranks.push_back(rank);
    group.assumed = false;
    group.description = "by the logs of all its ranks";
    llvm::erase_if(group.attributes, [](const auto &attribute) { return attribute.first == "place"; });
    input.groups.set(std::move(group));
  }
}

int64_t largestMesh(llvm::ArrayRef<TraceMesh> meshes) {
  int64_t largest = 0;
  for (const TraceMesh &mesh : meshes)
    largest = std::max(largest, ranksOf(mesh));
  return largest;
}

/// The remaining groups may be dimensions of the meshes that the graph's own log describes.
void readMeshes(const ListedGraph &chosen, GraphInput &input) {
  auto isOpen = [](const Group &group) { return group.assumed; };
  // Without a group of all ranks, the runnable does not state its rank; the log's headers do.
  std::optional<int64_t> rank = input.rank ? input.rank : chosen.rank;
  if (!rank || llvm::none_of(input.groups.groups(), isOpen))
    return;
  auto meshes = readTraceMeshes(chosen.file);
  if (!meshes)
    return llvm::consumeError(meshes.takeError()); // the requested graph can be read without the meshes
  takeFromMeshes(input.groups, *meshes, *rank, input.worldSize.value_or(0));
  if (int64_t ranks = largestMesh(*meshes); !input.worldSize && ranks > *rank)
    input.worldSize = ranks; // so that every rank makes the same assumption about the rest
}

/// Returns the position of the graph among those of its kind, compilation and rank.
size_t ordinalOf(llvm::ArrayRef<ListedGraph> graphs, size_t index) {
  const ListedGraph &own = graphs[index];
  return static_cast<size_t>(llvm::count_if(graphs.take_front(index), [&](const ListedGraph &other) {
    return other.kind == own.kind && other.compileId == own.compileId && other.rank == own.rank &&
           other.file == own.file;
  }));
}

/// Returns for each rank of the log its counterpart of the chosen graph; null for a rank that has none.
std::map<int64_t, const ListedGraph *> counterparts(llvm::ArrayRef<ListedGraph> graphs, size_t chosen) {
  std::map<int64_t, const ListedGraph *> found;
  for (size_t i = 0; i < graphs.size(); ++i) {
    const ListedGraph &graph = graphs[i];
    if (!graph.rank || stageOf(graph.kind) == 0)
      continue;
    const ListedGraph *&entry = found.try_emplace(*graph.rank, nullptr).first->second;
    if (!entry && graph.kind == graphs[chosen].kind && graph.compileId == graphs[chosen].compileId &&
        ordinalOf(graphs, i) == ordinalOf(graphs, chosen))
      entry = &graph;
  }
  return found;
}

void compareWithOtherRanks(const TraceLog &log, size_t chosen, GraphInput &input) {
  auto graphs = counterparts(log.graphs(), chosen);
  if (!log.graphs()[chosen].rank || graphs.size() < 2)
    return;
  std::vector<RankProgram> programs;
  for (const auto &[rank, listed] : graphs) {
    if (listed && !listed->leftOut.empty())
      continue; // a warning has reported this
    Context context;
    std::unique_ptr<Graph> graph = listed ? readAgain(log, *listed, context) : nullptr;
    programs.push_back({rank, graph ? programLines(*graph) : std::vector<std::string>()});
  }
  input.ranks = compareRanks(programs);
}

} // namespace

void readLogFacts(const TraceLog &log, size_t chosen, GraphInput &input) {
  const ListedGraph &graph = log.graphs()[chosen];
  readStatedGroups(log, graph, input);
  gatherMembers(log, graph, input);
  readMeshes(graph, input);
  compareWithOtherRanks(log, chosen, input);
  if (!input.rank)
    input.rank = graph.rank; // from the log's headers
}

} // namespace ccgraph

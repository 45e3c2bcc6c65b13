#include "ccgraph/toolkit/graph_choice.h"

#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/ir/text.h"
#include "mesh_groups.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <tuple>

using llvm::StringRef;

namespace ccgraph {
namespace {

using Indices = std::vector<size_t>;

llvm::Error choiceError(StringRef file, std::string message, std::string repair) {
  Diagnostic diagnostic;
  diagnostic.rule = "tool.graph-choice";
  diagnostic.file = file.str();
  diagnostic.message = std::move(message);
  if (!repair.empty())
    diagnostic.notes.push_back(std::move(repair));
  return makeError(std::move(diagnostic));
}

/// "3 aot_forward_graph of 0/0, rank 0; 7 ...": as many as fit on a screen.
std::string indexText(llvm::ArrayRef<ListedGraph> graphs, const Indices &indices,
                      llvm::function_ref<std::string(const ListedGraph &, size_t)> textOf = graphText) {
  constexpr size_t most = 12;
  std::string text;
  for (size_t index : llvm::ArrayRef(indices).take_front(most))
    text += (text.empty() ? "" : "; ") + textOf(graphs[index], index);
  return text + (indices.size() > most ? "; ..." : "");
}

/// With what tells apart graphs of one kind and compilation, such as forward and backward; of one that was left out nobody knows that.
std::string sizedText(const ListedGraph &graph, size_t index) {
  if (!graph.leftOut.empty())
    return graphText(graph, index);
  return graphText(graph, index) + ", " + counted(graph.nodes, "node") + ", " +
         counted(graph.collectives, "collective");
}

Indices allOf(llvm::ArrayRef<ListedGraph> graphs) {
  Indices indices;
  for (size_t i = 0; i != graphs.size(); ++i)
    indices.push_back(i);
  return indices;
}

/// A selector taken apart: "rank 2: aot_forward_graph@0/0".
struct Wanted {
  std::optional<int64_t> rank;
  StringRef kind; ///< or an index, or the name of a class
  StringRef compileId;

  explicit Wanted(StringRef selector) {
    StringRef rest = selector.trim();
    int64_t number = 0;
    if (rest.consume_front("rank ") && !rest.consumeInteger(10, number) && rest.consume_front(":"))
      rank = number;
    else
      rest = selector.trim();
    std::tie(kind, compileId) = rest.trim().rsplit('@');
  }

  [[nodiscard]] bool isOfRank(const ListedGraph &graph) const { return !rank || graph.rank == rank; }
};

/// The readable ones where there are any: a graph that was left out is meant only where nothing else is.
Indices preferReadable(llvm::ArrayRef<ListedGraph> graphs, Indices indices) {
  Indices readable;
  llvm::copy_if(indices, std::back_inserter(readable), [&](size_t i) { return graphs[i].leftOut.empty(); });
  return readable.empty() ? indices : readable;
}

Indices fitting(llvm::ArrayRef<ListedGraph> graphs, const Wanted &wanted, std::string ListedGraph::*field) {
  Indices indices;
  for (size_t i = 0; i != graphs.size(); ++i)
    if (graphs[i].*field == wanted.kind && wanted.isOfRank(graphs[i]) &&
        (wanted.compileId.empty() || graphs[i].compileId == wanted.compileId))
      indices.push_back(i);
  return preferReadable(graphs, std::move(indices));
}

llvm::Expected<size_t> chosen(llvm::ArrayRef<ListedGraph> graphs, size_t index) {
  const ListedGraph &graph = graphs[index];
  if (graph.leftOut.empty())
    return index;
  Diagnostic diagnostic;
  diagnostic.rule = "tool.graph-choice";
  diagnostic.file = graph.file;
  diagnostic.line = static_cast<unsigned>(graph.line);
  diagnostic.message = "the graph " + graphText(graph, index) + " cannot be read: " + graph.leftOut;
  diagnostic.notes.push_back("--list-graphs lists those that can");
  return makeError(std::move(diagnostic));
}

llvm::Expected<size_t> chooseBySelector(llvm::ArrayRef<ListedGraph> graphs, StringRef selector, StringRef file) {
  Wanted wanted(selector);
  size_t index = 0;
  if (wanted.compileId.empty() && !wanted.kind.getAsInteger(10, index) && index < graphs.size() &&
      wanted.isOfRank(graphs[index]))
    return chosen(graphs, index);
  Indices found = fitting(graphs, wanted, &ListedGraph::kind);
  if (found.empty())
    found = fitting(graphs, wanted, &ListedGraph::name);
  if (found.size() == 1)
    return chosen(graphs, found.front());
  if (found.empty())
    return choiceError(file, "got no graph '" + selector.str() + "'", "there are " + indexText(graphs, allOf(graphs)));
  return choiceError(file,
                     "got '" + selector.str() + "', which " + std::to_string(found.size()) +
                         " graphs are, expected a selector of one",
                     "choose one by its index: " + indexText(graphs, found, sizedText));
}

/// Graphs that a device runs, of the lowest rank that has any.
Indices candidates(llvm::ArrayRef<ListedGraph> graphs) {
  Indices found;
  auto rankOf = [&](size_t i) { return graphs[i].rank.value_or(-1); };
  for (size_t i = 0; i != graphs.size(); ++i)
    if (graphs[i].leftOut.empty() && graphs[i].stage != 0 && graphs[i].typed &&
        (found.empty() || rankOf(i) <= rankOf(found.front()))) {
      if (!found.empty() && rankOf(i) < rankOf(found.front()))
        found.clear();
      found.push_back(i);
    }
  return found;
}

size_t richest(llvm::ArrayRef<ListedGraph> graphs, const Indices &indices) {
  auto weight = [&](size_t i) { return std::pair(graphs[i].collectives, graphs[i].nodes); };
  size_t best = indices.front();
  for (size_t i : indices)
    if (weight(i) > weight(best))
      best = i;
  return best;
}

llvm::Expected<size_t> chooseByDefault(llvm::ArrayRef<ListedGraph> graphs, StringRef file) {
  Indices found = candidates(graphs);
  if (!found.empty()) {
    unsigned stage = fullestStage(graphs, found);
    llvm::erase_if(found, [&](size_t i) { return graphs[i].stage != stage; });
    return richest(graphs, found);
  }
  Indices readable = preferReadable(graphs, allOf(graphs));
  if (readable.empty())
    return choiceError(file, "got a log without graphs, expected payloads such as aot_joint_graph",
                       "a compilation that failed early, or a cache that was warm, prints none: run again with "
                       "TORCHINDUCTOR_FORCE_DISABLE_CACHES=1");
  return chosen(graphs, richest(graphs, readable));
}

std::string choiceText(llvm::ArrayRef<ListedGraph> graphs, size_t index, bool byDefault) {
  std::string text = graphText(graphs[index], index);
  if (!graphs[index].frame.empty())
    text += ", compiled for " + visibleText(graphs[index].frame);
  if (graphs.size() == 1)
    return text;
  if (byDefault)
    text +=
        candidates(graphs).empty() ? ", the one with most collectives" : ", the latest with types and all collectives";
  return text + "; " + std::to_string(graphs.size() - 1) + (graphs.size() == 2 ? " other" : " others") +
         ": --list-graphs lists them, --graph chooses";
}

using GraphListing = llvm::Expected<std::vector<ListedGraph>>;

GraphListing graphsOf(llvm::Expected<TraceLog> log) {
  if (!log)
    return log.takeError();
  return log->graphs().vec();
}

/// The graphs of a file that is no trace.
GraphListing listText(const InputFile &file, Diagnostics &warnings) {
  Context context;
  std::vector<ListedGraph> listed;
  auto graphs = readGraphs(context, file.source(), {.warnings = &warnings, .listed = &listed});
  if (!graphs)
    return graphs.takeError();
  return listed;
}

/// The fx_graph_runnable that the same compilation of the same rank has printed; null where there is none. Forward and
/// backward have one each, which set up the same groups as far as both use them.
const ListedGraph *runnableOf(llvm::ArrayRef<ListedGraph> graphs, const ListedGraph &chosen) {
  const auto *found = llvm::find_if(graphs, [&](const ListedGraph &graph) {
    return graph.kind == "fx_graph_runnable" && graph.leftOut.empty() && graph.file == chosen.file &&
           graph.rank == chosen.rank && graph.compileId == chosen.compileId;
  });
  return found == graphs.end() ? nullptr : found;
}

/// Its groups; nothing where it cannot be read again, since the graph that is asked for can.
void readStatedGroups(const TraceLog &log, const ListedGraph &chosen, GraphInput &input) {
  const ListedGraph *runnable = runnableOf(log.graphs(), chosen);
  llvm::Expected<InputFile> text = runnable ? log.text(*runnable) : InputFile::ofText("", "", {});
  if (!text)
    return llvm::consumeError(text.takeError());
  Context context;
  auto graphs = readGraphs(context, text->source());
  if (!graphs)
    return llvm::consumeError(graphs.takeError());
  const Graph &graph = *graphs->front();
  input.groups = graph.groups();
  input.rank = graph.rank;
  input.worldSize = graph.worldSize;
}

/// Where the ranks stand in a group, as the fx_graph_runnables of the ranks say.
struct Places {
  std::map<int64_t, int64_t> rankAt; ///< by place
  bool agree = true;                 ///< one rank a place, and one size
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

// A name is one group on all ranks that use it, or several that are its cells: then two ranks have one place, and which of
// the others belong to which cell nobody says. Where each place has one rank, these are the members.

/// The members of the groups of which the own log knows the size alone, from the logs of all ranks.
void gatherMembers(const TraceLog &log, const ListedGraph &chosen, GraphInput &input) {
  if (llvm::none_of(input.groups.groups(), [](const Group &group) { return group.assumed; }))
    return;
  std::map<std::string, Places> places;
  for (const ListedGraph &graph : log.graphs()) {
    if (graph.kind != "fx_graph_runnable" || !graph.leftOut.empty() || !graph.rank ||
        graph.compileId != chosen.compileId)
      continue;
    llvm::Expected<InputFile> text = log.text(graph);
    if (!text) {
      llvm::consumeError(text.takeError()); // because the graph that is asked for can be read
      continue;
    }
    Context context;
    auto graphs = readGraphs(context, text->source());
    if (graphs)
      notePlaces(*graphs->front(), *graph.rank, input.groups, places);
    else
      llvm::consumeError(graphs.takeError());
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

/// What is left may be dimensions of the meshes that the graph's own log describes.
void readMeshes(const ListedGraph &chosen, GraphInput &input) {
  auto isOpen = [](const Group &group) { return group.assumed; };
  // Because without a group of all ranks the runnable does not say which one it is of; the log's headers do.
  std::optional<int64_t> rank = input.rank ? input.rank : chosen.rank;
  if (!rank || llvm::none_of(input.groups.groups(), isOpen))
    return;
  if (auto meshes = readTraceMeshes(chosen.file))
    takeFromMeshes(input.groups, *meshes, *rank, input.worldSize.value_or(0));
  else
    llvm::consumeError(meshes.takeError()); // because the graph that is asked for can be read
}

void readOrders(const TraceLog &log, const ListedGraph &chosen, GraphInput &input) {
  if (!log.hasOrders())
    return;
  auto orders = readTraceOrders(chosen.file);
  if (!orders)
    return llvm::consumeError(orders.takeError()); // because the graph that is asked for can be read
  for (TraceOrder &order : *orders)
    if (order.compileId == chosen.compileId && (!order.rank || !chosen.rank || order.rank == chosen.rank))
      input.orders.push_back(std::move(order));
}

/// `pipe`: what the log was read from, where that is no path.
llvm::Expected<GraphInput> choose(TraceLog read, StringRef path, StringRef selector,
                                  std::shared_ptr<const InputFile> pipe = nullptr) {
  auto kept = std::make_shared<const TraceLog>(std::move(read));
  const TraceLog &log = *kept;
  llvm::ArrayRef<ListedGraph> graphs = log.graphs();
  llvm::Expected<size_t> index =
      selector.empty() ? chooseByDefault(graphs, path) : chooseBySelector(graphs, selector, path);
  if (!index)
    return index.takeError();
  llvm::Expected<InputFile> text = log.text(graphs[*index]);
  if (!text)
    return text.takeError();
  GraphInput input{std::move(*text), std::to_string(graphs[*index].inPayload),
                   choiceText(graphs, *index, selector.empty())};
  readStatedGroups(log, graphs[*index], input);
  gatherMembers(log, graphs[*index], input);
  readMeshes(graphs[*index], input);
  readOrders(log, graphs[*index], input);
  input.step = stepOf(graphs, *index);
  input.listed = graphs.vec();
  input.log = std::move(kept);
  input.pipe = std::move(pipe);
  return input;
}

/// The graph that is meant of a text whose graphs have titles, as those of TORCH_LOGS do; any other text is left to who
/// reads it, with its errors.
llvm::Expected<GraphInput> chooseOfText(InputFile file, StringRef selector) {
  auto whole = [&] { return GraphInput{std::move(file), selector.str(), ""}; };
  if (!file.text().contains(" ===== "))
    return whole();
  Context context;
  std::vector<ListedGraph> listed;
  auto graphs = readGraphs(context, file.source(), {.listed = &listed});
  if (!graphs)
    return llvm::consumeError(graphs.takeError()), whole();
  if (llvm::all_of(listed, [](const ListedGraph &graph) { return stageOf(graph.kind) == 0; }))
    return whole();
  llvm::Expected<size_t> index = chooseGraph(listed, selector, file.name());
  if (!index)
    return index.takeError();
  // Because who reads the text does not count the graphs that were left out.
  auto before = llvm::ArrayRef(listed).take_front(*index);
  auto number = llvm::count_if(before, [](const ListedGraph &graph) { return graph.leftOut.empty(); });
  std::string choice = choiceText(listed, *index, selector.empty());
  GraphInput input{std::move(file), std::to_string(number), std::move(choice)};
  input.step = stepOf(listed, *index);
  input.listed = std::move(listed);
  return input;
}

} // namespace

llvm::Expected<size_t> chooseGraph(llvm::ArrayRef<ListedGraph> graphs, StringRef selector, StringRef file) {
  return selector.empty() ? chooseByDefault(graphs, file) : chooseBySelector(graphs, selector, file);
}

void addStatedGroups(Graph &graph, const GraphInput &input) {
  for (const Group &group : input.groups.groups())
    if (!graph.groups().find(group.name))
      graph.groups().set(group);
  if (!graph.rank)
    graph.rank = input.rank;
  if (!graph.worldSize)
    graph.worldSize = input.worldSize;
}

std::string graphText(const ListedGraph &graph, size_t index) {
  std::string text = std::to_string(index) + " " + visibleText(graph.kind);
  if (!graph.compileId.empty())
    text += " of " + visibleText(graph.compileId);
  return text + (graph.rank ? ", rank " + std::to_string(*graph.rank) : "");
}

llvm::Expected<std::vector<ListedGraph>> listGraphs(StringRef path, Diagnostics &warnings) {
  if (path != "-" && TraceLog::isTrace(path))
    return graphsOf(TraceLog::open(path, warnings));
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  if (TraceLog::isTrace(*file))
    return graphsOf(TraceLog::open(*file, warnings));
  return listText(*file, warnings);
}

llvm::Expected<GraphInput> openGraphs(StringRef path, StringRef selector, Diagnostics &warnings) {
  if (path != "-" && TraceLog::isTrace(path)) {
    llvm::Expected<TraceLog> log = TraceLog::open(path, warnings);
    return log ? choose(std::move(*log), path, selector) : log.takeError();
  }
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  if (!TraceLog::isTrace(*file)) // a pipe
    return chooseOfText(std::move(*file), selector);
  auto pipe = std::make_shared<const InputFile>(std::move(*file));
  llvm::Expected<TraceLog> log = TraceLog::open(*pipe, warnings);
  return log ? choose(std::move(*log), pipe->name(), selector, pipe) : log.takeError();
}

} // namespace ccgraph

#include "ccgraph/toolkit/graph_choice.h"

#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/ir/text.h"
#include "log_facts.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <tuple>

using llvm::StringRef;

namespace ccgraph {
namespace {

using Indices = std::vector<size_t>;

llvm::Error choiceError(StringRef file, std::string message, std::string repair) {
  Diagnostic diagnostic = diagnose("tool.graph-choice", std::move(message), std::move(repair));
  diagnostic.file = file.str();
  return makeError(std::move(diagnostic));
}

/// Returns a text such as "3 aot_forward_graph of 0/0, rank 0; 7 ...", with as many graphs as fit on a screen.
std::string indexText(llvm::ArrayRef<ListedGraph> graphs, const Indices &indices,
                      llvm::function_ref<std::string(const ListedGraph &, size_t)> textOf = graphText) {
  constexpr size_t most = 12;
  std::string text;
  for (size_t index : llvm::ArrayRef(indices).take_front(most))
    text += (text.empty() ? "" : "; ") + textOf(graphs[index], index);
  return text + (indices.size() > most ? "; ..." : "");
}

/// Adds the sizes that distinguish graphs of one kind and compilation, such as forward and backward; for a graph that
/// was left out these are unknown.
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

/// The parts of a selector: "rank 2: aot_forward_graph@0/0".
struct Wanted {
  std::optional<int64_t> rank;
  StringRef kind; ///< or an index, or a class name
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

/// Returns the readable graphs if there are any; a graph that was left out is chosen only if there is no other.
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

/// Returns the graphs that a device runs, of the lowest rank that has any.
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

/// Lists the graphs of a file that is not a trace.
GraphListing listText(const InputFile &file, Diagnostics &warnings) {
  Context context;
  std::vector<ListedGraph> listed;
  auto graphs = readGraphs(context, file.source(), {.warnings = &warnings, .listed = &listed});
  if (!graphs)
    return graphs.takeError();
  return listed;
}

void readOrders(const TraceLog &log, const ListedGraph &chosen, GraphInput &input) {
  if (!log.hasOrders())
    return;
  auto orders = readTraceOrders(chosen.file);
  if (!orders)
    return llvm::consumeError(orders.takeError()); // the requested graph can be read without the orders
  for (TraceOrder &order : *orders)
    if (order.compileId == chosen.compileId && (!order.rank || !chosen.rank || order.rank == chosen.rank))
      input.orders.push_back(std::move(order));
}

/// `pipe` is the source of the log if it has no path.
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
  readLogFacts(log, *index, input);
  readOrders(log, graphs[*index], input);
  input.step = trainingStepOf(graphs, *index);
  input.listed = graphs.vec();
  input.log = std::move(kept);
  input.pipe = std::move(pipe);
  return input;
}

/// Chooses a graph of a text whose graphs have titles, as those of TORCH_LOGS do; any other text is passed on
/// unchanged, and its reader reports the errors.
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
  // The reader of the text does not count the graphs that were left out.
  auto before = llvm::ArrayRef(listed).take_front(*index);
  auto number = llvm::count_if(before, [](const ListedGraph &graph) { return graph.leftOut.empty(); });
  std::string choice = choiceText(listed, *index, selector.empty());
  GraphInput input{std::move(file), std::to_string(number), std::move(choice)};
  input.step = trainingStepOf(listed, *index);
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
  return openGraphs(std::move(*file), selector, warnings);
}

llvm::Expected<GraphInput> openGraphs(InputFile file, StringRef selector, Diagnostics &warnings) {
  if (!TraceLog::isTrace(file))
    return chooseOfText(std::move(file), selector);
  auto pipe = std::make_shared<const InputFile>(std::move(file));
  llvm::Expected<TraceLog> log = TraceLog::open(*pipe, warnings);
  return log ? choose(std::move(*log), pipe->name(), selector, pipe) : log.takeError();
}

} // namespace ccgraph

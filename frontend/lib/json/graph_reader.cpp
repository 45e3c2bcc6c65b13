#include "ccgraph/frontend/json_graph.h"

#include "ccgraph/ir/internal/names.h"
#include "json/file_header.h"
#include "json/group_reader.h"
#include "json/guard_list.h"
#include "json/json_parser.h"
#include "json/json_text.h"
#include "json/node_reader.h"

namespace ccgraph {
namespace {

constexpr FileKind graphFile = {"ccgraph.graph", "a graph", "docs/graph-format.md describes graph files",
                                "this is a file of another format",
                                "keys that are not known here are kept and written back"};

/// The container of the file that is open; the nodes themselves come whole.
enum class Section : uint8_t { Graph, Nodes, Frames, Subgraphs };

/// Receives the parser's calls and fills graphs. sections_ is the stack of open containers: a graph, its nodes, its
/// frames, or its subgraphs, in which graphs nest again. For a file whose graph has a subgraph "body", at a node of
/// that subgraph, it is: Graph, Subgraphs, Graph, Nodes; and scopes_ has two graphs. Nodes and frames come whole, all
/// else member by member.
///
/// A file of another format is a mistake of its own: after that error, nothing of the file is read.
class GraphSink final : public JsonSink {
public:
  GraphSink(Context &context, JsonReport &report, NodePlaces *places)
      : context_(context), report_(report), types_(context, report), header_(graphFile, report), places_(places) {}

  bool enter(const JsonOpening &opening) override;
  void leave() override;
  bool value(const JsonValue &value) override;

  std::unique_ptr<Graph> take() { return std::move(root_); }

private:
  GraphScope &scope() { return *scopes_.back(); }
  [[nodiscard]] bool atRoot() const { return scopes_.size() == 1; }

  bool enterRoot(const JsonOpening &opening);
  bool enterSection(const JsonOpening &opening);
  bool enterSubgraph(const JsonOpening &opening);
  bool open(Section section) { return sections_.push_back(section), true; }
  void openScope(Graph &graph, const JsonOpening &opening);
  void noteKey(llvm::StringRef key, size_t offset);

  bool graphMember(const JsonValue &value);
  bool rootMember(const JsonValue &value);
  void readSymbols(const JsonValue &value);
  std::optional<int64_t> count(const JsonValue &value, llvm::StringRef what);
  void keepForeign(const JsonValue &value);

  Context &context_;
  JsonReport &report_;
  TypeCache types_;
  FileHeader header_;
  NodePlaces *places_;
  std::unique_ptr<Graph> root_;
  std::vector<std::unique_ptr<GraphScope>> scopes_;
  llvm::SmallVector<Section, 8> sections_;
};

// --- Containers that come member by member ---------------------------------------------------------------------------

bool GraphSink::enter(const JsonOpening &opening) {
  if (sections_.empty())
    return enterRoot(opening);
  switch (sections_.back()) {
  case Section::Graph:
    return enterSection(opening);
  case Section::Subgraphs:
    return enterSubgraph(opening);
  case Section::Nodes:
  case Section::Frames:
    return false;
  }
  llvm_unreachable("all sections are handled");
}

bool GraphSink::enterRoot(const JsonOpening &opening) {
  if (opening.kind != JsonKind::Object)
    return false;
  root_ = std::make_unique<Graph>(context_);
  openScope(*root_, opening);
  return open(Section::Graph);
}

// Returns false to receive the whole value in one piece. Only containers that may be long are entered: nodes, frames
// and subgraphs. An object "nodes" is not entered either; graphMember then reports that an array was expected.
bool GraphSink::enterSection(const JsonOpening &opening) {
  bool array = opening.kind == JsonKind::Array;
  bool nodes = array && opening.key == "nodes";
  bool frames = array && opening.key == "frames";
  bool subgraphs = !array && opening.key == "subgraphs";
  if (!nodes && !frames && !subgraphs)
    return false;
  noteKey(opening.key, opening.offset);
  scope().sawNodes |= nodes;
  return open(nodes ? Section::Nodes : frames ? Section::Frames : Section::Subgraphs);
}

bool GraphSink::enterSubgraph(const JsonOpening &opening) {
  if (opening.kind != JsonKind::Object)
    return false;
  if (!isIdentifier(opening.key))
    report_.error(opening.offset, "a subgraph named '" + opening.key.str() + "', expected an identifier of Python");
  Identifier name = context_.identifier(opening.key);
  Graph &parent = scope().graph;
  if (parent.subgraph(name)) {
    report_.error(opening.offset, "a subgraph named '" + name.str().str() + "' is before this one");
    parent.eraseSubgraph(name);
  }
  openScope(parent.addSubgraph(name), opening);
  return open(Section::Graph);
}

void GraphSink::openScope(Graph &graph, const JsonOpening &opening) {
  scopes_.push_back(std::make_unique<GraphScope>(graph, report_, types_, places_));
  scope().offset = opening.offset;
}

void GraphSink::leave() {
  if (sections_.pop_back_val() != Section::Graph)
    return;
  scope().finish();
  // A file that is not a graph lacks more than its nodes.
  if (!scope().sawNodes && (!atRoot() || header_.isOurs()))
    report_.error(scope().offset, "this graph has no 'nodes'", "\"nodes\" is an array with one object a node");
  if (atRoot())
    header_.finish(scope().offset);
  scopes_.pop_back();
}

// --- Values that come whole ------------------------------------------------------------------------------------------

bool GraphSink::value(const JsonValue &value) {
  if (sections_.empty()) {
    report_.expected(value, "a graph: an object with format, version and nodes");
    return false;
  }
  switch (sections_.back()) {
  case Section::Nodes:
    readNode(scope(), value);
    return true;
  case Section::Frames:
    scope().addFrame(value);
    return true;
  case Section::Subgraphs:
    report_.expected(value, "a subgraph: an object with nodes");
    return true;
  case Section::Graph:
    noteKey(value.key, value.offset);
    return graphMember(value);
  }
  llvm_unreachable("all sections are handled");
}

void GraphSink::noteKey(llvm::StringRef key, size_t offset) {
  if (llvm::is_contained(scope().seenKeys, key))
    report_.error(offset, "the key '" + key.str() + "' occurs twice");
  scope().seenKeys.push_back(key.str());
}

bool GraphSink::graphMember(const JsonValue &value) {
  Graph &graph = scope().graph;
  if (value.key == "name")
    graph.setName(report_.line(value, "a name").value_or("graph"));
  else if (value.key == "rank")
    graph.rank = count(value, "a rank");
  else if (value.key == "world_size")
    graph.worldSize = count(value, "a number of ranks");
  else if (value.key == "groups")
    readGroups(value, report_, graph.groups());
  else if (value.key == "symbols")
    readSymbols(value);
  else if (value.key == "guards")
    graph.guards = readGuards(value, report_);
  else if (value.key == "nodes" || value.key == "frames")
    report_.expected(value, "'" + value.key + "' as an array");
  else if (value.key == "subgraphs")
    report_.expected(value, "'subgraphs' as an object: name -> graph");
  else
    return rootMember(value);
  return true;
}

bool GraphSink::rootMember(const JsonValue &value) {
  if (atRoot() && FileHeader::holds(value.key))
    return header_.read(value);
  keepForeign(value);
  return true;
}

std::optional<int64_t> GraphSink::count(const JsonValue &value, llvm::StringRef what) {
  if (value.is(JsonKind::Integer) && value.integer >= (value.key == "rank" ? 0 : 1))
    return value.integer;
  report_.expected(value, what);
  return std::nullopt;
}

void GraphSink::readSymbols(const JsonValue &value) {
  if (!value.is(JsonKind::Object))
    report_.expected(value, "'symbols' as an object: symbol -> hint");
  for (const JsonValue &symbol : value.elements())
    if (!isIdentifier(symbol.key))
      report_.expected(symbol, "the value of a symbol whose name is an identifier of Python");
    else if (auto hint = report_.integer(symbol, "the value that the symbol had when the graph was traced"))
      scope().graph.symbolHints.emplace_back(context_.identifier(symbol.key), *hint);
}

// "owner": "lab 3" in a graph is kept by its text and written back, so notes of other tools are not lost.
void GraphSink::keepForeign(const JsonValue &value) {
  Identifier text = context_.identifier(canonicalJson(report_.source().text, value));
  scope().graph.attributes.emplace_back(context_.identifier(value.key), text);
}

} // namespace

llvm::Expected<std::unique_ptr<Graph>> readJsonGraph(Context &context, const SourceText &source,
                                                     const ReadOptions &options) {
  JsonReport report(source, options.errorLimit);
  GraphSink sink(context, report, options.places);
  if (llvm::Error error = report.take(parseJson(source, sink)))
    return error;
  report.giveWarnings(options.warnings);
  return sink.take();
}

} // namespace ccgraph

#include "ccgraph/frontend/json_graph.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/text.h"
#include "graph_names.h"
#include "json/argument_writer.h"
#include "json/group_writer.h"
#include "json/guard_list.h"
#include "json/json_text.h"
#include "json/separator.h"
#include "json/type_texts.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {
namespace {

/// Writes the canonical form: the same graph always gives the same bytes. Keys have a fixed order, empty and unknown
/// members are omitted, and each node is one line. So a line diff of two files names the nodes that differ:
///   "nodes": [
///     {"name": "x", "op": "placeholder", "target": "x", "type": "f32[2][1]cpu"},
///     {"name": "y", "op": "call_function", "target": "aten.relu.default", "args": ["%x"], "type": "f32[2][1]cpu"},
/// Foreign keys return to their places: those of the file, of groups and of frames as they were read, those of a node
/// by their JSON pointer, which shows whether they were in its meta.
class GraphWriter {
public:
  GraphWriter(llvm::raw_ostream &os, TypeTexts &types, const Graph &graph, unsigned depth)
      : os_(os), types_(types), graph_(graph), depth_(depth) {}

  void writeFile() {
    os_ << '{';
    key("format") << "\"ccgraph.graph\"";
    key("version") << "\"1.0\"";
    writeName();
    writeMembers();
    os_ << "\n}\n";
  }

private:
  void writeSubgraph(llvm::StringRef name) {
    os_ << '{';
    if (graph_.name() != name)
      writeName();
    writeMembers();
    newline(depth_ - 1);
    os_ << '}';
  }

  void writeMembers() {
    // This list must name every part of the surroundings, so a new part is not forgotten here; the name is written
    // above.
    const auto &[graphName, groups, rank, worldSize, hints, guards, attributes] = graph_.surroundings();
    if (rank)
      key("rank") << *rank;
    if (worldSize)
      key("world_size") << *worldSize;
    writeGroups(groups);
    writeSymbols(hints);
    if (!guards.empty())
      writeJsonGuards(key("guards"), guards);
    for (const auto &[name, text] : attributes)
      key(name.str()) << text.str();
    writeFrames();
    writeSubgraphs();
    writeNodes();
  }

  // --- Layout --------------------------------------------------------------------------------------------------------

  void newline(unsigned depth) { os_ << '\n', os_.indent(2 * depth); }
  llvm::raw_ostream &key(llvm::StringRef name) {
    os_ << members_.next();
    newline(depth_);
    return quoted(name) << ": ";
  }
  llvm::raw_ostream &quoted(llvm::StringRef text) { return writeJsonString(os_, text), os_; }
  /// Writes a member, unless it is empty.
  void optionalText(Separator &separator, llvm::StringRef name, llvm::StringRef text) {
    if (text.empty())
      return;
    os_ << separator.next() << '"' << name << "\": ";
    quoted(text);
  }
  void writeName() {
    key("name");
    quoted(graph_.name());
  }

  // --- What surrounds the nodes --------------------------------------------------------------------------------------

  void writeGroups(const GroupTable &groups) {
    if (groups.empty())
      return;
    key("groups") << '{';
    Separator separator(",");
    for (const Group &group : groups.groups()) {
      os_ << separator.next();
      newline(depth_ + 1);
      quoted(group.name) << ": ";
      writeJsonGroup(os_, group);
    }
    newline(depth_);
    os_ << '}';
  }

  void quotedMember(Separator &separator, llvm::StringRef name, llvm::StringRef text) {
    os_ << separator.next();
    quoted(name) << ": " << text;
  }

  void writeSymbols(llvm::ArrayRef<std::pair<Identifier, int64_t>> hints) {
    if (hints.empty())
      return;
    key("symbols") << '{';
    Separator separator;
    for (const auto &[symbol, hint] : hints) {
      os_ << separator.next();
      quoted(symbol.str()) << ": " << hint;
    }
    os_ << '}';
  }

  /// Writes all frames except the empty one, which every graph has at index 0 and no file lists.
  void writeFrames() {
    auto frames = graph_.frames().drop_front();
    if (frames.empty())
      return;
    key("frames") << '[';
    Separator separator(",");
    for (const Frame &frame : frames) {
      os_ << separator.next();
      newline(depth_ + 1);
      writeFrame(frame);
    }
    newline(depth_);
    os_ << ']';
  }

  void writeFrame(const Frame &frame) {
    os_ << '{';
    Separator separator;
    optionalText(separator, "file", frame.file.str());
    if (frame.line)
      os_ << separator.next() << "\"line\": " << frame.line;
    optionalText(separator, "function", frame.function.str());
    optionalText(separator, "code", frame.code.str());
    optionalText(separator, "annotation", frame.annotation.str());
    optionalText(separator, "prefix", frame.prefix.str());
    if (frame.attributes)
      os_ << separator.next() << frame.attributes.str();
    os_ << '}';
  }

  /// The own name of a subgraph is written only where it differs from its key.
  void writeSubgraphs() {
    if (graph_.subgraphs().empty())
      return;
    key("subgraphs") << '{';
    Separator separator(",");
    for (const auto &[name, subgraph] : graph_.subgraphs()) {
      os_ << separator.next();
      newline(depth_ + 1);
      quoted(name.str()) << ": ";
      GraphWriter(os_, types_, *subgraph, depth_ + 2).writeSubgraph(name.str());
    }
    newline(depth_);
    os_ << '}';
  }

  // --- Nodes ---------------------------------------------------------------------------------------------------------

  void writeNodes() {
    key("nodes") << '[';
    Separator separator(",");
    for (const Node *node : graph_) {
      os_ << separator.next();
      newline(depth_ + 1);
      writeNode(*node);
    }
    newline(depth_);
    os_ << ']';
  }

  void writeNode(const Node &node) {
    os_ << "{\"name\": ";
    quoted(node.name().str()) << ", \"op\": \"" << opcodeName(node.opcode()) << "\", \"target\": ";
    quoted(node.target().str());
    auto operand = [&](uint32_t index) { writeReference(*node.operand(index)); };
    bool takesArguments = node.opcode() == Opcode::CallFunction || node.opcode() == Opcode::Output;
    if (takesArguments || !node.args().empty()) {
      os_ << ", \"args\": ";
      writeJsonArguments(os_, node.args(), operand);
    }
    if (!node.kwargs().empty()) {
      os_ << ", \"kwargs\": ";
      writeJsonNamed(os_, node.kwargs(), operand);
    }
    writeOrdering(node);
    if (node.type())
      os_ << ", \"type\": " << types_.json(node.type());
    writeMeta(node);
    os_ << '}';
  }

  void writeReference(const Node &node) {
    os_ << "\"%";
    writeJsonStringBody(os_, node.name().str());
    os_ << '"';
  }

  void writeOrdering(const Node &node) {
    if (node.numOrdering() == 0)
      return;
    os_ << ", \"after\": [";
    Separator separator;
    for (unsigned i = 0; i < node.numOrdering(); ++i) {
      os_ << separator.next();
      writeReference(*node.ordering(i));
    }
    os_ << ']';
  }

  void writeMeta(const Node &node) {
    const Provenance &provenance = node.provenance();
    bool foreign = llvm::any_of(provenance.attributes, [](const auto &a) { return metaKey(a).has_value(); });
    if (node.frame() || !provenance.origins.empty() || provenance.durationPs >= 0 || foreign)
      writeMetaObject(node, provenance);
    for (const NamedArgument &attribute : provenance.attributes)
      if (!metaKey(attribute)) {
        os_ << ", ";
        quoted(unescapePointerStep(attribute.name.str().drop_front())) << ": " << attribute.value.text();
      }
  }

  void writeMetaObject(const Node &node, const Provenance &provenance) {
    os_ << ", \"meta\": {";
    Separator separator;
    if (node.frame())
      // Files count frames from 0, and have no empty one.
      os_ << separator.next() << "\"frame\": " << node.frame() - 1;
    if (!provenance.origins.empty())
      writeOrigins(separator, provenance.origins);
    if (provenance.durationPs >= 0)
      os_ << separator.next() << "\"duration_ps\": " << provenance.durationPs;
    for (const NamedArgument &attribute : provenance.attributes)
      if (auto name = metaKey(attribute))
        quotedMember(separator, *name, attribute.value.text());
    os_ << '}';
  }

  void writeOrigins(Separator &separator, llvm::ArrayRef<Identifier> origins) {
    os_ << separator.next() << "\"origins\": [";
    Separator between;
    for (Identifier origin : origins) {
      os_ << between.next();
      quoted(origin.str());
    }
    os_ << ']';
  }

  /// Returns the key within meta of a foreign attribute; nothing for a key of the node itself.
  static std::optional<std::string> metaKey(const NamedArgument &attribute) {
    llvm::StringRef name = attribute.name.str();
    if (!name.startswith("/"))
      return name.str();
    if (name.consume_front("/meta/"))
      return unescapePointerStep(name);
    return std::nullopt;
  }

  llvm::raw_ostream &os_;
  TypeTexts &types_;
  const Graph &graph_;
  unsigned depth_;
  Separator members_ = Separator(",");
};

} // namespace

namespace {

/// A name that the reader would refuse.
Diagnostic unreadable(llvm::StringRef where, const BadName &bad) {
  Diagnostic diagnostic;
  diagnostic.where = where.str();
  diagnostic.message = ("JSON cannot hold the " + bad.role + " '" + visibleText(bad.got) + "', expected " +
                        bad.expected + ": the file would be refused when it is read")
                           .str();
  diagnostic.notes.push_back("give it another name where the graph is made");
  return diagnostic;
}

Diagnostic callOfPython(const Node &node) {
  return diagnose(node, "",
                  "JSON cannot hold a call of '" + node.target().str().str() + "': who reads the file would run it",
                  "write FX text (-o FILE.py), or trace the program down to operators");
}

llvm::Error checkNodes(const Graph &graph) {
  GraphNames names;
  AcceptedNames functions(isFunctionOfGraphs);
  for (const Node *node : graph) {
    if (std::optional<BadName> bad = names.findBad(*node))
      return makeError(unreadable(visibleText(node->name().str()), *bad));
    if (node->opcode() == Opcode::CallFunction && !functions.accepts(node->target()))
      return makeError(callOfPython(*node));
  }
  return llvm::Error::success();
}

} // namespace

llvm::Error checkJsonReadsBack(const Graph &graph) {
  llvm::StringRef name = graph.name();
  if (!isOneLine(name))
    return makeError(unreadable("graph", {"name", name, "one line without control characters"}));
  if (llvm::Error error = checkNodes(graph))
    return error;
  for (const auto &[key, subgraph] : graph.subgraphs()) {
    if (!isIdentifier(key.str()))
      return makeError(unreadable("graph", {"name of a subgraph", key.str(), "an identifier of Python"}));
    if (llvm::Error error = checkJsonReadsBack(*subgraph))
      return error;
  }
  return llvm::Error::success();
}

void writeJsonGraph(llvm::raw_ostream &os, const Graph &graph) {
  TypeTexts types;
  GraphWriter(os, types, graph, 1).writeFile();
}

llvm::Error writeCheckedJsonGraph(llvm::raw_ostream &os, const Graph &graph) {
  if (llvm::Error error = checkJsonReadsBack(graph))
    return error;
  writeJsonGraph(os, graph);
  return llvm::Error::success();
}

} // namespace ccgraph

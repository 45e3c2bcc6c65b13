#include "json/graph_scope.h"

#include "json/json_text.h"

namespace ccgraph {

// A reference that names no earlier node has one of three causes: the node comes later, does not exist, or is the node
// that is being read. Only the end of the graph (finish) shows which one, and so which advice is right.
Node *GraphScope::resolve(const JsonValue &reference, llvm::StringRef user) {
  llvm::StringRef name = reference.text.drop_front();
  if (Node *node = graph.find(name))
    return node;
  if (!rejected.contains(name))
    unresolved.push_back({user.str(), name.str(), reference.offset});
  return nullptr;
}

namespace {

/// The names of later nodes that a node mentions.
using LaterNames = llvm::StringMap<std::vector<std::string>>;

/// Returns true if the node `from` reads the node `to`, directly or through other nodes: operands lead to earlier
/// nodes, and `later` to later ones. Cost: linear in the graph.
bool reads(const Graph &graph, const LaterNames &later, const std::string &from, const std::string &to) {
  llvm::StringSet<> seen;
  std::vector<std::string> pending;
  auto visit = [&](const std::string &name) {
    if (seen.insert(name).second)
      pending.push_back(name);
  };
  visit(from);
  while (!pending.empty() && !seen.contains(to)) {
    std::string name = std::move(pending.back());
    pending.pop_back();
    if (const Node *node = graph.find(name))
      for (const Use &use : node->operandUses())
        visit(use.def()->name().str().str());
    if (auto found = later.find(name); found != later.end())
      llvm::for_each(found->second, visit);
  }
  return seen.contains(to);
}

LaterNames laterNames(const std::vector<UnresolvedReference> &references) {
  LaterNames later;
  for (const UnresolvedReference &reference : references)
    later[reference.user].push_back(reference.name);
  return later;
}

std::string repairOfOrder(const Graph &graph, const LaterNames &later, const UnresolvedReference &reference) {
  if (reads(graph, later, reference.name, reference.user))
    return "'" + reference.name + "' reads '" + reference.user +
           "', so no order has both before their uses: remove one of these references";
  return "nodes are listed in program order: move '" + reference.name + "' before '" + reference.user + "'";
}

} // namespace

// For  {"nodes": [a(%b), b(%c), d(%d)]}  the errors are: a mentions b, which comes after it; b mentions c, which does
// not exist; d mentions itself. A rejected node has an error of its own, so it is not reported as missing.
void GraphScope::finish() {
  const LaterNames later = laterNames(unresolved);
  for (const UnresolvedReference &reference : unresolved) {
    std::string name = "'" + reference.name + "'";
    if (rejected.contains(reference.name))
      continue;
    if (reference.name == reference.user)
      report.error(reference.offset, "node " + name + " mentions itself");
    else if (graph.find(reference.name))
      report.error(reference.offset,
                   "node '" + reference.user + "' mentions node " + name + ", which is defined after it",
                   report.isFull() ? "" : repairOfOrder(graph, later, reference));
    else
      report.error(reference.offset, "node '" + reference.user + "' mentions node " + name + ", which does not exist",
                   "text is written {\"str\": ...}; \"%\" is for the names of earlier nodes");
  }
  unresolved.clear();
}

namespace {

/// Returns the identifier that a frame's member sets; null for a foreign key.
Identifier *memberOf(Frame &frame, llvm::StringRef key) {
  if (key == "file")
    return &frame.file;
  if (key == "function")
    return &frame.function;
  if (key == "code")
    return &frame.code;
  if (key == "annotation")
    return &frame.annotation;
  return key == "prefix" ? &frame.prefix : nullptr;
}

void appendForeign(std::string &out, llvm::StringRef text, const JsonValue &member) {
  llvm::raw_string_ostream os(out);
  os << (out.empty() ? "" : ", ");
  writeJsonString(os, member.key);
  os << ": " << canonicalJson(text, member);
}

} // namespace

// A frame has no field for unknown members. They are joined into one text, "a": 1, "b": [2], which the writer puts
// unchanged at the end of the frame.
void GraphScope::addFrame(const JsonValue &value) {
  Frame frame;
  std::string foreign;
  if (!value.is(JsonKind::Object))
    report.expected(value, "a frame: an object with file, line, function, code");
  for (const JsonValue &member : value.elements()) {
    if (member.key == "line")
      frame.line = report.integer(member, "a line number").value_or(0);
    else if (Identifier *text = memberOf(frame, member.key))
      *text = graph.context().identifier(report.string(member, "a string").value_or(""));
    else
      appendForeign(foreign, report.source().text, member);
  }
  if (!foreign.empty())
    frame.attributes = graph.context().identifier(foreign);
  frames.push_back(graph.addFrame(frame));
}

uint32_t GraphScope::frame(const JsonValue &index) {
  if (index.is(JsonKind::Integer) && index.integer >= 0 && static_cast<uint64_t>(index.integer) < frames.size())
    return frames[static_cast<size_t>(index.integer)];
  report.expected(index, "an index into 'frames', which has " + llvm::Twine(frames.size()) + " entries",
                  "'frames' must be before 'nodes'");
  return 0;
}

} // namespace ccgraph

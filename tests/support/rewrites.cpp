#include "support/rewrites.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <set>

namespace ccgraph::test {

Node *makeCall(Node *position, llvm::StringRef name, llvm::StringRef target, std::vector<Actual> arguments,
               llvm::StringRef type) {
  Graph &graph = *position->graph();
  Node *node = GraphBuilder(graph, position).call({.target = target, .args = std::move(arguments), .name = name});
  graph.setType(node, type.empty() ? nullptr : llvm::cantFail(parseType(graph.context(), type)));
  return node;
}

void setCall(Node *node, const std::vector<Actual> &arguments) {
  ArgumentBuilder builder(*node->graph());
  std::vector<Argument> built;
  for (const Actual &argument : arguments)
    built.push_back(argument.build(builder));
  node->graph()->setArguments(node, std::move(builder), {built, {}});
}

std::vector<std::string> refusals(const GraphSnapshot &before, const Graph &after, const Certificate &certificate,
                                  const LegalityOptions &options) {
  std::set<std::string> rules;
  llvm::handleAllErrors(checkLegality(before, after, certificate, options), [&](const DiagnosticError &error) {
    for (const Diagnostic &diagnostic : error.diagnostics())
      if (!diagnostic.rule.empty()) // the line that counts further findings has none
        rules.insert(llvm::StringRef(diagnostic.rule).split('.').second.str());
  });
  return {rules.begin(), rules.end()};
}

namespace {

/// Indents the lines of a raw string so that the first one begins at `column`.
std::string indented(llvm::StringRef lines, size_t column) {
  llvm::SmallVector<llvm::StringRef, 16> split;
  lines.split(split, '\n', -1, false);
  std::string text;
  size_t first = split.empty() ? 0 : split[0].size() - split[0].ltrim().size();
  for (llvm::StringRef line : split) {
    size_t own = line.size() - line.ltrim().size();
    text += std::string(column + (own > first ? own - first : 0), ' ') + line.trim().str() + "\n";
  }
  return text;
}

} // namespace

void RewriteBench::load(llvm::StringRef inputs, llvm::StringRef lines, llvm::StringRef subgraphs) {
  std::string text = ("class GraphModule(torch.nn.Module):\n    def forward(self, " + inputs + "):\n").str();
  text += indented(lines, 8) + indented(subgraphs, 4);
  auto read = readFxText(context_, {"test.py", text});
  if (!read)
    llvm::report_fatal_error(llvm::StringRef(llvm::toString(read.takeError()) + text));
  graphs_ = std::move(*read);
  snapshot();
}

Node *RewriteBench::operator[](llvm::StringRef name) {
  Node *node = graph().find(name);
  if (!node)
    llvm::report_fatal_error("no node is named " + name);
  return node;
}

void RewriteBench::replaceByPieces(const std::vector<std::string> &matched, const std::vector<Node *> &values,
                                   const std::vector<Node *> &made) {
  RuleEntry entry{"equal-pieces", {}, values};
  for (const std::string &name : matched)
    entry.matched.push_back((*this)[name]);
  for (Node *node : made)
    if (!llvm::is_contained(values, node))
      entry.built.push_back(node);
  for (size_t i = 0; i < values.size(); ++i)
    graph().replaceAllUses(entry.matched[i], values[i]);
  std::vector<Node *> readersFirst = entry.matched;
  llvm::sort(readersFirst, [](const Node *a, const Node *b) { return b->isBefore(a); });
  for (Node *node : readersFirst)
    graph().erase(node);
  certificate.rules.push_back(std::move(entry));
}

std::string RewriteBench::verdict(LegalityOptions options) {
  options.reordersCollectives = reordersCollectives;
  return llvm::join(refusals(*before_, graph(), certificate, options), " ");
}

std::string RewriteBench::text(LegalityOptions options) {
  options.reordersCollectives = reordersCollectives;
  return llvm::toString(checkLegality(*before_, graph(), certificate, options));
}

} // namespace ccgraph::test

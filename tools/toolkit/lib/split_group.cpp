#include "ccgraph/toolkit/split_group.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/diagnostic.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph {

namespace {

/// Returns the argument with the name of a call's group; null if the call has none, or states the group in another way.
const Argument *groupName(const Node &node) {
  if (!node.op() || !node.op()->collective)
    return nullptr;
  const Argument *group = argumentAt(node, node.op()->collective->group);
  return group && group->is(Argument::Kind::String) ? group : nullptr;
}

llvm::StringRef kindOf(const Node &node) { return collectiveName(node.op()->collective->kind); }

void rename(Graph &graph, Node *node, const Argument *group, llvm::StringRef name) {
  ArgumentBuilder builder(graph);
  auto copy = [&](const Argument &argument) {
    return &argument == group ? builder.string(name)
                              : builder.copy(argument, [&](uint32_t index) { return node->operand(index); });
  };
  std::vector<Argument> positional;
  for (const Argument &argument : node->arguments().positional)
    positional.push_back(copy(argument));
  std::vector<NamedArgument> keyword;
  for (const NamedArgument &argument : node->arguments().keyword)
    keyword.push_back({argument.name, copy(argument.value)});
  graph.setArguments(node, std::move(builder), {positional, keyword});
}

/// Returns the kinds by group, in the order of the program, for this graph without its subgraphs.
llvm::MapVector<llvm::StringRef, llvm::SetVector<llvm::StringRef>> kindsByGroup(const Graph &graph) {
  llvm::MapVector<llvm::StringRef, llvm::SetVector<llvm::StringRef>> kinds;
  for (const Node *node : graph)
    if (const Argument *group = groupName(*node))
      kinds[group->text()].insert(kindOf(*node));
  return kinds;
}

llvm::Error nothingToSplit(const Graph &graph, const GroupSplit &split) {
  std::vector<std::string> there;
  for (const auto &[group, kinds] : kindsByGroup(graph))
    for (llvm::StringRef kind : kinds)
      there.push_back((group + ":" + kind).str());
  Diagnostic error = diagnose("options.split-group", "no " + split.kind + " names group '" + split.group + "'",
                              there.empty() ? "no collective names its group" : "there are " + llvm::join(there, ", "));
  error.where = graph.name().str();
  return makeError({std::move(error)});
}

} // namespace

llvm::Expected<GroupSplit> parseGroupSplit(llvm::StringRef text) {
  auto [group, kind] = text.rsplit(':');
  if (group.empty() || kind.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "got '" + text + "', expected GROUP:KIND such as 0:all_gather");
  return GroupSplit{group.str(), kind.str()};
}

llvm::Error splitGroup(Graph &graph, const GroupSplit &split) {
  bool found = false;
  for (Node *node : graph.nodes()) {
    const Argument *group = groupName(*node);
    if (!group || group->text() != split.group || kindOf(*node) != split.kind)
      continue;
    rename(graph, node, group, split.name());
    found = true;
  }
  if (!found)
    return nothingToSplit(graph, split);
  if (const Group *known = graph.groups().find(split.group)) {
    Group made = *known;
    made.name = split.name();
    graph.groups().set(std::move(made));
  }
  return llvm::Error::success();
}

std::vector<GroupSplit> possibleSplits(const Graph &graph) {
  std::vector<GroupSplit> splits;
  for (const auto &[group, kinds] : kindsByGroup(graph))
    if (kinds.size() > 1)
      for (llvm::StringRef kind : kinds.getArrayRef().take_front(kinds.size() == 2 ? 1 : kinds.size()))
        splits.push_back({group.str(), kind.str()});
  return splits;
}

} // namespace ccgraph

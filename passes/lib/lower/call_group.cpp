#include "lower/call_group.h"

#include "ccgraph/ir/dims.h"

namespace ccgraph::lower {
namespace {

llvm::Expected<Group> groupNamed(const Emitter &emitter, const Node &node, llvm::StringRef name) {
  if (const Group *group = emitter.graph().groups().find(name))
    return *group;
  return loweringError(node, "lower.group", "the members of group '" + name + "' are not known",
                       "give the ranks of each group with --groups FILE");
}

/// Of an object that the program holds: told by the table, by what a file says of it, or the only group there is.
llvm::Expected<Group> groupOfObject(const Emitter &emitter, const Node &node, llvm::StringRef object) {
  const GroupTable &table = emitter.graph().groups();
  auto meaning = emitter.objects().find(object.str());
  if (table.find(object))
    return groupNamed(emitter, node, object);
  if (meaning != emitter.objects().end() && !meaning->second.group.empty())
    return groupNamed(emitter, node, meaning->second.group);
  if (table.groups().size() == 1)
    return table.groups().front();
  return loweringError(node, "lower.group", "which group the object `" + object + "` is, is not known",
                       "say it in the file of --groups: {\"constants\": {\"" + object + "\": {\"group\": NAME}}}");
}

llvm::Expected<Group> listedGroup(const Node &node, const Argument &list) {
  Group listed;
  for (const Argument &rank : list.elements()) {
    if (!rank.is(Argument::Kind::Int))
      return loweringError(node, "lower.group", "its list of ranks holds something else than numbers", "list ranks");
    listed.ranks.push_back(rank.integer());
  }
  listed.name = "ranks " + dimsText(listed.ranks);
  return listed;
}

llvm::Expected<Group> groupOf(const Emitter &emitter, const Node &node, const Argument &argument) {
  if (argument.is(Argument::Kind::String))
    return groupNamed(emitter, node, argument.text());
  if (argument.isSequence())
    return listedGroup(node, argument);
  LoweredValue value = emitter.valueOf(node, argument);
  if (value.kind == LoweredValue::Kind::Object)
    return groupOfObject(emitter, node, value.object.str());
  return loweringError(node, "lower.group",
                       "its group is a value that the program computes, not a name or a list of ranks",
                       "give its name, or the list of its ranks");
}

} // namespace

llvm::Expected<CallGroup> groupOfCall(Emitter &emitter, const Node &node) {
  const Argument *argument = argumentAt(node, node.op()->collective->group);
  if (!argument)
    return loweringError(node, "lower.group", "names no group", "give the group's name");
  llvm::Expected<Group> group = groupOf(emitter, node, *argument);
  if (!group)
    return group.takeError();
  std::optional<int64_t> size = group->size();
  if (!size)
    return loweringError(node, "lower.group",
                         "the members of group '" + group->name + "' are not known, or differ in number",
                         "give the ranks of each group with --groups FILE");
  return CallGroup{emitter.groupIndex(*group), *size};
}

} // namespace ccgraph::lower

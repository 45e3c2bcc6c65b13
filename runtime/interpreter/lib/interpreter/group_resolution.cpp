#include "interpreter/launch_request.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace ccgraph::runtime {
namespace {

using llvm::Twine;

std::string namesOf(const GroupTable &table) {
  llvm::SmallVector<std::string, 4> names;
  for (const Group &group : table.groups())
    names.push_back("'" + group.name + "'");
  return names.empty() ? "the group table is empty" : "the group table has " + llvm::join(names, ", ");
}

llvm::Expected<Members> membersOf(const CallSite &site, llvm::StringRef name, const GroupTable &table) {
  const Group *group = table.find(name);
  if (group == nullptr)
    return site.error((Twine("group '") + name + "' has no ranks: " + namesOf(table)).str(),
                      "give the ranks of each group with --groups FILE");
  return group->members(site.rank).vec();
}

/// A process group that a program holds as an object: told by the table, by the object's meaning, or the only one there
/// is.
llvm::Expected<Members> membersOfObject(const CallSite &site, const std::string &object, const Graph &program,
                                        const ObjectMeanings &objects) {
  const GroupTable &table = program.groups();
  auto meaning = objects.find(object);
  if (table.find(object))
    return membersOf(site, object, table);
  if (meaning != objects.end() && !meaning->second.group.empty())
    return membersOf(site, meaning->second.group, table);
  if (table.groups().size() == 1)
    return membersOf(site, table.groups().front().name, table);
  return site.error("the group is the object `" + object + "`, and " + namesOf(table),
                    "say which group it is: {\"constants\": {\"" + object +
                        "\": {\"group\": NAME}}} in the file of --groups");
}

/// A call may say its group by name ("tp"), by ranks ([0, 1]), or by an object that only the original process had. Of
/// such an object the graph holds only the attribute's name, so a file has to say which group it was.
llvm::Expected<Members> anyMembers(const CallSite &site, const Value &value, const Graph &program,
                                   const ObjectMeanings &objects) {
  if (value.is(Value::Kind::String))
    return membersOf(site, value.string(), program.groups());
  if (value.is(Value::Kind::Opaque))
    return membersOfObject(site, value.opaque().text, program, objects);
  if (!value.is(Value::Kind::List))
    return site.error("group: got " + value.describe() + ", expected a name, a list of ranks or a process group");
  Members ranks;
  for (const Value &element : value.list()) {
    if (!element.is(Value::Kind::Int))
      return site.error("group: got " + element.describe() + ", expected a rank");
    ranks.push_back(element.integer());
  }
  return ranks;
}

} // namespace

llvm::Expected<Members> resolveGroup(const CallSite &site, const Value &value, const Graph &program,
                                     const ObjectMeanings &objects) {
  llvm::Expected<Members> members = anyMembers(site, value, program, objects);
  if (!members)
    return members;
  if (!llvm::is_contained(*members, site.rank))
    return site.error("is not a member of the group that it communicates on, " + dimsText(*members),
                      "a rank may only launch on groups that hold it");
  return members;
}

} // namespace ccgraph::runtime

#include "ccgraph/ir/group_id.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <unordered_set>

namespace ccgraph {
namespace {

using Cells = std::vector<std::vector<int64_t>>;

/// Prints the expression that computes a value such that equal texts are equal values. An uncertain part is printed as
/// the node itself. Two calls mesh_get_process_group(mesh, 0), one of them with dim = 0 by name, have one text,
/// "_dtensor.mesh_get_process_group.default(mesh, dim = 0)", and so one group, although they are two nodes.
class Expression {
public:
  [[nodiscard]] static std::string of(const Node &node) {
    Expression expression;
    expression.print(node);
    if (expression.steps_ > mostSteps)
      return node.name().str().str();
    return expression.os_.str();
  }

private:
  // The text of a chain of calls that share operands doubles with each call, so it has a limit.
  static constexpr unsigned mostSteps = 256;

  void print(const Node &node) {
    if (++steps_ > mostSteps)
      return;
    if (node.opcode() == Opcode::GetAttr)
      os_ << "self." << node.target().str();
    else if (repeats(node))
      printCall(node);
    else
      os_ << node.name().str();
  }

  static bool isTensors(const Node &node) { return node.type() && (node.type()->isTensor() || node.type()->isList()); }

  /// Returns true if the same call with equal arguments returns the same value. False for tensors: they may be written
  /// in between.
  static bool repeats(const Node &node) {
    const OpDef *op = node.op();
    if (!op || op->opaque || op->domain != Domain::None || op->keepAlways || isTensors(node))
      return false;
    return llvm::none_of(node.operandUses(), [](const Use &use) { return use.isOrdering() || isTensors(*use.def()); });
  }

  /// Prints arguments by parameter, so that keyword and position give one text.
  void printCall(const Node &node) {
    const OpDef &op = *node.op();
    os_ << node.target().str() << '(';
    const char *separator = "";
    for (int i = 0; i < static_cast<int>(op.params.size()); ++i)
      if (const Argument *argument = argumentAt(node, i)) {
        os_ << std::exchange(separator, ", ");
        if (argument->is(Argument::Kind::Operand))
          print(*node.operand(*argument));
        else
          printNamed(node, op.params[i].name, *argument);
      }
    for (size_t i = op.params.size(); i < node.args().size(); ++i) {
      os_ << std::exchange(separator, ", ");
      printArgument(node, node.args()[i]);
    }
    for (const NamedArgument &argument : node.kwargs())
      if (op.paramIndex(argument.name.str()) < 0) {
        os_ << std::exchange(separator, ", ");
        printNamed(node, argument.name.str(), argument.value);
      }
    os_ << ')';
  }

  void printNamed(const Node &node, llvm::StringRef name, const Argument &argument) {
    os_ << name << " = ";
    printArgument(node, argument);
  }

  void printArgument(const Node &node, const Argument &argument) {
    switch (argument.kind()) {
    case Argument::Kind::None:
      os_ << "None";
      return;
    case Argument::Kind::Bool:
      os_ << (argument.boolean() ? "True" : "False");
      return;
    case Argument::Kind::Int:
      os_ << argument.integer();
      return;
    case Argument::Kind::Float:
      os_ << llvm::format("%a", argument.floating());
      return;
    case Argument::Kind::String:
      printQuoted(argument.text());
      return;
    case Argument::Kind::Symbolic:
      os_ << argument.symbolic()->text();
      return;
    case Argument::Kind::DType:
      os_ << shortName(argument.dtype());
      return;
    case Argument::Kind::Device:
      os_ << argument.device().kind.str() << ':' << argument.device().index;
      return;
    case Argument::Kind::Layout:
    case Argument::Kind::MemoryFormat:
      os_ << "torch." << argument.text();
      return;
    case Argument::Kind::Operand:
      print(*node.operand(argument));
      return;
    case Argument::Kind::List:
    case Argument::Kind::Tuple:
    case Argument::Kind::Slice:
      printSequence(node, argument);
      return;
    case Argument::Kind::Dict:
      printDict(node, argument);
      return;
    case Argument::Kind::Python:
      // Its value is unknown and may differ at each place.
      os_ << argument.text() << " of " << node.name().str();
      return;
    }
  }

  void printQuoted(llvm::StringRef text) {
    os_ << '\'';
    llvm::printEscapedString(text, os_);
    os_ << '\'';
  }

  void printSequence(const Node &node, const Argument &sequence) {
    os_ << (sequence.is(Argument::Kind::List) ? "[" : sequence.is(Argument::Kind::Tuple) ? "(" : "slice(");
    const char *separator = "";
    for (const Argument &element : sequence.elements()) {
      os_ << std::exchange(separator, ", ");
      printArgument(node, element);
    }
    os_ << (sequence.is(Argument::Kind::List) ? ']' : ')');
  }

  void printDict(const Node &node, const Argument &dict) {
    os_ << '{';
    for (const NamedArgument &entry : dict.entries()) {
      printQuoted(entry.name.str());
      os_ << ": ";
      printArgument(node, entry.value);
      os_ << ", ";
    }
    os_ << '}';
  }

  std::string text_;
  llvm::raw_string_ostream os_{text_};
  unsigned steps_ = 0;
};

GroupId ofValue(const Node &value) {
  if (value.opcode() == Opcode::GetAttr && value.graph()->groups().find(value.target().str()))
    return {GroupId::Kind::Name, value.target().str().str(), {}};
  return {GroupId::Kind::Value, Expression::of(value), {}};
}

// A collective inside a control_deps reads its group from a placeholder of the body. For
//   control_deps((p,), body, x, pg)        with the body  (a, b): all_reduce(a, "sum", b)
// the group is the node's argument for b: argument 2 of control_deps is the first placeholder, argument 3 the second.

/// Returns the argument of a control_deps for a placeholder of its body; null for a value that the body computes.
const Argument *actualOf(const Node &wrapper, const Node &placeholder) {
  if (placeholder.opcode() != Opcode::Placeholder)
    return nullptr;
  size_t position = 2;
  for (const Node *node = placeholder.graph()->front(); node && node != &placeholder; node = node->next())
    position += node->opcode() == Opcode::Placeholder;
  return position < wrapper.args().size() ? &wrapper.args()[position] : nullptr;
}

std::optional<std::vector<int64_t>> ranksOf(const Argument &argument) {
  if (!argument.isSequence() || argument.elements().empty())
    return std::nullopt;
  std::vector<int64_t> ranks;
  for (const Argument &element : argument.elements()) {
    if (!element.is(Argument::Kind::Int))
      return std::nullopt;
    ranks.push_back(element.integer());
  }
  return ranks;
}

/// Ranks alone do not identify a group: the same ranks with another tag are another group.
GroupId ofRanks(const Node &call, std::vector<int64_t> ranks) {
  const CollectiveSpec &spec = *collectiveOf(call);
  const Argument *tag = spec.legacy ? argumentAt(call, spec.group - 1) : nullptr;
  if (tag && !tag->is(Argument::Kind::String))
    return {};
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "ranks [";
  llvm::interleaveComma(ranks, os);
  os << ']';
  if (tag && !tag->text().empty())
    os << " tagged " << visibleText(tag->text());
  return {GroupId::Kind::Ranks, os.str(), std::move(ranks)};
}

GroupId readGroup(const Node &node, const Node &call) {
  const Argument *group = argumentAt(call, collectiveOf(call)->group);
  if (group && &node != &call && group->is(Argument::Kind::Operand))
    group = actualOf(node, *call.operand(*group));
  if (!group)
    return {};
  if (group->is(Argument::Kind::String))
    return {GroupId::Kind::Name, visibleText(group->text()), {}}; // the text is printed in tables
  if (group->is(Argument::Kind::Operand))
    return ofValue(*node.operand(*group));
  if (std::optional<std::vector<int64_t>> ranks = ranksOf(*group))
    return ofRanks(call, std::move(*ranks));
  return {};
}

bool shareTwo(const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
  std::unordered_set<int64_t> members(a.begin(), a.end());
  return llvm::count_if(b, [&](int64_t rank) { return members.count(rank) != 0; }) >= 2;
}

bool isVague(const GroupId &id) { return id.kind == GroupId::Kind::Unknown || id.kind == GroupId::Kind::Value; }

bool isKnownByPlace(const Group &group) {
  return llvm::any_of(group.attributes, [](const auto &attribute) { return attribute.first == knownByPlace; });
}

/// Returns the members that a file or the call states; assumed members prove nothing.
Cells statedMembers(const GroupTable &table, const GroupId &id) {
  const Group *group = id.kind == GroupId::Kind::Name ? table.find(id.text) : nullptr;
  return group && group->assumed ? Cells() : possibleMembers(table, id);
}

} // namespace

GroupId groupIdOf(const Node &node) {
  const Node *call = wrappedCall(node);
  GroupId id = call && collectiveOf(*call) ? readGroup(node, *call) : GroupId{};
  if (id.kind == GroupId::Kind::Unknown)
    id.text = "unknown of " + node.name().str().str();
  return id;
}

Cells possibleMembers(const GroupTable &table, const GroupId &id) {
  if (id.kind == GroupId::Kind::Ranks)
    return {id.ranks};
  const Group *group = id.kind == GroupId::Kind::Name ? table.find(id.text) : nullptr;
  if (!group)
    return {};
  if (!group->partition.empty())
    return group->partition;
  return group->ranks.empty() ? Cells() : Cells{group->ranks};
}

// The table of rank 0 may contain [0] where those of ranks 1 and 2 contain [1, 2]. Rank 0 cannot see the other tables,
// so it does not decide by the one rank of its own list.
Cells sharedMembers(const GroupTable &table, const GroupId &id, std::optional<int64_t> world) {
  if (!world)
    return possibleMembers(table, id);
  if (id.kind == GroupId::Kind::Ranks)
    return static_cast<int64_t>(id.ranks.size()) == *world ? Cells{id.ranks} : Cells();
  const Group *group = id.kind == GroupId::Kind::Name ? table.find(id.text) : nullptr;
  if (!group || group->assumed || isKnownByPlace(*group))
    return {};
  if (!group->partition.empty())
    return group->partition;
  return static_cast<int64_t>(group->ranks.size()) == *world ? Cells{group->ranks} : Cells();
}

// Members decide if a file or the call states them: a group that may be [0, 1] or [2, 3], one cell of a partition, may
// be "tp" with [2, 3]. Assumed members decide nothing.
bool mayBeOneGroup(const GroupTable &table, const GroupId &a, const GroupId &b) {
  if (a == b || isVague(a) || isVague(b))
    return true;
  Cells left = statedMembers(table, a), right = statedMembers(table, b);
  // An undescribed name is a key of the registry, and so another group than any other key.
  if (left.empty() || right.empty())
    return a.kind != b.kind;
  return llvm::any_of(left, [&](const auto &cell) { return llvm::is_contained(right, cell); });
}

// Counts for each list of ranks how many groups may have it, and then looks up each group's lists. With "a" and "b"
// both stated as [0, 1] and "c" as [0, 2], the list [0, 1] has two holders: a and b are open, c is not. An undescribed
// name and a call that gives ranks may be one group as well, so if there is one of each kind, both are open.
std::vector<bool> openGroups(const GroupTable &table, llvm::ArrayRef<GroupId> groups, std::optional<int64_t> world) {
  auto membersOf = [&](const GroupId &id) {
    return id.kind == GroupId::Kind::Name && world ? sharedMembers(table, id, world) : statedMembers(table, id);
  };
  std::map<std::vector<int64_t>, unsigned> holders;
  bool someNameIsBare = false;
  bool someRanks = false;
  for (const GroupId &id : groups) {
    Cells cells = membersOf(id);
    someNameIsBare |= id.kind == GroupId::Kind::Name && cells.empty();
    someRanks |= id.kind == GroupId::Kind::Ranks;
    for (auto &cell : cells)
      ++holders[std::move(cell)];
  }
  std::vector<bool> open;
  for (const GroupId &id : groups) {
    Cells cells = membersOf(id);
    bool met = llvm::any_of(cells, [&](const auto &cell) { return holders[cell] > 1; });
    met |= isVague(id) && groups.size() > 1;
    met |= id.kind == GroupId::Kind::Ranks && someNameIsBare;
    met |= id.kind == GroupId::Kind::Name && cells.empty() && someRanks;
    open.push_back(met);
  }
  return open;
}

bool mayShareRanks(const GroupTable &table, const GroupId &a, const GroupId &b) {
  if (a == b)
    return true;
  Cells left = possibleMembers(table, a), right = possibleMembers(table, b);
  if (left.empty() || right.empty())
    return true;
  return llvm::any_of(
      left, [&](const auto &x) { return llvm::any_of(right, [&](const auto &y) { return shareTwo(x, y); }); });
}

} // namespace ccgraph

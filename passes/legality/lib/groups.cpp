#include "groups.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <cstring>

namespace ccgraph::legality {

namespace {

std::string listed(llvm::ArrayRef<int64_t> ranks) {
  std::string text;
  for (int64_t rank : ranks)
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return "[" + text + "]";
}

/// The key of a value: the expression that computes it, down to inputs, attributes and literals. If another call with
/// the same key might return another value, the key is the node itself.
class ValueKey {
public:
  explicit ValueKey(const Program &program) : program_(program) {}

  std::string of(uint32_t index) {
    std::string key = value(index);
    return left_ > 0 ? key : byNode(index);
  }

private:
  std::string byNode(uint32_t index) const {
    return index == none ? "nothing" : "node " + std::to_string(program_[index].node->id());
  }

  bool isTensor(uint32_t index) const {
    const Type *type = index == none ? nullptr : program_[index].type;
    return type && (type->isTensor() || type->isList());
  }

  /// Returns true if a second such call may return another value. False only if the result depends on nothing but the
  /// arguments.
  bool depends(uint32_t index) const {
    const Step &step = program_[index];
    return !step.op || step.op->opaque || step.op->domain != Domain::None || step.op->keepAlways ||
           step.numOrdering > 0 || isTensor(index) ||
           llvm::any_of(program_.operands(step), [&](uint32_t operand) { return isTensor(operand); });
  }

  // mesh_get_process_group(mesh, 0) at two places has the key "(_dtensor.mesh_get_process_group.default|node 3|2:0)" at
  // both, so both are one group. A call of an unknown operator is equal only to itself.
  std::string value(uint32_t index) {
    if (index == none || left_ == 0 || --left_ == 0)
      return byNode(index);
    const Step &step = program_[index];
    if (step.opcode() == Opcode::GetAttr)
      return "attribute " + step.node->target().str().str();
    if (!step.isCall() || depends(index))
      return byNode(index);
    std::string key = step.op->target.str().str();
    auto known = static_cast<int>(step.op->params.size());
    for (int i = 0; i < known; ++i)
      key += '|' + argument(step, Program::argument(step, i));
    for (const Argument &extra : step.arguments->positional.drop_front(std::min<size_t>(known, positionals(step))))
      key += "|+" + argument(step, &extra);
    for (const NamedArgument &named : step.arguments->keyword)
      if (step.op->paramIndex(named.name.str()) < 0)
        key += '|' + named.name.str().str() + '=' + argument(step, &named.value);
    return "(" + key + ")";
  }

  static size_t positionals(const Step &step) { return step.arguments->positional.size(); }

  static std::string bits(double real) {
    uint64_t word = 0;
    std::memcpy(&word, &real, sizeof word);
    return std::to_string(word);
  }

  std::string argument(const Step &step, const Argument *tree) {
    if (!tree)
      return "default";
    std::string kind = std::to_string(static_cast<int>(tree->kind())) + ":";
    switch (tree->kind()) {
    case Argument::Kind::None:
      return kind;
    case Argument::Kind::Bool:
      return kind + (tree->boolean() ? "1" : "0");
    case Argument::Kind::Int:
      return kind + std::to_string(tree->integer());
    case Argument::Kind::Float:
      return kind + bits(tree->floating());
    case Argument::Kind::Symbolic:
      return kind + tree->symbolic()->text().str();
    case Argument::Kind::DType:
      return kind + std::to_string(static_cast<int>(tree->dtype()));
    case Argument::Kind::Device:
      return kind + tree->device().kind.str().str() + std::to_string(tree->device().index);
    case Argument::Kind::String:
    case Argument::Kind::Layout:
    case Argument::Kind::MemoryFormat:
      return kind + std::to_string(tree->text().size()) + tree->text().str();
    case Argument::Kind::Python:
      return kind + std::to_string(step.node->id());
    case Argument::Kind::Operand:
      return value(program_.operand(step, *tree));
    case Argument::Kind::List:
    case Argument::Kind::Tuple:
    case Argument::Kind::Slice:
      for (const Argument &element : tree->elements())
        kind += argument(step, &element) + ',';
      return kind + ';';
    case Argument::Kind::Dict:
      for (const NamedArgument &entry : tree->entries())
        kind += entry.name.str().str() + '=' + argument(step, &entry.value) + ',';
      return kind + ';';
    }
    return kind;
  }

  const Program &program_;
  unsigned left_ = 256; ///< values that share operands produce keys that double with each call
};

GroupTerm named(const GroupTable &table, llvm::StringRef name) {
  return {GroupTerm::Form::Name, "name " + name.str(), name.str(), table.find(name), {}};
}

GroupTerm ofValue(const Program &program, uint32_t index) {
  const Node &maker = *program[index].node;
  if (maker.opcode() == Opcode::GetAttr && maker.graph()->groups().find(maker.target().str()))
    return named(maker.graph()->groups(), maker.target().str());
  return {GroupTerm::Form::Value, "value " + ValueKey(program).of(index), maker.name().str().str(), nullptr, {}};
}

/// For calls with tag and ranks: both identify the group.
std::optional<GroupTerm> ofRanks(const Argument &list, const Argument *tag) {
  std::vector<int64_t> ranks;
  for (const Argument &element : list.elements()) {
    if (!element.is(Argument::Kind::Int))
      return std::nullopt;
    ranks.push_back(element.integer());
  }
  if (ranks.empty() || (tag && !tag->is(Argument::Kind::String)))
    return std::nullopt;
  std::string text = "ranks " + listed(ranks);
  return GroupTerm{GroupTerm::Form::Ranks, text + (tag ? tag->text().str() : ""), text, nullptr, std::move(ranks)};
}

/// Returns the wrapper's argument for a value of its body; null for a value that the body computes.
const Argument *actual(const Step &wrapper, const Node &formal) {
  size_t number = 2;
  for (const Node *node = formal.graph()->front(); node && node != &formal; node = node->next())
    number += node->opcode() == Opcode::Placeholder;
  bool given = formal.opcode() == Opcode::Placeholder && number < wrapper.arguments->positional.size();
  return given ? &wrapper.arguments->positional[number] : nullptr;
}

} // namespace

std::vector<std::vector<int64_t>> GroupTerm::cells() const {
  if (!ranks.empty())
    return {ranks};
  if (!group || (group->partition.empty() && group->ranks.empty()))
    return {};
  return group->partition.empty() ? std::vector<std::vector<int64_t>>{group->ranks} : group->partition;
}

bool GroupTerm::described() const {
  return !ranks.empty() || (group && !group->assumed && !(group->partition.empty() && group->ranks.empty()));
}

GroupTerm unreadGroup(const Node &node) {
  return {GroupTerm::Form::Unread, "unread " + std::to_string(node.id()), "unknown", nullptr, {}};
}

// A collective in a control_deps names its group inside the body: by a text, which is used unchanged, or by a
// placeholder, for which the wrapper's argument is read.
GroupTerm readGroup(const Program &program, uint32_t index, const Node &call) {
  const Step &step = program[index];
  const CollectiveSpec &spec = *call.op()->collective;
  bool wrapped = step.node != &call;
  auto argument = [&](int at) { return wrapped ? argumentAt(call, at) : Program::argument(step, at); };
  const Argument *group = argument(spec.group);
  if (group && wrapped && group->is(Argument::Kind::Operand))
    group = actual(step, *call.operand(*group));
  if (!group)
    return unreadGroup(*step.node);
  if (group->is(Argument::Kind::String))
    return named(step.node->graph()->groups(), group->text());
  if (group->is(Argument::Kind::Operand) && program.operand(step, *group) != none)
    return ofValue(program, program.operand(step, *group));
  std::optional<GroupTerm> ranks = ofRanks(*group, spec.legacy ? argument(spec.group - 1) : nullptr);
  return ranks ? *ranks : unreadGroup(*step.node);
}

// The limit is two ranks, because one rank alone cannot disagree about the order of two collectives. [0, 1] and [1, 2]
// share only one rank; [0, 1, 2] and [1, 2] share two. A group of unknown members may share any ranks.
bool mayShareRanks(const GroupTerm &a, const GroupTerm &b) {
  auto left = a.cells(), right = b.cells();
  if (a.key == b.key || left.empty() || right.empty())
    return true;
  auto shareTwo = [](llvm::ArrayRef<int64_t> x, llvm::ArrayRef<int64_t> y) {
    return llvm::count_if(x, [&](int64_t rank) { return llvm::is_contained(y, rank); }) >= 2;
  };
  return llvm::any_of(
      left, [&](const auto &x) { return llvm::any_of(right, [&](const auto &y) { return shareTwo(x, y); }); });
}

// Two names for which a file gives the same ranks may be one communicator; so may a list of ranks and an undescribed
// name. Two undescribed names are two keys of PyTorch's registry, and two groups. A name whose list covers only some
// ranks of a known world counts as undescribed. The list is that of one rank, and other ranks may have other lists
// under the same two names.
std::vector<bool> mayBeAnother(llvm::ArrayRef<GroupTerm> terms, std::optional<int64_t> world) {
  using Form = GroupTerm::Form;
  auto isDescribed = [&](const GroupTerm &term) {
    bool ofOneRank = world && term.form == Form::Name && term.group && term.group->partition.empty() &&
                     static_cast<int64_t>(term.group->ranks.size()) != *world;
    return term.described() && !ofOneRank;
  };
  bool someNameIsBare =
      llvm::any_of(terms, [&](const GroupTerm &term) { return term.form == Form::Name && !isDescribed(term); });
  llvm::StringMap<unsigned> holders;
  for (const GroupTerm &term : terms)
    for (const auto &cell : term.cells())
      holders[listed(cell)] += isDescribed(term);
  std::vector<bool> may;
  for (const GroupTerm &term : terms) {
    bool vague = term.form == Form::Unread || term.form == Form::Value || (term.form == Form::Ranks && someNameIsBare);
    bool alias = isDescribed(term) &&
                 llvm::any_of(term.cells(), [&](const auto &cell) { return holders.lookup(listed(cell)) > 1; });
    may.push_back(alias || (vague && terms.size() > 1));
  }
  return may;
}

} // namespace ccgraph::legality

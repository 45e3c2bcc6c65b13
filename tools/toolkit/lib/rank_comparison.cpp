#include "ccgraph/toolkit/rank_comparison.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/group_id.h"
#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>

namespace ccgraph {
namespace {

// --- One program ---------------------------------------------------------------------------------------------------

bool isView(const Node &node) { return node.op() && (node.op()->isView || node.op()->role == OpRole::GetItem); }

/// Returns the value whose storage the view aliases, following views.
const Node *baseOf(const Node *node) {
  while (isView(*node) && node->numOperands() > 0)
    node = node->operand(0);
  return node;
}

class Lines {
public:
  explicit Lines(const Graph &graph) : graph_(graph) {}

  std::vector<std::string> take() {
    findWritten();
    unsigned number = 0;
    for (const Node *node : graph_) {
      numbers_[node] = number++;
      line_.clear();
      print(*node);
      lines_.push_back(line_);
    }
    for (const auto &[name, subgraph] : graph_.subgraphs()) {
      lines_.push_back("subgraph " + std::string(name.str()));
      for (std::string &line : Lines(*subgraph).take())
        lines_.push_back(std::move(line));
    }
    return std::move(lines_);
  }

private:
  /// A wait writes only what its launch writes.
  void findWritten() {
    for (const Node *node : graph_) {
      Effects effects = effectsOf(*node);
      for (size_t i = 0; i < effects.operands.size() && i < node->numOperands(); ++i)
        if (hasAny(effects.operands[i], Access::Write | Access::InFlightWrite | Access::Reshape))
          written_[baseOf(node->operand(i))] = true;
    }
  }

  /// Returns true if passes read numbers and texts among the node's arguments.
  bool readsLiterals(const Node &node) const {
    if (node.opcode() != Opcode::CallFunction || !node.op() || node.op()->opaque)
      return true;
    if (isView(node))
      return written_.count(baseOf(&node)) != 0;
    return node.op()->collective || node.op()->role != OpRole::Compute;
  }

  void print(const Node &node) {
    llvm::raw_string_ostream os(line_);
    if (node.opcode() == Opcode::CallFunction)
      os << node.target().str();
    else if (node.opcode() == Opcode::Placeholder)
      os << "input";
    else
      os << (node.opcode() == Opcode::Output ? "output" : "attribute");
    literals_ = readsLiterals(node);
    group_ = -1;
    if (const CollectiveSpec *spec = collectiveOf(node))
      group_ = spec->group;
    os << '(';
    const char *separator = "";
    for (const Argument &argument : node.args()) {
      os << std::exchange(separator, ", ");
      printTop(os, node, argument);
    }
    for (const NamedArgument &argument : node.kwargs()) {
      os << std::exchange(separator, ", ") << argument.name.str() << " = ";
      printTop(os, node, argument.value);
    }
    os << ')';
    for (const Use &use : node.operandUses())
      if (use.isOrdering())
        os << " after %" << numbers_.lookup(use.def());
    if (node.type())
      os << " : " << withoutIndex(node.type()->str());
  }

  void printTop(llvm::raw_ostream &os, const Node &node, const Argument &argument) {
    if (group_ >= 0 && argumentAt(node, group_) == &argument && !argument.is(Argument::Kind::Operand)) {
      auto [place, isNew] = groups_.try_emplace(groupIdOf(node).text, groups_.size());
      os << "group " << place->second;
      return;
    }
    print(os, node, argument);
  }

  void print(llvm::raw_ostream &os, const Node &node, const Argument &argument) {
    switch (argument.kind()) {
    case Argument::Kind::None:
      os << "None";
      return;
    case Argument::Kind::Bool:
      os << (argument.boolean() ? "True" : "False");
      return;
    case Argument::Kind::Int:
      literals_ ? os << argument.integer() : os << '_';
      return;
    case Argument::Kind::Float:
      literals_ ? os << llvm::format("%a", argument.floating()) : os << '_';
      return;
    case Argument::Kind::String:
    case Argument::Kind::Layout:
    case Argument::Kind::MemoryFormat:
    case Argument::Kind::Python:
      os << '\'' << argument.text() << '\'';
      return;
    case Argument::Kind::Symbolic:
      os << argument.symbolic()->text();
      return;
    case Argument::Kind::DType:
      os << shortName(argument.dtype());
      return;
    case Argument::Kind::Device:
      os << argument.device().kind.str();
      return;
    case Argument::Kind::Operand:
      os << '%' << numbers_.lookup(node.operand(argument));
      return;
    case Argument::Kind::List:
    case Argument::Kind::Tuple:
    case Argument::Kind::Slice:
      os << '[';
      for (const Argument &element : argument.elements()) {
        print(os, node, element);
        os << ' ';
      }
      os << ']';
      return;
    case Argument::Kind::Dict:
      for (const NamedArgument &entry : argument.entries()) {
        os << entry.name.str() << ": ";
        print(os, node, entry.value);
        os << ' ';
      }
      return;
    }
  }

  /// Removes the number of the device from "f32[4][1]cuda:3", since it differs by rank.
  static std::string withoutIndex(llvm::StringRef type) {
    std::string text;
    for (size_t at = 0; at < type.size(); ++at) {
      text += type[at];
      bool device = type[at] == ':' && at > 0 && llvm::isAlpha(type[at - 1]);
      while (device && at + 1 < type.size() && llvm::isDigit(type[at + 1]))
        ++at;
    }
    return text;
  }

  const Graph &graph_;
  llvm::DenseMap<const Node *, unsigned> numbers_;
  llvm::DenseMap<const Node *, bool> written_;
  llvm::StringMap<size_t> groups_; ///< by first appearance
  std::vector<std::string> lines_;
  std::string line_;
  bool literals_ = true;
  int group_ = -1;
};

// --- All programs --------------------------------------------------------------------------------------------------

using Class = std::vector<const RankProgram *>;

std::vector<Class> classesOf(llvm::ArrayRef<RankProgram> programs) {
  std::vector<Class> classes;
  for (const RankProgram &program : programs) {
    auto known = llvm::find_if(classes, [&](const Class &of) { return of.front()->lines == program.lines; });
    if (known == classes.end())
      classes.push_back({&program});
    else
      known->push_back(&program);
  }
  llvm::stable_sort(classes, [](const Class &a, const Class &b) { return a.size() > b.size(); });
  return classes;
}

std::vector<int64_t> ranksOf(const Class &programs) {
  std::vector<int64_t> ranks;
  for (const RankProgram *program : programs)
    ranks.push_back(program->rank);
  return ranks;
}

std::string shortened(llvm::StringRef line) {
  constexpr size_t most = 120;
  return line.size() <= most ? line.str() : (line.take_front(most) + "...").str();
}

/// Returns a text such as "node 17 is A, and B there".
std::string firstDifference(const RankProgram &odd, const RankProgram &usual) {
  if (odd.lines.empty())
    return "no graph of this kind and compilation";
  auto [a, b] = std::mismatch(odd.lines.begin(), odd.lines.end(), usual.lines.begin(), usual.lines.end());
  std::string text = "node " + std::to_string(a - odd.lines.begin() + 1) + " is ";
  text += a == odd.lines.end() ? "absent" : shortened(*a);
  return text + " against " + (b == usual.lines.end() ? "no node" : shortened(*b));
}

} // namespace

std::vector<std::string> programLines(const Graph &graph) { return Lines(graph).take(); }

std::string rankRangesText(llvm::ArrayRef<int64_t> ranks) {
  std::vector<std::string> spans;
  for (size_t i = 0; i < ranks.size();) {
    size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1)
      ++end;
    std::string first = std::to_string(ranks[i]), last = std::to_string(ranks[end - 1]);
    if (end - i > 2)
      spans.push_back(first + " to " + last);
    for (size_t k = i; end - i <= 2 && k < end; ++k)
      spans.push_back(std::to_string(ranks[k]));
    i = end;
  }
  constexpr size_t most = 10;
  if (spans.size() > most) {
    spans.resize(most);
    spans.push_back("others");
  }
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < spans.size(); ++i)
    text += (i == 0 ? "" : i + 1 == spans.size() ? " and " : ", ") + spans[i];
  return text;
}

// If more than half of the ranks run one program, the text names the others; else it names the first two programs that
// differ.
RankComparison compareRanks(llvm::ArrayRef<RankProgram> programs) {
  RankComparison result;
  for (const RankProgram &program : programs)
    result.ranks.push_back(program.rank);
  llvm::sort(result.ranks);
  std::vector<Class> classes = classesOf(programs);
  if (classes.size() < 2)
    return result;
  Class odd;
  bool hasUsual = classes.front().size() * 2 > programs.size();
  for (size_t i = 1; i < classes.size(); ++i)
    odd.insert(odd.end(), classes[i].begin(), classes[i].end());
  llvm::sort(odd, [](const RankProgram *a, const RankProgram *b) { return a->rank < b->rank; });
  std::string verb = odd.size() == 1 ? " runs another program than " : " run other programs than ";
  const RankProgram &first = hasUsual ? *odd.front() : *classes[1].front();
  result.difference = hasUsual ? rankRangesText(ranksOf(odd)) + verb + rankRangesText(ranksOf(classes.front()))
                               : rankRangesText({std::min(first.rank, classes[0].front()->rank),
                                                 std::max(first.rank, classes[0].front()->rank)}) +
                                     " run different programs";
  result.difference += ": of rank " + std::to_string(first.rank) + " " + firstDifference(first, *classes[0].front()) +
                       " of rank " + std::to_string(classes[0].front()->rank);
  return result;
}

} // namespace ccgraph

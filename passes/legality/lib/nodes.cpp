#include "call.h"
#include "checks.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

bool sameTrees(const Arguments &a, const Arguments &b) {
  if (&a == &b)
    return true;
  auto sameNamed = [](const NamedArgument &x, const NamedArgument &y) {
    return x.name == y.name && sameArgument(x.value, y.value);
  };
  return std::equal(a.positional.begin(), a.positional.end(), b.positional.begin(), b.positional.end(), sameArgument) &&
         std::equal(a.keyword.begin(), a.keyword.end(), b.keyword.begin(), b.keyword.end(), sameNamed);
}

/// Compares one untouched node with its earlier state.
class NodeCheck {
public:
  NodeCheck(const Rewrite &rewrite, const Correspondence &correspondence, Findings &findings)
      : before_(rewrite.before), after_(rewrite.after), snapshot_(rewrite.snapshot), correspondence_(correspondence),
        findings_(findings) {}

  void run(uint32_t index) {
    const Step &was = before_[index];
    const Step &now = after_[correspondence_.untouched(index)];
    if (!sameCall(snapshot_.nodes()[index], was, now))
      return;
    checkOperands(was, now);
    if (was.numOrdering || now.numOrdering)
      checkOrdering(index, was, now);
  }

private:
  // A type that was unknown may be known now; all other properties stay the same.
  bool sameCall(const NodeState &state, const Step &was, const Step &now) {
    const Node &node = *now.node;
    if (node.name() != state.name)
      return changed(node, "name", state.name.str(), node.name().str());
    if (node.target() != state.target)
      return changed(node, "target", state.target.str(), node.target().str());
    if (was.type && was.type != now.type)
      return changed(node, "type", typeText(was.type), typeText(now.type));
    if (&node.provenance() != state.provenance || node.frame() != state.frame)
      return changed(node, "provenance", "what it was", "another one");
    if (was.numOperands != now.numOperands)
      return changed(node, "number of operands", llvm::Twine(was.numOperands), llvm::Twine(now.numOperands));
    return sameTrees(*was.arguments, *now.arguments) || changed(node, "argument list", "what it was", "another one");
  }

  bool changed(const Node &node, llvm::StringRef what, const llvm::Twine &was, const llvm::Twine &now) {
    findings_.add(node, "node-changed", "its " + what + " changed without an entry: got " + now + ", expected " + was);
    return false;
  }

  // An operand may only change to the replacement that an entry gives, or to a repetition of it; the entry's own check
  // proves that it holds the same value.
  void checkOperands(const Step &was, const Step &now) {
    auto before = before_.operands(was);
    auto after = after_.operands(now);
    for (size_t i = 0; i < before.size(); ++i)
      if (after[i] == none ||
          (after[i] != correspondence_.image(before[i]) && correspondence_.repeated(after[i]) != before[i]))
        findings_.add(*now.node, "operand",
                      "operand " + llvm::Twine(i) + " is " + quoted(nodeAt(after[i])) + ", expected " +
                          expected(before[i]),
                      claimText(correspondence_.claimBefore(before[i])));
  }

  const Node *nodeAt(uint32_t after) const { return after == none ? nullptr : after_[after].node; }

  std::string expected(uint32_t before) const {
    std::string was = quoted(before_[before].node);
    uint32_t image = correspondence_.image(before);
    if (image == none)
      return "no use of " + was + " to be left";
    return quoted(nodeAt(image)) + (after_[image].node == before_[before].node ? "" : ", which replaces " + was);
  }

  // A node that was ordered after a launch that went into a bucket is now ordered after the bucket, which does the
  // work.

  /// Returns true if an edge to `after` guarantees what an edge to `before` guaranteed.
  bool keeps(uint32_t before, uint32_t after) const {
    return after != none && (after == correspondence_.image(before) || after == correspondence_.performer(before));
  }

  void checkOrdering(uint32_t index, const Step &was, const Step &now) {
    auto before = before_.ordering(was);
    auto after = after_.ordering(now);
    for (uint32_t edge : before)
      if (llvm::none_of(after, [&](uint32_t kept) { return keeps(edge, kept); }))
        findings_.add(*before_[index].node, "ordering-edge",
                      "the ordering edge from " + quoted(before_[edge].node) + " is gone");
    for (uint32_t edge : after)
      if (llvm::none_of(before, [&](uint32_t old) { return keeps(old, edge); }))
        findings_.add(*now.node, "ordering-edge", "the ordering edge from " + quoted(nodeAt(edge)) + " is new");
  }

  const Program &before_;
  const Program &after_;
  const GraphSnapshot &snapshot_;
  const Correspondence &correspondence_;
  Findings &findings_;
};

/// Placeholders keep their order, because callers pass inputs by position.
void checkPlaceholders(const Rewrite &rewrite, Findings &findings) {
  llvm::SmallVector<const Node *, 32> was;
  for (uint32_t i = 0; i < rewrite.before.size(); ++i)
    if (rewrite.before[i].opcode() == Opcode::Placeholder)
      was.push_back(rewrite.before[i].node);
  size_t next = 0;
  for (uint32_t i = 0; i < rewrite.after.size(); ++i) {
    const Step &step = rewrite.after[i];
    if (step.opcode() != Opcode::Placeholder)
      continue;
    const Node *expected = next < was.size() ? was[next] : nullptr;
    if (step.node != expected)
      return findings.add(*step.node, "interface", "is input " + llvm::Twine(next) + ", expected " + quoted(expected));
    ++next;
  }
  if (next < was.size())
    findings.add(*was[next], "interface", "is no input any more, expected as input " + llvm::Twine(next));
}

/// Checks that the groups of the table stay, and that each new one is a partition that divides the ranks alike in the
/// tables of all ranks, under a name that no call had. Only a rule that divides collectives adds groups.
void checkGroups(const Rewrite &rewrite, const Node &place, Findings &findings) {
  llvm::ArrayRef<Group> was = rewrite.snapshot.groups().groups(), now = rewrite.graph.groups().groups();
  if (now.size() < was.size() || !std::equal(was.begin(), was.end(), now.begin()))
    return findings.add(place, "interface", "the group table is another one, expected the one before");
  const bool divides =
      llvm::any_of(rewrite.certificate.rules, [](const RuleEntry &entry) { return entry.name == "staged-exchange"; });
  for (const Group &group : now.drop_front(was.size())) {
    bool isUsed = false;
    forEachCall(rewrite.before, [&](const Call &call) { isUsed |= call.group.text == group.name; });
    const bool isPartition = !group.partition.empty() && !group.assumed && group.attributes.empty();
    if (!divides || !isPartition || isUsed)
      findings.add(place, "interface",
                   "the group table has the new group '" + group.name +
                       "', expected none, or a partition with a new name for a collective in stages");
  }
}

bool sameBesidesGroups(const Surroundings &was, const Surroundings &now) {
  if (was.groupTable == now.groupTable)
    return was == now;
  Surroundings regrouped = now;
  regrouped.groupTable = was.groupTable;
  return was == regrouped;
}

/// Checks that the surroundings of the nodes keep their meaning. A subgraph may be removed with the last get_attr that
/// names it.
void checkSurroundings(const Rewrite &rewrite, Findings &findings) {
  if (rewrite.after.size() == 0)
    return;
  const Graph &graph = rewrite.graph;
  const Node &place = *graph.front();
  checkGroups(rewrite, place, findings);
  if (!sameBesidesGroups(rewrite.snapshot.surroundings(), graph.surroundings()))
    findings.add(
        place, "interface",
        "the graph's name, rank, world size, symbol hints, guards or foreign keys changed, expected those before");
  llvm::DenseSet<Identifier> named;
  for (uint32_t i = 0; i < rewrite.after.size(); ++i)
    if (rewrite.after[i].opcode() == Opcode::GetAttr)
      named.insert(rewrite.after[i].node->target());
  for (const GraphSnapshot::Subgraph &was : rewrite.snapshot.subgraphs()) {
    const Graph *now = graph.subgraph(was.name);
    bool kept = now ? was.content->matches(*now) : !named.contains(was.name);
    if (!kept)
      findings.add(place, "interface",
                   "subgraph '" + was.name.str() + (now ? "' changed" : "' is gone, but a get_attr still names it"));
  }
  for (const auto &[name, subgraph] : graph.subgraphs())
    if (llvm::none_of(rewrite.snapshot.subgraphs(),
                      [now = subgraph.get()](const auto &was) { return &was.content->graph() == now; }))
      findings.add(place, "interface", "subgraph '" + name.str() + "' is new");
}

} // namespace

void checkNodes(const Rewrite &rewrite, const Correspondence &correspondence, Findings &findings) {
  NodeCheck check(rewrite, correspondence, findings);
  for (uint32_t i = 0; i < rewrite.before.size(); ++i)
    if (correspondence.untouched(i) != none)
      check.run(i);
}

// Steps are numbered in program order, so that "defined before it is used" is a comparison of two numbers.
void checkWellFormed(const Rewrite &rewrite, Findings &findings) {
  const Program &after = rewrite.after;
  for (uint32_t i = 0; i < after.size(); ++i) {
    const Step &step = after[i];
    auto demand = [&](uint32_t edge, llvm::StringRef kind) {
      if (edge == none)
        findings.add(*step.node, "order", "has " + kind + " a node that is not in the graph");
      else if (edge >= i)
        findings.add(*step.node, "order", "is before " + quoted(after[edge].node) + ", which is " + kind + " of it");
    };
    for (uint32_t operand : after.operands(step))
      demand(operand, "an operand");
    for (uint32_t edge : after.ordering(step))
      demand(edge, "an ordering edge");
    if (step.opcode() == Opcode::Output && i + 1 != after.size())
      findings.add(*step.node, "interface",
                   "the output is followed by " + quoted(after[i + 1].node) + ", expected to be last");
  }
  checkPlaceholders(rewrite, findings);
  checkSurroundings(rewrite, findings);
}

} // namespace ccgraph::legality

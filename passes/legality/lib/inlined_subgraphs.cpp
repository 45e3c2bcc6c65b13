#include "inlined_subgraphs.h"

#include "checks.h"
#include "inlined_body.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

namespace ccgraph::legality {
namespace {

constexpr llvm::StringLiteral ruleName = "inline-subgraphs";

/// Consecutive steps of the program after, of which `end` is none.
struct Range {
  uint32_t begin = none;
  uint32_t end = none;
};

class InlinedProgram {
public:
  InlinedProgram(const Rewrite &rewrite, Findings &findings)
      : rewrite_(rewrite), before_(rewrite.before), after_(rewrite.after), findings_(findings),
        images_(before_.size(), none), performers_(before_.size()) {}

  void check() {
    if (!readEntries())
      return;
    findReaders();
    for (uint32_t i = 0; i < before_.size(); ++i)
      if (!visit(i))
        return;
    if (next_ != after_.size())
      refuse(*after_[next_].node, "is after the end of the program before, expected no such node");
  }

private:
  bool refuse(const Node &node, const llvm::Twine &message, uint32_t entry = none) {
    findings_.add(node, "inlined", message, entry == none ? "" : claimText({Part::Rule, entry}));
    return false;
  }
  bool readEntries();
  bool readEntry(uint32_t entry);
  void findReaders();
  bool visit(uint32_t was);
  bool keep(uint32_t was);
  bool sameNode(uint32_t was, const Step &now);
  bool inlineCall(uint32_t was, uint32_t entry);
  bool compareBody(uint32_t was, uint32_t entry, InlinedBody &inlined);
  bool readResult(uint32_t was, uint32_t entry);
  bool givesType(uint32_t was, uint32_t value, uint32_t entry);
  bool sameOrdering(const Step &was, const Step &now);
  [[nodiscard]] const Graph *bodyOf(const Step &call) const;
  [[nodiscard]] uint32_t attributeOf(const Step &call) const;

  const Rewrite &rewrite_;
  const Program &before_;
  const Program &after_;
  Findings &findings_;
  /// for each step before: the step after that has its value
  std::vector<uint32_t> images_;
  /// for each step before: the steps after that do what it did
  std::vector<Range> performers_;
  /// only looked up, never iterated: the entries by the nodes that they remove
  llvm::DenseMap<const Node *, uint32_t> entryOf_;
  /// only looked up, never iterated: the steps that read a call
  llvm::DenseMap<uint32_t, llvm::SmallVector<uint32_t, 4>> readers_;
  std::map<uint32_t, InlinedBody> bodies_; ///< by entry
  uint32_t next_ = 0;                      ///< the first step after that has no counterpart yet
};

bool InlinedProgram::readEntries() {
  const Certificate &certificate = rewrite_.certificate;
  bool isPure = certificate.moved.empty() && certificate.merged.empty() && certificate.removed.empty() &&
                certificate.added.empty();
  for (uint32_t i = 0; isPure && i < certificate.rules.size(); ++i) {
    isPure = certificate.rules[i].name == ruleName;
    if (isPure && !readEntry(i))
      return false;
  }
  return isPure || refuse(*rewrite_.graph.front(),
                          "a certificate that replaces calls by subgraphs has an entry of another kind, expected none");
}

/// The matched nodes are gone, and each is in one entry. The built nodes are compared in the walk.
bool InlinedProgram::readEntry(uint32_t entry) {
  const RuleEntry &rule = rewrite_.certificate.rules[entry];
  if (rule.matched.empty())
    return refuse(*rewrite_.graph.front(), "an entry names no call", entry);
  for (const Node *node : rule.matched) {
    bool isGone = node && node->graph() == &rewrite_.graph && before_.contains(node) && !after_.contains(node);
    if (!isGone || !entryOf_.try_emplace(node, entry).second)
      return refuse(*rewrite_.graph.front(), "an entry lists " + quoted(node) + ", expected a node that is gone, once",
                    entry);
  }
  return true;
}

void InlinedProgram::findReaders() {
  for (uint32_t i = 0; i < before_.size(); ++i)
    for (uint32_t operand : before_.operands(before_[i]))
      if (operand != none && entryOf_.count(before_[operand].node))
        readers_[operand].push_back(i);
}

bool InlinedProgram::visit(uint32_t was) {
  const Step &step = before_[was];
  auto found = entryOf_.find(step.node);
  if (found == entryOf_.end())
    return keep(was);
  const uint32_t entry = found->second;
  const Node *call = rewrite_.certificate.rules[entry].matched.front();
  if (call == step.node)
    return inlineCall(was, entry);
  if (step.opcode() == Opcode::GetAttr)
    return attributeOf(before_[before_.indexOf(call)]) == was ||
           refuse(*step.node, "is gone, but is not the subgraph of " + quoted(call), entry);
  return readResult(was, entry);
}

/// A node in no entry is the next one after, as it was.
bool InlinedProgram::keep(uint32_t was) {
  const Node &node = *before_[was].node;
  if (next_ == after_.size() || after_[next_].node != &node)
    return refuse(next_ == after_.size() ? node : *after_[next_].node,
                  "the next node is " + quoted(next_ == after_.size() ? nullptr : after_[next_].node) + ", expected " +
                      quoted(&node));
  images_[was] = next_;
  performers_[was] = {next_, next_ + 1};
  const Step &now = after_[next_++];
  return sameNode(was, now) && sameOrdering(before_[was], now);
}

bool InlinedProgram::sameNode(uint32_t was, const Step &now) {
  const NodeState &state = rewrite_.snapshot.nodes()[was];
  const Node &node = *now.node;
  if (node.name() != state.name || node.target() != state.target || node.type() != state.type ||
      &node.arguments() != state.arguments || &node.provenance() != state.provenance || node.frame() != state.frame)
    return refuse(node, "changed without an entry");
  auto operands = before_.operands(before_[was]);
  auto reads = after_.operands(now);
  for (size_t i = 0; i < operands.size(); ++i) {
    uint32_t image = operands[i] == none ? none : images_[operands[i]];
    if (image == none || reads[i] != image)
      return refuse(node, "operand " + llvm::Twine(i) + " is " +
                              quoted(reads[i] == none ? nullptr : after_[reads[i]].node) + ", expected " +
                              quoted(image == none ? nullptr : after_[image].node));
  }
  return true;
}

uint32_t InlinedProgram::attributeOf(const Step &call) const {
  llvm::ArrayRef<Argument> positional = call.arguments->positional;
  uint32_t attribute = positional.empty() || !positional.front().is(Argument::Kind::Operand)
                           ? none
                           : before_.operand(call, positional.front());
  return attribute != none && before_[attribute].opcode() == Opcode::GetAttr ? attribute : none;
}

/// Returns the subgraph of an invoke_subgraph, which must be as it was even if it is erased; null for any other step.
const Graph *InlinedProgram::bodyOf(const Step &call) const {
  uint32_t attribute = attributeOf(call);
  if (!call.op || call.op->target.str() != "higher_order.invoke_subgraph" || attribute == none)
    return nullptr;
  Identifier name = rewrite_.snapshot.nodes()[attribute].target;
  for (const GraphSnapshot::Subgraph &subgraph : rewrite_.snapshot.subgraphs())
    if (subgraph.name == name)
      return subgraph.content->matches(subgraph.content->graph()) ? &subgraph.content->graph() : nullptr;
  return nullptr;
}

bool InlinedProgram::inlineCall(uint32_t was, uint32_t entry) {
  const Step &call = before_[was];
  const Graph *body = bodyOf(call);
  if (!body)
    return refuse(*call.node, "is gone, but is not an invoke_subgraph of an unchanged subgraph", entry);
  const InlinedCall what{was, body, readers_[was]};
  InlinedBody &inlined = bodies_.emplace(entry, InlinedBody(rewrite_, what, images_)).first->second;
  if (std::string obstacle = inlined.obstacle(); !obstacle.empty())
    return refuse(*call.node, obstacle, entry);
  const uint32_t first = next_;
  if (!compareBody(was, entry, inlined))
    return false;
  llvm::ArrayRef<Node *> built = rewrite_.certificate.rules[entry].built;
  bool isListed = built.size() == next_ - first;
  for (uint32_t i = first; isListed && i < next_; ++i)
    isListed = built[i - first] == after_[i].node;
  // With no node in its place, its ordering edges would be lost.
  if (!isListed || first == next_)
    return refuse(*call.node, "its entry does not list the nodes of its subgraph in their order", entry);
  performers_[was] = {first, next_};
  images_[was] = inlined.valueRead(was);
  return givesType(was, images_[was], entry);
}

bool InlinedProgram::compareBody(uint32_t was, uint32_t entry, InlinedBody &inlined) {
  const Step &call = before_[was];
  for (const Node *inner : *bodyOf(call)) {
    if (inner->opcode() != Opcode::CallFunction)
      continue;
    if (next_ == after_.size())
      return refuse(*call.node, "the program ends before " + quoted(inner) + " of its subgraph", entry);
    const Step &now = after_[next_];
    std::string difference = inlined.compare(*inner, next_);
    if (inner->numOrdering() != 0)
      difference = "has an ordering edge in the subgraph, which no rule explains";
    if (!difference.empty())
      return refuse(*now.node,
                    "is not " + quoted(inner) + " in the subgraph of " + quoted(call.node) + ": it " + difference,
                    entry);
    if (!sameOrdering(call, now))
      return false;
    ++next_;
  }
  return true;
}

/// A getitem of an inlined call is gone; its readers read the result.
bool InlinedProgram::readResult(uint32_t was, uint32_t entry) {
  const Step &step = before_[was];
  const uint32_t call = before_.indexOf(rewrite_.certificate.rules[entry].matched.front());
  auto inlined = bodies_.find(entry);
  bool reads = inlined != bodies_.end() && inlined->second.returnsList() && step.isGetItem() && step.element != none &&
               before_.operands(step).front() == call && step.numOrdering == 0;
  if (!reads)
    return refuse(*step.node,
                  "is gone, but does not only read a result of " +
                      quoted(rewrite_.certificate.rules[entry].matched.front()),
                  entry);
  images_[was] = inlined->second.valueRead(was);
  return givesType(was, images_[was], entry);
}

bool InlinedProgram::givesType(uint32_t was, uint32_t value, uint32_t entry) {
  const Type *type = value == none ? nullptr : after_[value].type;
  return !type || !before_[was].type || type == before_[was].type ||
         refuse(*after_[value].node,
                "is " + typeText(type) + ", expected " + typeText(before_[was].type) + " as " +
                    quoted(before_[was].node) + " was",
                entry);
}

/// Checks that a step after follows exactly the steps that do what `was` followed.
bool InlinedProgram::sameOrdering(const Step &was, const Step &now) {
  llvm::SmallVector<uint32_t, 8> expected;
  for (uint32_t edge : before_.ordering(was)) {
    const Range steps = edge == none ? Range() : performers_[edge];
    if (steps.begin == none)
      return refuse(*now.node, "followed a node that is gone");
    for (uint32_t step = steps.begin; step != steps.end; ++step)
      expected.push_back(step);
  }
  llvm::SmallVector<uint32_t, 8> edges = llvm::to_vector<8>(after_.ordering(now));
  llvm::sort(expected);
  llvm::sort(edges);
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  auto [lost, extra] = std::mismatch(expected.begin(), expected.end(), edges.begin(), edges.end());
  if (lost != expected.end() && (extra == edges.end() || *lost < *extra))
    return refuse(*now.node, "has no ordering edge from " + quoted(after_[*lost].node));
  if (extra != edges.end())
    return refuse(*now.node, "has a new ordering edge from " + quoted(*extra == none ? nullptr : after_[*extra].node));
  return true;
}

/// The steps inside the calls count in the program after only, so memory may not exceed the budget or the peak before.
void checkPeak(const Rewrite &rewrite, int64_t budget, Findings &findings) {
  const int64_t was = peakBytes(rewrite.before, Storages(rewrite.before));
  const int64_t now = peakBytes(rewrite.after, Storages(rewrite.after));
  if (now > std::max(budget, was))
    findings.add(*rewrite.graph.front(), "memory",
                 "peak memory is " + llvm::Twine(now) + " bytes, expected at most " +
                     llvm::Twine(std::max(budget, was)));
}

} // namespace

bool inlinesSubgraphs(const Certificate &certificate) {
  return llvm::any_of(certificate.rules, [](const RuleEntry &entry) { return entry.name == ruleName; });
}

void checkInlinedSubgraphs(const Rewrite &rewrite, const LegalityOptions &options, Findings &findings) {
  InlinedProgram(rewrite, findings).check();
  if (options.memoryBudget && !findings.any())
    checkPeak(rewrite, *options.memoryBudget, findings);
}

} // namespace ccgraph::legality

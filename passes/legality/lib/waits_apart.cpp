#include "call.h"
#include "rules.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

// l = wait_tensors([a, b]); x = l[0]; y = l[1]   ->   x = wait_tensor(a); y = wait_tensor(b)
// The entry lists l, x and y as matched, and the two waits as built. Any other reader of l has no image, which is a
// separate finding.

class WaitsApart {
public:
  WaitsApart(const Evidence &evidence, uint32_t entry, Findings &findings)
      : evidence_(evidence), rule_(evidence.rewrite.certificate.rules[entry]), entry_(entry), findings_(findings) {}

  void check() {
    const Step &list = evidence_.before[evidence_.before.indexOf(rule_.matched[0])];
    if (!list.waits || !list.op || list.op->target.str() != "_c10d_functional.wait_tensors.default" ||
        list.arguments->positional.size() != 1 || !list.arguments->keyword.empty())
      return refuse(*rule_.matched[0], "is no wait on a list");
    llvm::ArrayRef<Argument> elements = list.arguments->positional[0].elements();
    if (elements.size() != rule_.built.size())
      return refuse(*rule_.matched[0], "waits for " + llvm::Twine(elements.size()) + " values, and " +
                                           llvm::Twine(rule_.built.size()) + " waits were built");
    for (size_t i = 0; i < elements.size(); ++i)
      checkWait(list, elements[i], evidence_.after[evidence_.after.indexOf(rule_.built[i])]);
    for (const Node *getItem : llvm::ArrayRef(rule_.matched).drop_front())
      checkElement(list, evidence_.before[evidence_.before.indexOf(getItem)]);
  }

private:
  void refuse(const Node &node, const llvm::Twine &message) {
    findings_.add(node, "rule", message, claimText({Part::Rule, entry_}));
  }

  void checkWait(const Step &list, const Argument &element, const Step &wait) {
    uint32_t value = element.is(Argument::Kind::Operand) ? evidence_.before.operand(list, element) : none;
    bool single = wait.op && wait.op->target.str() == "_c10d_functional.wait_tensor.default" &&
                  wait.arguments->positional.size() == 1 && wait.arguments->keyword.empty() && wait.numOperands == 1;
    if (value == none || !single || evidence_.after.operands(wait)[0] != evidence_.correspondence.image(value))
      return refuse(*wait.node, "does not wait for the element of " + quoted(list.node) + " that it replaces");
    auto before = evidence_.before.ordering(list);
    auto after = evidence_.after.ordering(wait);
    bool kept = before.size() == after.size() && llvm::all_of(before, [&](uint32_t edge) {
                  return edge != none && (llvm::is_contained(after, evidence_.correspondence.image(edge)) ||
                                          llvm::is_contained(after, evidence_.correspondence.performer(edge)));
                });
    if (!kept)
      refuse(*wait.node, "has other ordering edges than " + quoted(list.node) + " had");
  }

  void checkElement(const Step &list, const Step &getItem) {
    bool ofList = getItem.isGetItem() && getItem.numOperands == 1 && getItem.numOrdering == 0 &&
                  evidence_.before.operands(getItem)[0] == evidence_.before.indexOf(list.node);
    if (!ofList || getItem.element >= rule_.built.size())
      return refuse(*getItem.node, "takes no element of " + quoted(list.node));
    const Node &stands = *rule_.built[getItem.element];
    if (getItem.type && getItem.type != stands.type())
      refuse(stands, "is " + typeText(stands.type()) + ", expected " + typeText(getItem.type) + " as " +
                         quoted(getItem.node) + " was");
  }

  const Evidence &evidence_;
  const RuleEntry &rule_;
  uint32_t entry_;
  Findings &findings_;
};

} // namespace

void checkWaitsApart(const Evidence &evidence, uint32_t entry, Findings &findings) {
  const RuleEntry &rule = evidence.rewrite.certificate.rules[entry];
  if (rule.matched.empty() || rule.built.empty())
    return findings.add(*evidence.rewrite.graph.front(), "rule", "matches or builds nothing",
                        claimText({Part::Rule, entry}));
  WaitsApart(evidence, entry, findings).check();
}

} // namespace ccgraph::legality

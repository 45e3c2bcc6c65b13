#include "rules.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

void checkReplacedCall(const Evidence &evidence, uint32_t entry, Findings &findings, CallForm form) {
  const RuleEntry &rule = evidence.rewrite.certificate.rules[entry];
  if (rule.matched.size() != 1 || rule.built.size() != 1)
    return findings.add(*evidence.rewrite.graph.front(), "rule", "expected one call matched and one built",
                        claimText({Part::Rule, entry}));
  auto refuse = [&](const llvm::Twine &message) {
    findings.add(*rule.built[0], "rule", message, claimText({Part::Rule, entry}));
  };
  const Step &was = evidence.before[evidence.before.indexOf(rule.matched[0])];
  const Step &now = evidence.after[evidence.after.indexOf(rule.built[0])];
  if (!form.holds(was, now))
    return refuse("is not the " + form.before + quoted(was.node) + form.after);
  if (was.type != now.type)
    return refuse("is " + typeText(now.type) + ", expected " + typeText(was.type) + " as " + quoted(was.node) + " was");
  if (!keepsOrdering(evidence, was, now))
    refuse("has other ordering edges than " + quoted(was.node) + " had");
}

bool samePositionalArguments(const Evidence &evidence, const Step &was, const Step &now) {
  return was.arguments->keyword.empty() && now.arguments->keyword.empty() &&
         std::equal(was.arguments->positional.begin(), was.arguments->positional.end(),
                    now.arguments->positional.begin(), now.arguments->positional.end(),
                    [&](const Argument &a, const Argument &b) {
                      return sameArguments(evidence, {was, &a}, {now, &b});
                    });
}

} // namespace ccgraph::legality

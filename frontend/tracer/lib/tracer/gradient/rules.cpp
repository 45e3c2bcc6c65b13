#include "tracer/gradient/gradient_rules.h"

#include "ccgraph/tracer/gradient.h"

#include "llvm/ADT/StringMap.h"

#include <algorithm>

namespace ccgraph::tracer {
namespace gradient {

static const llvm::StringMap<Rule> &allRules() {
  static const llvm::StringMap<Rule> rules = [] {
    llvm::StringMap<Rule> all;
    for (llvm::ArrayRef<RuleEntry> family :
         {pointwiseRules(), viewRules(), matmulRules(), reductionRules(), productRules(), vectorNormRules(),
          selectionRules(), normalizationRules(), indexingRules(), attentionRules(), collectiveRules()})
      for (const RuleEntry &entry : family) {
        [[maybe_unused]] bool isNew = all.insert({entry.target, entry.rule}).second;
        assert(isNew && "one rule an operator");
      }
    return all;
  }();
  return rules;
}

Rule findRule(llvm::StringRef target) { return allRules().lookup(target); }

} // namespace gradient

std::vector<std::string> differentiableTargets() {
  std::vector<std::string> targets;
  for (llvm::StringRef target : gradient::allRules().keys())
    targets.push_back(target.str());
  std::sort(targets.begin(), targets.end());
  return targets;
}

} // namespace ccgraph::tracer

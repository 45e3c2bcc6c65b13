// Gradient rules, by families of operators, a file each.
//
// A rule of a node with one result is called with the gradient of that result. A rule of a list is called with the
// gradients of its elements, of which at least one exists. It gives the operands their gradients.
//
// Ownership: tables live as long as the program. Failure: GradientCall::fail. Cost: O(1) to look one up.
#pragma once

#include "tracer/gradient/gradient_call.h"

namespace ccgraph::tracer::gradient {

using Rule = void (*)(GradientCall &);
struct RuleEntry {
  llvm::StringLiteral target;
  Rule rule;
};

[[nodiscard]] llvm::ArrayRef<RuleEntry> pointwiseRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> viewRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> matmulRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> reductionRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> productRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> vectorNormRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> selectionRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> normalizationRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> indexingRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> attentionRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> collectiveRules();

/// Returns null where there is no rule.
[[nodiscard]] Rule findRule(llvm::StringRef target);

} // namespace ccgraph::tracer::gradient

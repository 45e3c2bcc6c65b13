// Rules: the checker's own templates of named rewrites, one row of a table each.
//
// A name that is not in the table is a finding: a pass cannot bring a rule of its own. What each rule
// matches, builds and demands is said in the table itself, which docs/legality.md shows.
//
// Ownership: refers to the evidence. Failure: findings. Cost: the size of the calls.
#pragma once

#include "checks.h"

namespace ccgraph::legality {

/// How the built nodes stand for the matched ones.
enum class Stands : uint8_t {
  /// the first built node for the first matched one, in value and effect
  CallForCall,
  /// the first built node, a launch, for what the first matched one did; for each tensor that that one yielded, the
  /// built getitem of its number, or the second built node, the wait on the launch
  CallAndWait,
  /// the first built node for the value that the matched waits yield, or the first matched node itself where it is
  /// finished when it returns; all built launches together for the first matched
  /// node, a launch
  ValueForWait,
  /// the built nodes for the elements of what the first matched one yields, and each for the getitems of its element
  ElementForElement,
};

struct RuleTemplate {
  LegalityTemplate words;
  Stands stands;
  void (*check)(const Evidence &evidence, uint32_t entry, Findings &findings);
};
/// Null for a name that no rule has.
[[nodiscard]] const RuleTemplate *templateOf(llvm::StringRef name);

void checkInlinedCall(const Evidence &evidence, uint32_t entry, Findings &findings);
void checkFunctionalForm(const Evidence &evidence, uint32_t entry, Findings &findings);
/// For the entries of functional-form: nobody else sees the buffers that their calls wrote. O(n + e).
void checkFunctionalBuffers(const Evidence &evidence, llvm::ArrayRef<uint32_t> entries, Findings &findings);
void checkFinishedForm(const Evidence &evidence, uint32_t entry, Findings &findings);
/// By getitems from a call that is finished when it returns: the number of the tensor that one takes; `none` for a list, for the
/// Work, and for what takes nothing of the call.
[[nodiscard]] uint32_t finishedElement(const Program &before, uint32_t call, uint32_t getItem);
/// A step after has the ordering edges that one before had, to whatever stands for their ends.
[[nodiscard]] bool keepsOrdering(const Evidence &evidence, const Step &was, const Step &now);
void checkWaitsApart(const Evidence &evidence, uint32_t entry, Findings &findings);
void checkExchangeChain(const Evidence &evidence, uint32_t entry, Findings &findings);

/// Gives each matched call the effects of the call built for it, because its own are gone with its operands.
void adoptRuleEffects(const Rewrite &rewrite, const Correspondence &correspondence, Program &before);

} // namespace ccgraph::legality

// Rules: the checker's own templates of named rewrites, one row of a table each.
//
// A name that is not in the table is a finding: a pass cannot define a rule of its own. The table documents what each
// rule matches, builds and requires; docs/legality.md shows it.
//
// Ownership: refers to the evidence. Failure: findings. Cost: the size of the calls.
#pragma once

#include "checks.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ccgraph::legality {

/// How the built nodes replace the matched ones.
enum class Replacement : uint8_t {
  /// the first built node replaces the first matched node, in value and effect
  CallForCall,
  /// the first built node, a launch, does what the first matched node did. The built getitem of its number, or the
  /// second built node (the wait on the launch), replaces each tensor that the matched node returned
  CallAndWait,
  /// the first built node replaces the value of the matched waits, or of the first matched node itself if that node is
  /// complete when it returns; all built launches together replace the first matched node, a launch
  ValueForWait,
  /// the first built node, which may be a value of both programs, replaces the value of the first matched node; all
  /// built launches together perform the first matched launch, and the other matched nodes are gone
  ValueForValue,
  /// the same for several values: the nodes before the first matched launch are values, and the built nodes in these
  /// places replace them
  ValuesForValues,
  /// the built nodes replace the elements of the first matched node's result, each for the getitems of its element
  ElementForElement,
  /// each built node is a call like the matched node of its number, which stays; a reader may read either
  CallBesideCall,
  /// the first built node is a copy of the matched node, which stays; a reader may read either
  CopyBesideValue,
  /// the built node, a value of both programs, replaces the value of the matched node, which has no performer
  ValueForCopy,
  /// the built launch replaces the first matched node, a launch, in value and effect. It also does what the second one
  /// did, a copy into a buffer, whose readers read what was copied
  CallForCopy,
  /// the built nodes are the nodes of the subgraph that the first matched node ran, in its place (inlined_subgraphs.h)
  BodyForCall,
};

struct RuleTemplate {
  LegalityTemplate words;
  Replacement replacement;
  /// null: the entries of this rule are checked together
  void (*check)(const Evidence &evidence, uint32_t entry, Findings &findings);
};
/// Returns null for a name that no rule has.
[[nodiscard]] const RuleTemplate *templateOf(llvm::StringRef name);

void checkInlinedCall(const Evidence &evidence, uint32_t entry, Findings &findings);
void checkFunctionalForm(const Evidence &evidence, uint32_t entry, Findings &findings);
/// For the entries of functional-form: no other node observes the buffers that their calls wrote. O(n + e).
void checkFunctionalBuffers(const Evidence &evidence, llvm::ArrayRef<uint32_t> entries, Findings &findings);
/// An argument of a step, or a part of one; null if it is left out.
struct ArgumentOf {
  const Step &step;
  const Argument *tree;
};
/// Returns true if a tree before and a tree after are equal, with each node replaced by its image.
[[nodiscard]] bool sameArguments(const Evidence &evidence, ArgumentOf was, ArgumentOf now);
/// Returns true if two calls have equal arguments, all of them positional.
[[nodiscard]] bool samePositionalArguments(const Evidence &evidence, const Step &was, const Step &now);
/// What one call must be for another one: "is not the " + before + that call + after is said if it does not hold.
struct CallForm {
  llvm::StringRef before, after;
  llvm::function_ref<bool(const Step &was, const Step &now)> holds;
};
/// Checks an entry of one call matched and one built: the form, the type and the ordering edges.
void checkReplacedCall(const Evidence &evidence, uint32_t entry, Findings &findings, CallForm form);
void checkInPlaceForm(const Evidence &evidence, uint32_t entry, Findings &findings);
/// For the entries of in-place-form: what their calls write over belongs to the program, and no other node names it
/// later. O(n + e).
void checkInPlaceBuffers(const Evidence &evidence, llvm::ArrayRef<uint32_t> entries, Findings &findings);
/// Checks the nodes of an entry of filled-buffer.
void checkFilledBuffer(const Evidence &evidence, uint32_t entry, Findings &findings);
/// For the entries of filled-buffer together: no node observes that a result lies in the buffer, or that the buffer is
/// written earlier. O(n + e).
void checkFilledMemory(const Evidence &evidence, llvm::ArrayRef<uint32_t> entries, Findings &findings);
/// For the entries of forwarded-copy together. O(n + e).
void checkForwardedCopies(const Evidence &evidence, llvm::ArrayRef<uint32_t> entries, Findings &findings);
/// For a certificate with entries of a rule by which storages become one: besides those of `also`, there are no others
/// of this kind, and no step moves. O(n).
void checkJoinedMemory(const Evidence &evidence, llvm::StringRef rule, llvm::StringRef also, Findings &findings);
void checkFinishedForm(const Evidence &evidence, uint32_t entry, Findings &findings);
/// Follows getitems from a call that is complete when it returns. Returns the number of the tensor that a getitem
/// reads; `none` for a list, for the Work, and for a node that reads nothing of the call.
[[nodiscard]] uint32_t finishedElement(const Program &before, uint32_t call, uint32_t getItem);
/// Returns true if a step after has the ordering edges of a step before, to the replacements of their ends.
[[nodiscard]] bool keepsOrdering(const Evidence &evidence, const Step &was, const Step &now);
void checkWaitsApart(const Evidence &evidence, uint32_t entry, Findings &findings);
void checkCompressedSum(const Evidence &evidence, uint32_t entry, Findings &findings);
void checkEqualExchanges(const Evidence &evidence, uint32_t entry, Findings &findings);
void checkEqualPieces(const Evidence &evidence, uint32_t entry, Findings &findings);
/// Returns true for an entry that replaces values by values.
[[nodiscard]] bool replacesValues(const RuleTemplate &rule);
/// Returns how many values such an entry replaces: one, or all matched nodes before the first launch; without a launch,
/// the first matched nodes that others read. 0 if an entry of several values builds fewer nodes.
[[nodiscard]] size_t numValues(const Program &before, const RuleEntry &entry, Replacement replacement);
/// For the entries of equal-exchanges and equal-pieces: no node observes that a value lies elsewhere in memory.
/// O(n + e).
void checkRegionMemory(const Evidence &evidence, llvm::ArrayRef<uint32_t> entries, Findings &findings);
/// For an entry of exchange-chain or staged-exchange.
void checkExchangeChain(const Evidence &evidence, uint32_t entry, Findings &findings);
/// For the entries of repeated-call together. O(n + e).
void checkRepeatedCalls(const Evidence &evidence, llvm::ArrayRef<uint32_t> entries, Findings &findings);

/// For the entries of offloaded-value together. O(n + e).
void checkOffloadedValues(const Evidence &evidence, llvm::ArrayRef<uint32_t> entries, Findings &findings);

/// Gives each matched call the effects of the call built for it, since the matched call has lost its operands.
void adoptRuleEffects(const Rewrite &rewrite, const Correspondence &correspondence, Program &before);

} // namespace ccgraph::legality

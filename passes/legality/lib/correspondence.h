// Correspondence: which step after replaces which step before, as the certificate claims.
//
// `image` follows values: the value that readers of a step's result read now. `performer` follows effects: the step
// that now does what the step did (a bucket for its members' launches). Both are claims. The checks of each rule prove
// that a replacement has the value that it replaces.
//
// Ownership: refers to both programs and the certificate. Failure: a finding for a node without entry, in two entries,
// or in an entry that does not fit. The later checks may only run if there was no finding. Cost: O(nodes + entries).
#pragma once

#include "findings.h"
#include "program.h"

namespace ccgraph::legality {

/// The role of a node in its entry.
enum class Part : uint8_t { Untouched, Merged, Removed, Added, Rule };

struct Claim {
  Part part = Part::Untouched;
  uint32_t entry = 0; ///< index into the certificate's list of that part
};
/// Returns "merged entry 2", or "" for untouched.
[[nodiscard]] std::string claimText(Claim claim);

/// The input of every check. Both programs are the checker's own reading of the two graphs; the certificate is trusted
/// only where it has been proved.
struct Rewrite {
  const GraphSnapshot &snapshot;
  const Graph &graph;
  const Certificate &certificate;
  const Program &before;
  const Program &after;
};

class Correspondence {
public:
  Correspondence(const Rewrite &rewrite, Findings &findings);

  /// Returns the step after of an untouched step before; `none` if the step is in an entry.
  [[nodiscard]] uint32_t untouched(uint32_t before) const { return untouched_[before]; }
  /// Returns the step after whose value replaces that of a step before; `none` if no step may read it any more.
  [[nodiscard]] uint32_t image(uint32_t before) const { return images_[before]; }
  /// Returns the step before whose value a step after replaces; `none` for new values.
  [[nodiscard]] uint32_t origin(uint32_t after) const { return origin_[after]; }
  /// Returns the step after that does what a step before did; `none` for removed steps.
  [[nodiscard]] uint32_t performer(uint32_t before) const { return performers_[before]; }
  /// Returns all steps after that do what a step before did, in program order: several if a chain of exchanges replaces
  /// it.
  [[nodiscard]] llvm::ArrayRef<uint32_t> performances(uint32_t before) const {
    if (auto chain = chains_.find(before); chain != chains_.end())
      return chain->second;
    return performers_[before] == none ? llvm::ArrayRef<uint32_t>() : llvm::ArrayRef(performers_[before]);
  }
  /// Returns the step before whose call a step after repeats, or whose value it is a copy of, where both stay; `none`
  /// for any other step.
  [[nodiscard]] uint32_t repeated(uint32_t after) const {
    auto found = repeated_.find(after);
    return found == repeated_.end() ? none : found->second;
  }
  [[nodiscard]] Claim claimBefore(uint32_t before) const { return claimsBefore_.lookup(before); }
  [[nodiscard]] Claim claimAfter(uint32_t after) const { return claimsAfter_.lookup(after); }

private:
  /// Pairs the steps that are the same node on both sides; entries then override this for their nodes.
  void match(Findings &findings);
  /// Read the entries, each by the rules of its kind. A node that is claimed twice, or on the wrong side, is a finding.
  void claimMerged(uint32_t entry, Findings &findings);
  void claimRemoved(Findings &findings);
  void claimRule(uint32_t entry, Findings &findings);
  void claimRepeated(uint32_t entry, Findings &findings);
  void claimCopied(uint32_t entry, Findings &findings);
  [[nodiscard]] bool isKept(const Node *node) const;
  void bindChain(const RuleEntry &entry);
  void bindRegion(const RuleEntry &entry, size_t values);
  [[nodiscard]] llvm::SmallVector<uint32_t, 2> launchesOf(const RuleEntry &entry) const;
  [[nodiscard]] bool isExistingValue(const RuleEntry &entry, const Node *node) const;
  void bindElements(const RuleEntry &entry);
  void bindFinished(const RuleEntry &entry);
  void bindFilled(const RuleEntry &entry);
  [[nodiscard]] const Node *copyOf(const RuleEntry &entry, const Node *value) const;
  void claim(const Node *node, bool before, Claim claim, Findings &findings);
  /// Reports every new or removed node that no entry claims.
  void requireClaims(Findings &findings);
  void followTwins(Findings &findings);
  /// Records which steps replace the value and the effects of a step before.
  void bind(const Node *was, const Node *image, const Node *performer);

  Rewrite rewrite_;
  // By step before: steps after.
  std::vector<uint32_t> untouched_;
  std::vector<uint32_t> images_;
  std::vector<uint32_t> performers_;
  /// by step before that a chain of exchanges replaces: the chain's launches; only looked up, never iterated
  llvm::DenseMap<uint32_t, llvm::SmallVector<uint32_t, 2>> chains_;
  // By step after: step before.
  std::vector<uint32_t> origin_;
  /// only looked up, never iterated
  llvm::DenseMap<uint32_t, uint32_t> repeated_;
  // Of the steps in entries; only looked up, never iterated.
  llvm::DenseMap<uint32_t, Claim> claimsBefore_;
  llvm::DenseMap<uint32_t, Claim> claimsAfter_;
};

} // namespace ccgraph::legality

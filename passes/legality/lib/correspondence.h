// Correspondence: which step after stands for which step before, as the certificate claims it.
//
// `image` follows values: what the readers of a step's result read now. `performer` follows
// effects: the step that now does what the step did (a bucket for its members' launches). Both are
// claims: the rules' own checks show that a replacement holds the value it stands for.
//
// Ownership: refers to both programs and the certificate. Failure: a node without entry, in two
// entries, or in one that does not fit is a finding; the later checks may only run if there was
// none. Cost: O(nodes + entries).
#pragma once

#include "findings.h"
#include "program.h"

namespace ccgraph::legality {

/// The part that an entry gives to a node.
enum class Part : uint8_t { Untouched, Merged, Removed, Added, Rule };

struct Claim {
  Part part = Part::Untouched;
  uint32_t entry = 0; ///< index into the certificate's list of that part
};
/// "merged entry 2", or "" for untouched.
[[nodiscard]] std::string claimText(Claim claim);

/// Everything that a check reads. Both programs are the checker's own reading of the two graphs;
/// the certificate is only believed where it has been shown right.
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

  /// Step after of an untouched step before, and back; `none` if it is in an entry.
  [[nodiscard]] uint32_t untouched(uint32_t before) const { return untouched_[before]; }
  [[nodiscard]] uint32_t untouchedBefore(uint32_t after) const {
    return origin_[after] != none && untouched_[origin_[after]] == after ? origin_[after] : none;
  }
  /// Step after whose value stands for that of a step before; `none` where nobody may read it any more.
  [[nodiscard]] uint32_t image(uint32_t before) const { return images_[before]; }
  /// Step before whose value a step after stands for; `none` for new values.
  [[nodiscard]] uint32_t origin(uint32_t after) const { return origin_[after]; }
  /// Step after that does what a step before did; `none` for removed ones.
  [[nodiscard]] uint32_t performer(uint32_t before) const { return performers_[before]; }
  /// All steps after that do what a step before did: several where a chain of exchanges stands for one, in program order.
  [[nodiscard]] llvm::ArrayRef<uint32_t> performances(uint32_t before) const {
    if (auto chain = chains_.find(before); chain != chains_.end())
      return chain->second;
    return performers_[before] == none ? llvm::ArrayRef<uint32_t>() : llvm::ArrayRef(performers_[before]);
  }
  [[nodiscard]] Claim claimBefore(uint32_t before) const { return claimsBefore_[before]; }
  [[nodiscard]] Claim claimAfter(uint32_t after) const { return claimsAfter_[after]; }

private:
  /// Pairs the steps that are the same node on both sides; entries then override what they explain.
  void match(Findings &findings);
  /// Entries, each in the terms of its kind. A node that is claimed twice, or on the wrong side, is a finding.
  void claimMerged(uint32_t entry, Findings &findings);
  void claimRemoved(Findings &findings);
  void claimRule(uint32_t entry, Findings &findings);
  void bindChain(const RuleEntry &entry);
  void bindElements(const RuleEntry &entry);
  void bindFinished(const RuleEntry &entry);
  void claim(const Node *node, bool before, Claim claim, Findings &findings);
  /// Whoever is new or gone must have been claimed.
  void requireClaims(Findings &findings);
  void followTwins(Findings &findings);
  /// Says what stands for the value and for the effects of a step before.
  void bind(const Node *was, const Node *image, const Node *performer);

  Rewrite rewrite_;
  // By step before: steps after.
  std::vector<uint32_t> untouched_;
  std::vector<uint32_t> images_;
  std::vector<uint32_t> performers_;
  /// by step before that a chain of exchanges stands for: the chain's launches; looked up, never iterated
  llvm::DenseMap<uint32_t, llvm::SmallVector<uint32_t, 2>> chains_;
  // By step after: step before.
  std::vector<uint32_t> origin_;
  std::vector<Claim> claimsBefore_;
  std::vector<Claim> claimsAfter_;
};

} // namespace ccgraph::legality

// BucketCheck: evaluates one merged entry and checks what each of its new nodes holds.
//
// Members' inputs are the sources; every other value is derived from them through movements and the one exchange. So a
// bucket is not compared with one pattern but with what it must compute: the replacement of each member is its result,
// element for element.
//
// The rest of the checker shows that members do not depend on one another. A path between two members would put a
// definition after its use, put an access on the wrong side of a write, or lose an ordering edge. Only edges between
// two members are checked here, since both ends are now one node.
//
// Ownership: refers to the evidence, and adds to the findings. Failure: findings of rules legality.merged-*. A node
// that cannot be evaluated has no value, and no node that reads it has one.
// Cost: the runs made (layout.h), ranks x members for a flat bucket.
#pragma once

#include "evaluation.h"
#include "exchanges.h"

namespace ccgraph::legality {

class BucketCheck {
public:
  BucketCheck(const Evidence &evidence, uint32_t entry, Findings &findings);

  /// Checks members against each other and the launch, evaluates them, and compares the replacements with what they
  /// replace.
  void check();

private:
  // Members: each is a functional collective on one tensor, equal to the launch in all relevant arguments, with its own
  // waits.
  bool readMembers();
  bool checkMember(const BucketMember &member, const Call &call);
  bool checkWaits(const BucketMember &member, uint32_t launch);
  bool checkIndependent(const BucketMember &member, uint32_t launch);
  void checkOrderingEdges(const BucketMember &member, uint32_t launch);
  bool addSource(const BucketMember &member, Call call);
  bool checkLaunch();
  bool takesItsTensors() const;

  void evaluate();
  std::optional<Contents> evaluateLaunch(llvm::ArrayRef<const Contents *> operands);

  // Results: values, types, and the offsets and lengths in the certificate.
  void checkReplacement(const BucketMember &member, uint32_t source);
  void checkShare(uint32_t index);

  void report(const Node &node, llvm::StringRef rule, const llvm::Twine &message) {
    findings_.add(node, rule, message, claimText({Part::Merged, number_}));
  }
  [[nodiscard]] bool ours(uint32_t before) const;

  const Evidence &evidence_;
  const MergedEntry &entry_;
  uint32_t number_;
  Findings &findings_;
  Evaluation evaluation_;
  uint32_t launch_ = none; ///< step after
  Call call_;
  Shipment shipment_;
  llvm::DenseMap<uint32_t, uint32_t> sourceOf_; ///< by step after: index into the sources
  std::optional<Contents> sent_;                ///< what the launch sends
};

} // namespace ccgraph::legality

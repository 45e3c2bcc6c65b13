// Buckets by hand: merges collectives in the plainest spelling, so that the legality checker is
// tried on more than what the passes make.
//
// The bucket is launched where its last member was, and waited for where the first wait was, or
// right after the launch if that is later.
//
// Ownership: nodes belong to the graph; the entry returned is the certificate's, and moves when
// another is added. Fails: asserts that members have one wait each and sizes that are numbers.
// Cost: linear in the members.
#pragma once

#include "ccgraph/ir/certificate.h"

namespace ccgraph::test {

/// The one wait on a launch; null if it has none or several, or other users.
[[nodiscard]] Node *onlyWait(const Node *launch);
/// Merges the members, which must be in program order; adds the entry to the certificate and, where
/// members were not consecutive on their group, the moved entry. The caller has made sure that they
/// may be merged.
MergedEntry &mergeByHand(llvm::ArrayRef<Node *> launches, BucketLayout layout, Certificate &certificate);
/// States the present order of the group of `launch`.
void stateOrder(const Node *launch, Certificate &certificate);

} // namespace ccgraph::test

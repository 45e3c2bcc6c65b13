// Merges collectives in the simplest form, so that the legality checker is tested on more than the results of passes.
//
// The bucket is launched at the position of its last member, and awaited at the first wait, or right after the launch
// if that is later.
//
// Ownership: the graph owns the nodes; the returned entry belongs to the certificate, and moves when another entry is
// added. Failure: asserts that members have one wait each and sizes that are numbers. Cost: linear in the members.
#pragma once

#include "ccgraph/ir/certificate.h"

namespace ccgraph::test {

/// Returns the only wait on a launch; null if it has none, several, or other users.
[[nodiscard]] Node *onlyWait(const Node *launch);
/// Merges the members, which must be in program order; adds the entry to the certificate and, if members were not
/// consecutive on their group, the moved entry. The caller must ensure that the merge is legal.
MergedEntry &mergeByHand(llvm::ArrayRef<Node *> launches, BucketLayout layout, Certificate &certificate);
/// States the present order of the group of `launch`.
void stateOrder(const Node *launch, Certificate &certificate);

} // namespace ccgraph::test

// Whether a rank's steps can be captured: the host may not look into what they make, and nothing of them may change
// from run to run.
//
// Ownership: borrows the rank. Failure: rule run.request, at the first step that cannot, with why. Cost: linear in the
// steps.
#pragma once

#include "engine/prepared_rank.h"

namespace ccgraph::runtime {

/// Checks a rank on a device, after PreparedRank::prepare().
[[nodiscard]] llvm::Error checkCapture(const PreparedRank &prepared);

} // namespace ccgraph::runtime

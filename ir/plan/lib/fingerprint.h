// Shared by the two sources of fingerprints: a graph's calls and a plan's calls.
#pragma once

#include "ccgraph/ir/collective.h"

namespace ccgraph {

/// Returns true if every field that must agree is known.
[[nodiscard]] bool isComplete(const CollectiveFingerprint &print);

} // namespace ccgraph

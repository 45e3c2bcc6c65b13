// Between the two makers of fingerprints: of a graph's calls and of a plan's.
#pragma once

#include "ccgraph/ir/collective.h"

namespace ccgraph {

/// Nothing that must agree is unknown.
[[nodiscard]] bool isComplete(const CollectiveFingerprint &print);

} // namespace ccgraph

// Summarizes the remarks of one pass as texts.
//
// Ownership: plain values. Failure: none. Cost: linear in the remarks.
#pragma once

#include "ccgraph/passes/pass_manager.h"

namespace ccgraph::report {

/// Returns a text such as ", by 38 positions (median), 1,204 at most", from the remarks that state how far a node
/// moved.
[[nodiscard]] std::string distanceText(const PassRun &run);

/// Returns a text such as " into 12", from the remarks that name the node into which several were merged.
[[nodiscard]] std::string targetsText(const PassRun &run);

/// Returns a text such as " (+1.0 GiB would let one of them move, +3.2 GiB any)", from the remarks that state how much
/// budget was missing.
[[nodiscard]] std::string shortageText(const PassRun &run, llvm::StringRef reason);

} // namespace ccgraph::report

// Remark texts: what a summary says of the remarks of one pass, taken together.
//
// Ownership: plain values. Failure: none. Cost: linear in the remarks.
#pragma once

#include "ccgraph/passes/pass_manager.h"

namespace ccgraph::report {

/// ", by 38 positions (median), 1,204 at most", of the remarks that say how far a node went.
[[nodiscard]] std::string distanceText(const PassRun &run);

/// " into 12", of the remarks that say which node several were merged into.
[[nodiscard]] std::string targetsText(const PassRun &run);

/// " (+1.0 GiB would let one of them move, +3.2 GiB each)", of the remarks that say how much budget they lacked.
[[nodiscard]] std::string shortageText(const PassRun &run, llvm::StringRef reason);

} // namespace ccgraph::report

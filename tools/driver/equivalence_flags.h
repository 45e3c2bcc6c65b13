// Turns --check-equivalence and the related flags into a question for the equivalence check.
//
// Ownership: plain values. Failure: recorded values that cannot be read. Cost: that of reading them.
#pragma once

#include "ccgraph/toolkit/equivalence_check.h"
#include "driver/opt_options.h"

namespace ccgraph::driver {

/// Equal means bitwise equal; after passes that round, the caller sets the tolerance (toleranceOf).
[[nodiscard]] llvm::Expected<EquivalenceQuestion> equivalenceQuestion(const OptOptions &options,
                                                                      const ObjectMeanings &objects);

} // namespace ccgraph::driver

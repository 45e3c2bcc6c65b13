// Turns --check-equivalence and the related flags into a question for the equivalence check.
//
// Ownership: plain values. Failure: recorded values that cannot be read. Cost: that of reading them.
#pragma once

#include "ccgraph/toolkit/equivalence_check.h"
#include "driver/opt_options.h"

namespace ccgraph::driver {

/// Only a pipeline that declares that it adds floats in another order gets a tolerance. With --compare, the origin of
/// the other graph is unknown, so equal means bitwise equal.
[[nodiscard]] llvm::Expected<EquivalenceQuestion>
equivalenceQuestion(const OptOptions &options, const Pipeline &pipeline, const ObjectMeanings &objects);

} // namespace ccgraph::driver

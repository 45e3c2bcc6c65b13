// RankAgreement: checks that ranks which trace their own programs will reduce the same buckets.
//
// Ownership: refers to the caller's values. Failure: a DiagnosticError that names the rank and the parameter. Cost:
// ranks x parameters.
#pragma once

#include "ccgraph/tracer/data_parallel.h"

namespace ccgraph::tracer::detail {

struct RankAgreement {
  /// what this rank knows
  const GradientUse &own;
  /// by rank; empty: all ranks run the program of this rank
  const std::vector<GradientUse> &ranks;
  int64_t groupSize;
  const GradientBucketOptions &options;
};

/// Returns the parameters, used if any rank uses them, with the ready order of rank 0. A rank without a
/// batch uses nothing in its own program, and all parameters count as used.
[[nodiscard]] llvm::Expected<GradientUse> agreedUse(const RankAgreement &agreement, Batch batch);

} // namespace ccgraph::tracer::detail

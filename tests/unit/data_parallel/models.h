// The models of the training records, as functions of tensors.
//
// Failure: an unknown variant ends the test. Cost: some ten recorded nodes.
#pragma once

#include "ccgraph/tracer/data_parallel.h"

#include <map>
#include <string>

namespace ccgraph::test {

using tracer::Tensor;

/// Where a loss is computed.
struct Place {
  int64_t rank = 0;
  int64_t world = 1;
  int64_t iteration = 0;
  /// examples on all ranks
  int64_t wholeBatch = 0;
};

/// Parameters by name.
using Parameters = std::map<std::string, Tensor>;

/// Returns the loss of a variant of tests/data/ddp/train for one batch.
[[nodiscard]] Tensor lossOf(const std::string &variant, const Parameters &parameters,
                            const std::pair<Tensor, Tensor> &inputAndTarget, const Place &place);
/// Returns whether ranks of this variant run different programs.
[[nodiscard]] bool differsByRank(const std::string &variant);

} // namespace ccgraph::test

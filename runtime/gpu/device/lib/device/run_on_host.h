// Runs a job on the CPU as a device would: with the same units, teams and arithmetic.
//
// Plain functions, of memory that the CPU can reach. Failure: false where the job fails. Cost: far above that of our
// own kernels; for tests and recorded runs.
#pragma once

#include "device/job.h"

#include "llvm/ADT/SmallVector.h"

namespace ccgraph::runtime::device {

/// `order` selects the first unit and the direction, and the first thread of a team; the results do not depend on it.
[[nodiscard]] bool runOnHost(const Job &job, uint64_t order = 0);

/// The beginnings of a job's tensors, for records.
struct Addresses {
  llvm::SmallVector<const std::byte *, 4> reads, writes;
};
[[nodiscard]] Addresses addressesOf(const Job &job);

} // namespace ccgraph::runtime::device

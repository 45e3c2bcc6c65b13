// The results of one rank as bytes, for another process of the job.
//
// Ownership: plain values. Failure: bytes that are not whole give the results that they hold (ByteReader). Cost: linear
// in the bytes.
#pragma once

#include "ccgraph/ir/host_tensor.h"
#include "rendezvous/bytes.h"

namespace ccgraph::runtime {

[[nodiscard]] std::vector<std::byte> encodeResults(const TensorMap &values);
/// Returns what encodeResults() was given.
[[nodiscard]] TensorMap decodeResults(llvm::ArrayRef<std::byte> bytes);

} // namespace ccgraph::runtime

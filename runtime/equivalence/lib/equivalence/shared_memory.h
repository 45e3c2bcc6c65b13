// Shared memory: what two runs' callers can tell of which tensors are one piece of memory.
//
// A caller that writes to one tensor sees it in another exactly where the two overlap. So two runs
// are alike if the same pairs overlap, each pair shifted by the same distance; that two tensors lie
// in one storage without touching each other (pieces of a flat bucket do) is nothing it sees.
//
// Most pairs need no look: where each tensor lies in the same storage at the same distance from the
// storage's first tensor on both sides, all overlaps are equal too. Only the tensors of which this
// is not so are compared with all others of their storage.
//
// Ownership: borrows what it is given for the call. Failure: none. Cost: linear in the tensors; for
// one that lies elsewhere, linear in the tensors of its two storages and the elements of those that
// its extent meets.
#pragma once

#include "ccgraph/runtime/observation.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ccgraph::runtime {

/// One place where a caller holds something; null where a side holds nothing there.
struct Place {
  const Held *expected = nullptr;
  const Held *got = nullptr;
};

/// Calls `differ` with the index of a place and what is wrong with its memory, at most once a place. Places whose sizes,
/// strides or dtypes differ between the sides are passed over: they are different anyway.
void compareMemory(llvm::ArrayRef<Place> places, llvm::function_ref<void(size_t place, std::string message)> differ);

/// True if sizes and dtype are equal, and the strides of all dimensions that have more than one element; in an empty
/// tensor no stride matters.
[[nodiscard]] bool sameLayout(const Held &a, const Held &b);

} // namespace ccgraph::runtime

// Shared memory: compares which tensors share memory in two runs, as far as a caller can observe it.
//
// A caller that writes to one tensor sees the write in another exactly where the two overlap. So two runs are equal if
// the same pairs overlap, each pair shifted by the same distance. A caller cannot observe that two tensors are in one
// storage without overlap (as pieces of a flat bucket are).
//
// Most pairs need no comparison: where each tensor is in the same storage at the same distance from the storage's first
// tensor on both sides, all overlaps are equal too. Only the other tensors are compared with all tensors of their
// storage.
//
// Ownership: borrows its arguments for the call. Failure: none. Cost: linear in the tensors. For a tensor with another
// place: linear in the tensors of its two storages and in the elements of those that its extent overlaps.
#pragma once

#include "ccgraph/runtime/observation.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ccgraph::runtime {

/// One place where a caller holds something; null where a side holds nothing there.
struct Place {
  const Held *expected = nullptr;
  const Held *got = nullptr;
};

/// Calls `differ` with the index of a place and the error in its memory, at most once a place. Places whose sizes,
/// strides or dtypes differ between the sides are skipped: they are different anyway.
void compareMemory(llvm::ArrayRef<Place> places, llvm::function_ref<void(size_t place, std::string message)> differ);

/// True if sizes and dtype are equal, and the strides of all dimensions that have more than one element; in an empty
/// tensor no stride matters.
[[nodiscard]] bool sameLayout(const Held &a, const Held &b);

} // namespace ccgraph::runtime

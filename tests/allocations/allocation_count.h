// AllocationCount counts the calls of malloc and related functions.
//
// A program that links allocation_count.cpp counts all its calls. Only dedicated programs should link it, since every
// allocation of the process goes through it.
//
// Thread-safe. Cost: an atomic addition an allocation.
#pragma once

#include <cstddef>

namespace ccgraph::test {

/// Returns false if a sanitizer has a malloc of its own.
[[nodiscard]] bool countsAllocations();
/// Returns the allocations of this thread since it began.
[[nodiscard]] size_t allocationsHere();
/// Returns the allocations of all other threads since the program began.
[[nodiscard]] size_t allocationsElsewhere();

} // namespace ccgraph::test

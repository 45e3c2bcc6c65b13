// AllocationCount: how often malloc and its kin are called.
//
// A program that links allocation_count.cpp counts all its calls; it is for programs of their own, since every allocation of the
// process goes through it.
//
// Thread-safe. Cost: an atomic addition an allocation.
#pragma once

#include <cstddef>

namespace ccgraph::test {

/// False where a sanitizer has a malloc of its own.
[[nodiscard]] bool countsAllocations();
/// Of this thread, since it began.
[[nodiscard]] size_t allocationsHere();
/// Of all threads but this one, since the program began.
[[nodiscard]] size_t allocationsElsewhere();

} // namespace ccgraph::test

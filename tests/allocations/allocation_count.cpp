#include "allocations/allocation_count.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<size_t> everywhere = 0;
thread_local size_t here = 0;

} // namespace

// Sanitizers have a malloc of their own, which stays in place.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

void count() {
  everywhere.fetch_add(1, std::memory_order_relaxed);
  ++here;
}

} // namespace

// The C library calls its own malloc by these names, and lets a program define the public ones.
extern "C" {
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}
void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}
void *realloc(void *block, size_t size) {
  count();
  return __libc_realloc(block, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void **block, size_t alignment, size_t size) {
  count();
  *block = __libc_memalign(alignment, size);
  return *block ? 0 : ENOMEM;
}
}
constexpr bool counts = true;
#else
constexpr bool counts = false;
#endif

namespace ccgraph::test {

bool countsAllocations() { return counts; }
size_t allocationsHere() { return here; }
size_t allocationsElsewhere() { return everywhere.load() - here; }

} // namespace ccgraph::test

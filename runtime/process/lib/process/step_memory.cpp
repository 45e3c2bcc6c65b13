#include "ccgraph/runtime/step_memory.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <new>
#include <utility>

namespace ccgraph::runtime {
namespace {

// Kernels make tensors without access to the run. As with the memory limit (memory_limit.cpp), the active memory is
// found through the thread.
StepMemory *&inForce() {
  thread_local StepMemory *memory = nullptr;
  return memory;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool keepsBlocks = false;
#else
constexpr bool keepsBlocks = true;
#endif

/// The power of two that holds so many bytes.
size_t bitsFor(size_t bytes, size_t smallest) { return std::max<size_t>(llvm::Log2_64_Ceil(bytes), smallest); }

} // namespace

StepMemory::Use::Use(StepMemory &memory) : before_(std::exchange(inForce(), &memory)) {}
StepMemory::Use::~Use() { inForce() = before_; }

StepMemory::~StepMemory() {
  for (Idle *idle : idle_)
    while (idle)
      ::operator delete(std::exchange(idle, idle->next));
}

// Every small block has a power of two of bytes, wherever it was taken, because it may be given back to another pool
// and reused there.
void *StepMemory::take(size_t bytes) {
  if (!keepsBlocks || bytes > largest)
    return ::operator new(bytes);
  size_t bits = bitsFor(bytes, smallestBits);
  StepMemory *memory = inForce();
  if (!memory || !memory->idle_[bits - smallestBits])
    return ::operator new (size_t{1} << bits);
  Idle *&first = memory->idle_[bits - smallestBits];
  memory->idleBytes_ -= size_t{1} << bits;
  return std::exchange(first, first->next);
}

void StepMemory::give(void *block, size_t bytes) noexcept {
  StepMemory *memory = inForce();
  size_t bits = bytes > largest ? 0 : bitsFor(bytes, smallestBits);
  if (!keepsBlocks || !memory || bytes > largest || memory->idleBytes_ + (size_t{1} << bits) > mostIdle)
    return ::operator delete(block);
  Idle *&first = memory->idle_[bits - smallestBits];
  memory->idleBytes_ += size_t{1} << bits;
  first = new (block) Idle{first};
}

} // namespace ccgraph::runtime

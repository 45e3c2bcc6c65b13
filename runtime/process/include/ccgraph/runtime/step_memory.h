// StepMemory: a pool of memory blocks that one step frees and the next one reuses.
//
// A kernel needs temporary memory: tensor objects, lists of values, working rows, intermediate tensors. The pool keeps
// freed blocks, so many steps in steady state allocate nothing from the system. It keeps only blocks of up to `largest`
// bytes, and `mostIdle` bytes in total. Fast kernels need no larger blocks, and a rank does not keep memory that only
// one step of many uses.
//
// Ownership: owns the idle blocks. A block may be taken under one StepMemory and given back under another, under none,
// or on another thread, since all come from operator new. Failure: std::bad_alloc. Not thread-safe: in force on one
// thread at a time. Cost: a few instructions for an idle block. Under an address or thread sanitizer, nothing is kept,
// so that it sees every allocation.
#pragma once

#include <array>
#include <cstddef>

namespace ccgraph::runtime {

class StepMemory {
public:
  static constexpr size_t largest = size_t{1} << 18;
  static constexpr size_t mostIdle = size_t{4} << 20;

  StepMemory() = default;
  ~StepMemory();
  StepMemory(const StepMemory &) = delete;
  StepMemory &operator=(const StepMemory &) = delete;

  /// Activates a memory on this thread for as long as it lives; such uses nest.
  class Use {
  public:
    explicit Use(StepMemory &memory);
    ~Use();
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;

  private:
    StepMemory *before_;
  };

  /// Allocates from the active memory, or from the system where there is none.
  [[nodiscard]] static void *take(size_t bytes);
  /// `bytes` is the number that was requested.
  static void give(void *block, size_t bytes) noexcept;

private:
  /// An idle block holds a pointer to the next one of its size.
  struct Idle {
    Idle *next = nullptr;
  };
  static constexpr size_t smallestBits = 5, largestBits = 18;

  /// by size, a power of two
  std::array<Idle *, largestBits - smallestBits + 1> idle_ = {};
  size_t idleBytes_ = 0;
};

/// An allocator for containers and objects of a step.
template <typename T>
struct StepAllocator {
  using value_type = T;
  StepAllocator() = default;
  template <typename U>
  StepAllocator(const StepAllocator<U> &) {} // NOLINT(google-explicit-constructor)

  T *allocate(size_t count) { return static_cast<T *>(StepMemory::take(bytesOf(count))); }
  void deallocate(T *at, size_t count) { StepMemory::give(at, bytesOf(count)); }
  friend bool operator==(const StepAllocator &, const StepAllocator &) { return true; }

private:
  /// A product that overflows must not become a small number, so it becomes the largest one.
  static size_t bytesOf(size_t count) { return count > ~size_t{0} / sizeof(T) ? ~size_t{0} : count * sizeof(T); }
};

} // namespace ccgraph::runtime

// StepMemory: blocks of memory that one step gives back and the next one takes.
//
// A kernel needs memory for a moment: tensor objects, lists of values, working rows, tensors on the way to a result. Whoever runs
// many steps keeps what they give back, so that in steady state they ask the system for nothing. Only blocks of up to `largest`
// bytes are kept, and `mostIdle` bytes of them altogether: kernels that are made for speed need no larger ones, and a rank does not
// hold on to memory that only one step of many has use for.
//
// Ownership: owns the blocks that wait. One may be taken under one StepMemory and given back under another, under none, or on
// another thread, since all come from operator new. Failure: std::bad_alloc. Not thread-safe: in force on one thread at a time.
// Cost: a few instructions for a block that waits. Where an address or thread sanitizer watches, nothing is kept, so that it
// sees all.
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

  /// Puts a memory in force on this thread for as long as it lives; such uses nest.
  class Use {
  public:
    explicit Use(StepMemory &memory);
    ~Use();
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;

  private:
    StepMemory *before_;
  };

  /// From the memory in force, or from the system where there is none.
  [[nodiscard]] static void *take(size_t bytes);
  /// `bytes`: as many as were asked for.
  static void give(void *block, size_t bytes) noexcept;

private:
  /// A block that waits holds the next one of its size.
  struct Idle {
    Idle *next = nullptr;
  };
  static constexpr size_t smallestBits = 5, largestBits = 18;

  /// by size, a power of two
  std::array<Idle *, largestBits - smallestBits + 1> idle_ = {};
  size_t idleBytes_ = 0;
};

/// For containers and objects of a step.
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
  /// Because a product that wraps around must not become a small number: it is more than there is.
  static size_t bytesOf(size_t count) { return count > ~size_t{0} / sizeof(T) ? ~size_t{0} : count * sizeof(T); }
};

} // namespace ccgraph::runtime

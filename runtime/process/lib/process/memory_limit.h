// MemoryLimit: the most bytes that a run may hold: its tensors, the working memory of its steps, and the results for
// the caller.
//
// Sizes come from files, so a step may request more memory than the machine has, or than 64 bits can count. A tensor
// that would exceed the limit throws OutOfMemory before anything is allocated. The code that set the limit catches it
// with withinMemory(), so the exception never leaves this folder.
//
// A run has one account. Storages that are made under its limit are charged to it and credited to it when they are
// freed, by any thread and at any time. So a result that outlives its run is not charged to the next run. Without a
// limit, sizes must only be countable.
//
// Ownership: storages share their account. Limits nest, and belong to the thread that makes them: a run of several
// threads makes one on each. The last one made is active on its thread as long as it lives. Cost: an addition a
// storage.
#pragma once

#include "ccgraph/runtime/step_memory.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace ccgraph::runtime {

inline constexpr int64_t largestBytes = INT64_MAX / 8;

/// A request of memory beyond the limit, with the interface of operator new's exception.
struct OutOfMemory : std::bad_alloc {
  explicit OutOfMemory(int64_t asked) : asked(asked) {}
  /// requested bytes; largestBytes for any larger number
  int64_t asked = 0;
};

/// The bytes of one run. Several threads may work for one run. The count does not order them, so a thread sanitizer
/// still finds their races.
class MemoryAccount {
public:
  explicit MemoryAccount(int64_t most) : most_(most) {}
  ~MemoryAccount();
  MemoryAccount(const MemoryAccount &) = delete;
  MemoryAccount &operator=(const MemoryAccount &) = delete;

  /// Throws where these bytes are more than the account leaves.
  void take(int64_t bytes);
  void give(int64_t bytes) { held_.fetch_sub(bytes, std::memory_order_relaxed); }
  [[nodiscard]] int64_t most() const { return most_; }

private:
  int64_t most_;
  std::atomic<int64_t> held_ = 0;
};

/// Counts memory that is not a Storage: working memory, and copies for the caller.
struct CountedBytes {
  /// Throws where the limit in force does not allow so many more.
  static void take(int64_t bytes);
  /// Call only under the limit under which they were taken.
  static void give(int64_t bytes);

  /// Taken as long as it lives.
  struct Hold {
    explicit Hold(int64_t bytes) : bytes(bytes) { take(bytes); }
    ~Hold() { give(bytes); }
    Hold(const Hold &) = delete;
    Hold &operator=(const Hold &) = delete;
    int64_t bytes;
  };
};

/// For containers that live within one step of a run.
template <typename T>
struct CountedAllocator {
  using value_type = T;
  CountedAllocator() = default;
  template <typename U>
  CountedAllocator(const CountedAllocator<U> &) {} // NOLINT(google-explicit-constructor)

  T *allocate(size_t count) {
    CountedBytes::take(bytesOf(count));
    try {
      return StepAllocator<T>().allocate(count);
    } catch (...) {
      CountedBytes::give(bytesOf(count));
      throw;
    }
  }
  void deallocate(T *at, size_t count) {
    StepAllocator<T>().deallocate(at, count);
    CountedBytes::give(bytesOf(count));
  }
  friend bool operator==(const CountedAllocator &, const CountedAllocator &) { return true; }

private:
  static int64_t bytesOf(size_t count) { return static_cast<int64_t>(count * sizeof(T)); }
};

/// Working memory of a step, counted as its tensors are.
template <typename T>
using Scratch = std::vector<T, CountedAllocator<T>>;

class MemoryLimit {
public:
  explicit MemoryLimit(int64_t bytes);
  /// A further thread of the run that has this account.
  explicit MemoryLimit(std::shared_ptr<MemoryAccount> account);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit &) = delete;
  MemoryLimit &operator=(const MemoryLimit &) = delete;

  /// Returns the account of the active limit; never null.
  static const std::shared_ptr<MemoryAccount> &account();
  /// Throws where a tensor of these bytes could never be held: a window may be larger than its storage.
  static void check(int64_t bytes);

private:
  std::shared_ptr<MemoryAccount> before_;
};

/// Returns `body`'s result, or the error that `refuse` builds from "400 bytes", "more memory than the system gives",
/// ... where memory runs out.
template <typename Result>
llvm::Expected<Result> withinMemory(llvm::function_ref<llvm::Expected<Result>()> body,
                                    llvm::function_ref<llvm::Error(const std::string &asked)> refuse) {
  try {
    return body();
  } catch (const OutOfMemory &request) {
    return refuse((request.asked == largestBytes ? "at least " : "") + std::to_string(request.asked) + " bytes");
  } catch (const std::bad_alloc &) {
    return refuse("more memory than the system gives");
  } catch (const std::length_error &) {
    return refuse("more elements than can be counted");
  }
}

/// The variant for a body without a result.
inline llvm::Error withinMemory(llvm::function_ref<llvm::Error()> body,
                                llvm::function_ref<llvm::Error(const std::string &asked)> refuse) {
  auto done = [&]() -> llvm::Expected<bool> {
    if (llvm::Error error = body())
      return error;
    return true;
  };
  return withinMemory<bool>(done, refuse).takeError();
}

} // namespace ccgraph::runtime

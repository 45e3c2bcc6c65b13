// MemoryLimit: how many bytes a run may hold: its tensors, the working memory of its steps, and what it gives the caller.
//
// Sizes come from files, so a step may ask for more memory than there is, or for more than 64 bits count. A tensor that
// would go over the limit throws OutOfMemory before anything is allocated; whoever set the limit catches it with
// withinMemory(), so that none leaves this folder.
//
// A run has one account. Storages made while its limit is in force belong to it and are given back to it, whoever frees them,
// and when: a result that outlives its run is no debt of the next. Without a limit there is none but that sizes are countable.
//
// Ownership: storages share their account. Limits nest, and belong to the thread that makes them: a run of several threads
// makes one on each; the last one made is in force on its thread as long as it lives. Cost: an
// addition a storage.
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

/// Memory that a limit does not allow; asks for it as operator new does.
struct OutOfMemory : std::bad_alloc {
  explicit OutOfMemory(int64_t asked) : asked(asked) {}
  /// bytes that were asked for; largestBytes for any number above
  int64_t asked = 0;
};

/// What one run holds. Several threads may work for one run; the count orders nothing between them, so that a thread sanitizer sees
/// where nothing else does.
class MemoryAccount {
public:
  explicit MemoryAccount(int64_t most) : most_(most) {}

  /// Throws where these bytes are more than the account leaves.
  void take(int64_t bytes);
  void give(int64_t bytes) { held_.fetch_sub(bytes, std::memory_order_relaxed); }
  [[nodiscard]] int64_t most() const { return most_; }

private:
  int64_t most_;
  std::atomic<int64_t> held_ = 0;
};

/// What counts memory that is no Storage's: working memory, and copies for the caller.
struct CountedBytes {
  /// Throws where the limit in force does not allow so many more.
  static void take(int64_t bytes);
  /// Only under the limit under which they were taken.
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

  /// Of the limit that is in force; never null.
  static const std::shared_ptr<MemoryAccount> &account();
  /// Throws where a tensor of these bytes could never be held: a window may be larger than its storage.
  static void check(int64_t bytes);

private:
  std::shared_ptr<MemoryAccount> before_;
};

/// `body`'s result, or the error that `refuse` makes of "400 bytes", "more memory than the system gives", ... where memory
/// runs out.
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

/// The same of what yields nothing.
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

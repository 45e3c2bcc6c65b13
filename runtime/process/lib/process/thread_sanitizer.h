// Annotations for a thread sanitizer. Without one, they are empty and cost nothing.
//
// One thread runs all streams of a rank, so a race detector would see all work of one stream ordered before later work
// of another, and a missing event would not show. So each stream appears to the sanitizer as a thread of its own, with
// a stack of its own, though the streams take turns. Only the plan orders streams, and an access that no event orders
// is a data race, whatever the order in which the steps ran.
//
//   issue        what the host has done is before the step
//   waits        what the steps that record its events have done is before it
//   everything   that a stream does is before what the loop does next, as to free memory; nothing that the loop does is
//                before a step, since the loop is no part of the plan
//
// Ownership: made and destroyed on the thread of the rank. Failure: an exception of a body is the caller's. Cost: with
// a thread sanitizer, some microseconds a visit.
#pragma once

#include "ccgraph/ir/plan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <optional>
#include <vector>

namespace ccgraph::runtime {

#if defined(__SANITIZE_THREAD__)

/// By a thread sanitizer.
inline constexpr bool isWatchedForRaces = true;

/// For an object whose reference count is hidden by SharedByStreams: each use that has ended is before the destruction
/// of the object. Uses are not ordered among each other.
struct HiddenCount {
  static void endUse(const void *object);
  /// Call in the destructor of the object.
  static void awaitUses(const void *object);
};

/// State that the streams of one rank share because one thread runs them all: while the object lives, accesses count
/// neither as races nor as ordering.
struct SharedByStreams {
  SharedByStreams();
  ~SharedByStreams();
  SharedByStreams(const SharedByStreams &) = delete;
  SharedByStreams &operator=(const SharedByStreams &) = delete;
};

class StreamThreads {
  /// Makes the accesses of a stream visible. All other accesses on its thread are the loop's and stay hidden, since the
  /// stream's arguments are on the loop's stack.
  struct Seen {
    Seen();
    ~Seen();
    Seen(const Seen &) = delete;
    Seen &operator=(const Seen &) = delete;
  };

public:
  explicit StreamThreads(const Plan &plan);
  ~StreamThreads();
  StreamThreads(const StreamThreads &) = delete;
  StreamThreads &operator=(const StreamThreads &) = delete;

  /// Runs the body as the stream. The body must capture by value, or capture no variables of the loop, since those
  /// share their memory.
  template <typename Body>
  auto as(StreamId stream, Body body) {
    std::optional<decltype(body())> result;
    visit(stream, [&body, &result] {
      Body own = body;
      result.emplace([&] {
        Seen work;
        return own();
      }());
    });
    return std::move(*result);
  }

  /// The host issues a step to the stream.
  void issue(StreamId stream);
  void begin(const PlanStep &step);
  void end(const PlanStep &step);

private:
  struct Fiber;
  static void live(unsigned high, unsigned low);
  void visit(StreamId stream, llvm::function_ref<void()> body);

  std::vector<std::unique_ptr<Fiber>> fibers_;
  // Only the addresses of these matter.
  std::vector<char> issued_, events_;
  char done_ = 0;
};

#else

inline constexpr bool isWatchedForRaces = false;

struct HiddenCount {
  static void endUse(const void *) {}
  static void awaitUses(const void *) {}
};

struct SharedByStreams {
  // Not defaulted, so that no compiler mistakes a guard for an unused variable.
  SharedByStreams() {} // NOLINT(modernize-use-equals-default)
};

class StreamThreads {
public:
  explicit StreamThreads(const Plan &) {}
  template <typename Body>
  auto as(StreamId, Body body) {
    return body();
  }
  void issue(StreamId) {}
  void begin(const PlanStep &) {}
  void end(const PlanStep &) {}
};

#endif

} // namespace ccgraph::runtime

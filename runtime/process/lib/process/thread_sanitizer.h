// What a thread sanitizer is told. Where none watches, nothing is here and nothing costs.
//
// One thread runs all streams of a rank, so to a race detector what one stream does is before what another does next, and nothing tells
// that an event is missing. So each stream gets a thread of its own there, as far as the sanitizer sees, with a stack of its own, though they
// take turns: between streams nothing is ordered but by what the plan says, and an access that no event orders is a data race, whatever
// order the steps have run in.
//
//   issue        what the host has done is before the step
//   waits        what the steps that record its events have done is before it
//   everything   that a stream does is before what the loop does next, as to free memory; nothing that the loop does is before a
//                step, since the loop is no part of the plan
//
// Ownership: made and destroyed on the thread of the rank. Failure: an exception of a body is the caller's. Cost: with a thread sanitizer,
// some microseconds a visit.
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

/// What streams of one rank share because one thread runs them all: while it lives, nothing is taken for a race or for an order.
struct SharedByStreams {
  SharedByStreams();
  ~SharedByStreams();
  SharedByStreams(const SharedByStreams &) = delete;
  SharedByStreams &operator=(const SharedByStreams &) = delete;
};

class StreamThreads {
  /// What a stream does is seen. All else on its thread is the loop's, and is not: what it is handed lies on the loop's stack.
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

  /// Runs the body as the stream. What it captures it captures by value, or it is no variable of the loop's: those share their places.
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
  // Of these the addresses alone matter.
  std::vector<char> issued_, events_;
  char done_ = 0;
};

#else

inline constexpr bool isWatchedForRaces = false;

struct SharedByStreams {
  // Not defaulted, so that no compiler takes a guard for a variable that nobody uses.
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

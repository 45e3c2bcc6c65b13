// Watch: detects deadlocks, timeouts and errors among ranks that wait for one another.
//
// A rank without work sleeps here until another rank reports news. Every awake rank may report news. If all ranks
// sleep, the run is in a deadlock and ends immediately. A rank that has slept longer than the deadline ends the run
// too, and so does an error of any rank.
//
//   seen = watch.news();            // first, or news between looking and sleeping would be lost
//   if (nothing can be done)
//     watch.sleep(sleeper, seen, since);
//
// Ownership: borrows sleepers while they sleep. Failure: the run's errors are kept by rank, and the lowest one's is the
// run's. Thread-safe. Cost: reading the news is an atomic read; reporting news and sleeping take a lock.
#pragma once

#include "llvm/Support/Error.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph::runtime {

/// The interface of a rank for the watch.
class Sleeper {
public:
  virtual ~Sleeper() = default;
  [[nodiscard]] virtual int64_t rank() const = 0;
  /// Returns the reasons why it cannot continue, most important first; called only while it sleeps.
  [[nodiscard]] virtual std::vector<std::string> waitTexts() const = 0;
  /// Returns the step that it executes, for a rank that has waited for it in vain: " with `mm`"; "" between steps. May
  /// be called at any time.
  [[nodiscard]] virtual std::string busyText() const = 0;
  /// Returns the step at which it waits, as the place of the error; called only while it sleeps.
  [[nodiscard]] virtual std::string position() const = 0;
};

/// The place of an idle rank: an engine's way to pass the time, and to end the run. Watch is the implementation for
/// ranks of one process.
class Standby {
public:
  using Clock = std::chrono::steady_clock;
  virtual ~Standby() = default;
  /// Changes whenever something has happened that the rank may wait for.
  [[nodiscard]] virtual uint64_t news() = 0;
  /// The time since which a rank has been idle; empty until the clock has been read.
  using Since = std::optional<Clock::time_point>;
  /// Until there may be other news than `seen`, or the run is over. `since` is set here, at the first call or soon
  /// after, because a look at the clock costs as much as one at a peer.
  virtual void sleep(const Sleeper &sleeper, uint64_t seen, Since &since) = 0;
  /// For a rank that waits for no other: sleeps until there may be other news than `seen`, until the moment is near, or
  /// until the run is over.
  virtual void rest(uint64_t seen, Clock::time_point until) = 0;
  /// Returns true where the run has ended by an error; then every rank must stop.
  [[nodiscard]] virtual bool isOver() = 0;
};

class Watch final : public Standby {
public:
  /// All sleepers take part from the beginning and until they leave.
  Watch(std::vector<const Sleeper *> sleepers, std::chrono::milliseconds deadline);
  ~Watch() override;
  Watch(const Watch &) = delete;
  Watch &operator=(const Watch &) = delete;

  [[nodiscard]] uint64_t news() override { return news_.load(std::memory_order_acquire); }
  void tell();
  void sleep(const Sleeper &sleeper, uint64_t seen, Since &since) override;
  void rest(uint64_t seen, Clock::time_point until) override;
  /// The rank has nothing more to do.
  void leave(const Sleeper &sleeper);
  /// The rank has ended before its program did: ends the run.
  void lose(const Sleeper &sleeper);
  /// Returns when all ranks have left, or the run is over. Ranks that have left wait for the others with the same
  /// deadline: if the others do not wait for a peer themselves, no longer than the deadline without news. Called by a
  /// thread that is not a rank.
  void awaitEnd();

  /// Ends the run for all.
  void fail(int64_t rank, llvm::Error error);
  [[nodiscard]] bool isOver() override { return over_.load(std::memory_order_acquire); }
  /// After all have stopped.
  [[nodiscard]] llvm::Error takeError();

private:
  enum class State : uint8_t { Awake, Asleep, Gone };
  using Lock = std::unique_lock<std::mutex>;
  [[nodiscard]] size_t indexOf(const Sleeper &sleeper) const;
  [[nodiscard]] bool nobodyAwake() const;
  [[nodiscard]] bool allGone() const;
  void endAtStandstill();
  void endAtDeadline(const Sleeper &sleeper);
  void endAwaiting();
  [[nodiscard]] bool endIsAwaited() const;
  [[nodiscard]] llvm::Error waitError(size_t first, llvm::StringRef rule, const std::string &what) const;
  void failLocked(int64_t rank, llvm::Error error);

  std::vector<const Sleeper *> sleepers_;
  std::chrono::milliseconds deadline_;
  std::mutex mutex_;
  std::condition_variable wake_;
  /// by sleeper
  std::vector<State> states_;
  Clock::time_point lastNews_;
  std::atomic<uint64_t> news_ = 0;
  std::atomic<bool> over_ = false;
  std::map<int64_t, llvm::Error> errors_;
};

} // namespace ccgraph::runtime

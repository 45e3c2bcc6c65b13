// RankLoop: runs one rank's steps on one thread, in an order that its streams allow.
//
// The host issues steps in the order of the list; a step of the host stream runs as it is issued. Streams run their
// issued steps in order, and a step begins when its events are recorded. If the rank has no choice, it sleeps
// (watch.h). If it has several, it can issue the next step or continue one of several streams. The order for speed
// takes collectives first, since peers may wait for them; then it issues, so that more of them can begin. With
// simulated durations (pace.h), a step stays at its stream's head until its time has passed. A seed chooses at random,
// so all orders that the plan allows, and only those, can occur, and a seed reproduces them. Three of four seeds delay
// one stream: it continues only when no other can and the peers have no news after some time. This shows a missing
// wait, since the stream that should have been waited for runs last.
//
// Ownership: borrows all. Failure: run() returns the error of the first step that failed; the run is then over for all
// ranks. Cost: a look at each stream for each step; memory is taken once a run.
#pragma once

#include "engine/prepared_rank.h"
#include "process/thread_sanitizer.h"
#include "watch/watch.h"

namespace ccgraph::runtime {

class RankLoop final : public Sleeper {
public:
  /// Without a seed: the order for speed.
  RankLoop(PreparedRank &prepared, Transport &transport, std::optional<uint64_t> seed);

  enum class End : uint8_t {
    /// all steps have ended
    Finished,
    /// the run was over before
    Stopped,
    /// by a fault
    Dead
  };
  [[nodiscard]] llvm::Expected<End> run(Standby &standby);

  [[nodiscard]] int64_t rank() const override { return prepared_.state.rank; }
  [[nodiscard]] std::vector<std::string> waitTexts() const override;
  [[nodiscard]] std::string busyText() const override;
  [[nodiscard]] std::string position() const override;

private:
  struct StreamState {
    /// in the order in which they are issued
    llvm::ArrayRef<uint32_t> steps;
    /// of these: how many have ended, and how many have been issued
    size_t ended = 0;
    size_t issued = 0;
    /// the head is a collective that has been launched
    bool launched = false;
    /// its work is done, and its stated time has not passed
    bool pausing = false;
    /// of the head: calls that are not complete
    std::vector<PreparedExchange::Call> open;

    StreamId number = 0;

    [[nodiscard]] bool isIdle() const { return ended == issued; }
    /// The step that comes next; not where the stream is idle.
    [[nodiscard]] uint32_t head() const { return steps[ended]; }
  };
  /// A choice is to issue the next step (this value), or to continue the stream of this number.
  static constexpr uint32_t issueNext = ~0U;
  static constexpr uint32_t mostPatience = 32;
  static constexpr uint32_t mostIssuedAtOnce = 8;

  void findChoices();
  [[nodiscard]] uint32_t choose();
  /// Leaves the stream that is held back out of the choices. False: it is the only one, and peers get some time.
  [[nodiscard]] bool holdBack();
  [[nodiscard]] bool mayIssue() const;
  [[nodiscard]] bool mayBegin(const PlanStep &step) const;
  [[nodiscard]] bool canGoOn(const StreamState &stream) const;
  [[nodiscard]] bool isReady(const StreamState &stream, const PreparedExchange::Call &call) const;
  [[nodiscard]] bool isFinished() const { return next_ == prepared_.steps.size() && inQueues_ == 0; }
  [[nodiscard]] llvm::Error act(uint32_t choice);
  [[nodiscard]] llvm::Error issueAhead();
  [[nodiscard]] llvm::Error issue();
  [[nodiscard]] llvm::Error goOn(StreamState &stream);
  /// Whether the step at the head has ended.
  [[nodiscard]] llvm::Expected<bool> advance(StreamState &stream, PreparedStep &step);
  [[nodiscard]] llvm::Expected<bool> work(PreparedStep &step);
  [[nodiscard]] llvm::Error launch(StreamState &stream, PreparedExchange &exchange);
  [[nodiscard]] llvm::Error bind(StreamState &stream, PreparedExchange &exchange);
  [[nodiscard]] llvm::Error advanceCalls(StreamState &stream);
  // --- Simulated durations ------------------------------------------------------------------------------
  void pause(StreamState &stream);
  [[nodiscard]] FlightRecorder::Moment present() const;
  /// The moments that the recorder receives for a step that is issued, begins or ends.
  [[nodiscard]] FlightRecorder::Moment issuedAt(size_t position) const;
  [[nodiscard]] FlightRecorder::Moment readyAt(size_t position) const;
  [[nodiscard]] FlightRecorder::Moment endOf(size_t position);
  void endPause(StreamState &stream);
  [[nodiscard]] bool hasPassed(const StreamState &stream) const;
  /// False where no step's time is passing.
  [[nodiscard]] bool restUntilOneEnds(uint64_t seen);
  void end(uint32_t step);
  void setFree();
  void pop(StreamState &stream);
  [[nodiscard]] std::vector<std::string> exchangeWaits(const StreamState &stream) const;
  [[nodiscard]] std::string eventWait(uint32_t step) const;
  [[nodiscard]] bool communicates(uint32_t choice) const;
  [[nodiscard]] llvm::StringRef nameOf(uint32_t step) const { return prepared_.steps[step].plan->name.str(); }

  PreparedRank &prepared_;
  Transport &transport_;
  Standby *standby_ = nullptr;
  /// while it runs
  StreamThreads *threads_ = nullptr;
  bool dead_ = false;
  /// when the step that is about to begin does, and when the last call was complete
  FlightRecorder::Moment begun_, completed_;
  /// when the clock was looked at last, where since then only the loop itself has taken time
  mutable FlightRecorder::Moment present_;
  /// none: the order for speed
  std::optional<Numbers> order_;
  /// the next step to issue
  uint32_t next_ = 0;
  size_t inQueues_ = 0;
  std::vector<StreamState> streams_;
  std::vector<bool> recorded_;
  std::vector<uint32_t> growingUses_;
  std::vector<uint32_t> choices_;
  std::optional<StreamId> heldBack_;
  /// how often to wait for peers before the delayed stream continues
  uint32_t patience_ = mostPatience;
};

} // namespace ccgraph::runtime

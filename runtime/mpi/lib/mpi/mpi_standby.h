// MpiStandby: a rank that waits for other processes, and the common end of all of them when one fails.
//
// MPI does not report that a peer is lost or launches a different collective. So a waiting rank checks the clock and
// the messages of other processes. The first failure of a run, of this rank or reported by a peer, ends it. Then a roll
// call follows: all send their positions, and all listen for a short time. The ranks that were heard agree on one
// error, that of the lowest rank. If it is a deadline, it names the ranks that it waits for and those that do not
// answer. The lowest rank that answers reports it to the user.
//
// Ownership: borrows the job. Failure: kept until settle(). Cost: one MPI_Test every few polls.
#pragma once

#include "ccgraph/ir/diagnostic.h"
#include "mpi/mpi_job.h"
#include "watch/watch.h"

#include <functional>
#include <optional>

namespace ccgraph::runtime {

/// How many collectives of a list of members a rank has launched.
using LaunchCounts = std::map<std::vector<int64_t>, int64_t>;

class MpiStandby final : public Standby {
public:
  MpiStandby(MpiJob &job, std::chrono::milliseconds deadline) : job_(job), deadline_(deadline) {}

  // --- While the program runs ---------------------------------------------------------------------------
  /// There may always be news: MPI sends no notifications.
  [[nodiscard]] uint64_t news() override {
    asleep_ = false;
    return 0;
  }
  void sleep(const Sleeper &sleeper, uint64_t seen, Since &since) override;
  void rest(uint64_t seen, Clock::time_point until) override;
  [[nodiscard]] bool isOver() override;

  // --- Around it ----------------------------------------------------------------------------------------
  /// Returns true when the request is complete, false where the run is over. `what` names the request in messages.
  [[nodiscard]] bool wait(MpiRequest &request, llvm::StringRef what);
  /// Each process's bytes, by rank, where they may differ in length. Empty where the run is over.
  [[nodiscard]] std::vector<std::vector<std::byte>> gather(MpiComm comm, int64_t size, llvm::ArrayRef<std::byte> own,
                                                           llvm::StringRef what);
  /// The rank found nothing to do when it looked last.
  [[nodiscard]] bool isAsleep() const { return asleep_; }
  [[nodiscard]] MpiJob &job() const { return job_; }
  [[nodiscard]] std::chrono::milliseconds deadline() const { return deadline_; }

  // --- The end ------------------------------------------------------------------------------------------
  /// Ends the run for all.
  void fail(llvm::Error error);
  /// Ends the run for all, since this rank has waited for its whole deadline.
  void failLate(const Sleeper &sleeper) { failWith({{.rule = "run.deadline", .where = sleeper.position()}, true}); }
  /// Handles an error of an MPI call.
  void fail(const std::string &doing, int code) { fail(job_.error(doing, code)); }
  /// The state of this rank at a roll call.
  struct Standing {
    std::function<LaunchCounts()> counts;
    /// Receives the launch counts by rank; empty for a rank that does not answer.
    std::function<void(std::vector<std::optional<LaunchCounts>>)> learn;
    /// what it waits for; empty where it does not wait
    std::function<std::vector<std::string>()> waits;
    std::function<std::string()> position;
  };
  /// Success where the run is not over; else the roll call, and the error that all agree on.
  [[nodiscard]] llvm::Error settle(const Standing &standing);

private:
  enum MessageKind : uint8_t { Failed, Counts, Texts };
  /// The answers to one question, by rank.
  using Answers = std::vector<std::optional<std::vector<std::byte>>>;
  struct Failure {
    Diagnostic diagnostic;
    /// of a rank that has waited too long
    bool deadline = false;
  };

  void look();
  void hear(ControlChannel::Message message);
  void failWith(Failure failure);
  /// `before` has the answers to the previous question, if there was one; ranks that did not answer it get little time.
  [[nodiscard]] Answers rollCall(MessageKind kind, std::vector<std::byte> own, const Answers *before);
  [[nodiscard]] Diagnostic choose(const Answers &texts) const;
  void describeWaits(int64_t rank, const Answers &texts, Diagnostic &diagnostic) const;

  MpiJob &job_;
  std::chrono::milliseconds deadline_;
  uint64_t looks_ = 0;
  bool asleep_ = false;
  /// by rank
  std::map<int64_t, Failure> failures_;
  std::map<MessageKind, Answers> answers_;
};

} // namespace ccgraph::runtime

// Proposes an edit for a finding, after it has tried the edit on the job.
//
// Ownership: borrows the job; edited programs live as long as the Repairs object. Failure: none; a finding without a
// successful trial keeps an empty repair. Cost: each trial divides the ranks, matches and simulates once more.
#pragma once

#include "match.h"
#include "witness.h"

namespace ccgraph::jobs {

class Repairs {
public:
  /// `findings` is the number of findings of the job that are no deadlocks.
  Repairs(const JobData &job, size_t findings, size_t mostTrials)
      : job_(job), findings_(findings), trialsLeft_(mostTrials) {}

  /// Fills Finding::repair of a finding of matchRanks.
  void repair(Finding &finding);
  /// Does so for a deadlock under these rules with this witness.
  void repair(Finding &finding, const Rules &rules, llvm::ArrayRef<WitnessStep> witness);

private:
  struct Edit {
    Id rank = 0;
    Program program;
    /// other orders of the rank; empty: its own
    std::vector<Id> orders = {};
  };
  [[nodiscard]] bool succeeds(const Finding &finding, std::vector<Edit> edits);
  void takeValue(Finding &finding);
  void alignNumbers(Finding &finding);
  [[nodiscard]] bool align(Finding &finding, Id rank, Id other);
  void removeTransfer(Finding &finding);
  void addWait(Finding &finding);
  void takeOrder(Finding &finding);
  void removeLaunch(Finding &finding);
  void receiveWhatIsSent(Finding &finding);
  [[nodiscard]] std::optional<Id> orderOf(Id rank, llvm::ArrayRef<int64_t> group) const;
  [[nodiscard]] bool reorder(Finding &finding, const WitnessStep &step);

  [[nodiscard]] Id rankOf(int64_t rank) const { return job_.rankIds.lookup(rank); }
  [[nodiscard]] std::optional<Id> launchNamed(Id rank, llvm::StringRef name) const;
  [[nodiscard]] std::string nameOf(Id rank, Id launch) const;

  const JobData &job_;
  size_t findings_;
  size_t trialsLeft_;
  /// of the deadlock that is being repaired
  Rules rules_ = Semantics::Streams;
};

} // namespace ccgraph::jobs

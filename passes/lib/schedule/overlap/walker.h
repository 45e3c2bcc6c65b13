// Walker: the state of one trial schedule (walk.h).
//
// Ownership: refers to problem and tasks. Failure: none. Cost: see walk.h.
#pragma once

#include "schedule/overlap/issuer.h"
#include "schedule/overlap/stream_queue.h"
#include "schedule/overlap/transfers.h"
#include "schedule/overlap/walk.h"

#include "llvm/ADT/BitVector.h"

#include <optional>
#include <queue>
#include <set>

namespace ccgraph::overlap {

/// Computes one trial schedule. `late` null: each collective is issued alone and as late as possible, and no
/// computation is deferred.
class Walker {
public:
  Walker(const Problem &problem, const Tasks &tasks, const LateCurve *late, const Policy &policy);
  LateCurve measure();
  Trial run();

private:
  [[nodiscard]] int64_t allCompute() const { return tasks_.computeBefore(tasks_.size()); }
  [[nodiscard]] bool isDone(uint32_t task) const { return issuer_.issued(tasks_.stepOf(task)); }

  void visit(uint32_t task);
  void require(uint32_t task);
  void compute(uint32_t task);
  void finish(uint32_t task);
  void issueOne(uint32_t step);
  void issueNeeded(uint32_t step);
  void issue(uint32_t step);
  void noteDone(uint32_t task);
  void noteReady(uint32_t task);
  void start();
  void launch(llvm::ArrayRef<uint32_t> members);
  void prepare(llvm::ArrayRef<uint32_t> members);
  void complete(uint32_t bucket);
  void landWhatIsDone();

  void feed(int64_t until);
  bool feedOne(uint32_t stream, int64_t until);
  [[nodiscard]] bool hasCompletedInputs(uint32_t launch) const;
  bool launchReadyLasting(uint32_t stream);
  bool launchLasting(uint32_t stream);
  /// Returns true if each source of the prefetch is complete, or is a leaf.
  [[nodiscard]] bool canPrefetch(uint32_t launch) const {
    auto isAvailable = [&](uint32_t from) { return isDone(from) || tasks_.leaf(from); };
    return llvm::all_of(tasks_.before(launch), isAvailable) && hasCompletedInputs(launch);
  }
  [[nodiscard]] std::vector<uint32_t> nextPrefetches(const StreamQueue &queue);

  [[nodiscard]] int64_t planned(uint32_t until) const;
  [[nodiscard]] bool fits(int64_t bytes) { return budgets_.narrowByRoom(policy_.budget, bytes); }
  void makeRoom(int64_t bytes);
  void runKeptForRoom();

  void putIntoPool(uint32_t task) {
    pool_.insert(task);
    isDeferred_.set(task);
    poolTime_ += tasks_.step(task).picoseconds;
  }
  void takeFromPool(uint32_t task) {
    pool_.erase(task);
    isDeferred_.reset(task);
    poolTime_ -= tasks_.step(task).picoseconds;
  }
  [[nodiscard]] bool keep(uint32_t task);
  [[nodiscard]] bool canRunNow(uint32_t task) const;
  [[nodiscard]] uint32_t oldestThatCanRun() const;
  [[nodiscard]] bool couldRunLater(uint32_t task);
  [[nodiscard]] uint32_t filler(int64_t room);
  [[nodiscard]] uint32_t leafFor(int64_t room);
  void fillStall(uint32_t task);
  void noteRunnable(uint32_t task);
  void runKept();
  void finishAll();

  const Problem &problem_;
  const Tasks &tasks_;
  bool early_;
  Policy policy_;
  /// those with which every test of memory has had the same result
  BudgetRange budgets_;
  Issuer issuer_;
  Transfers transfers_;
  std::optional<MemoryPlan> plan_;
  std::vector<StreamQueue> queues_;
  /// by task: the number of its inputs that are not done
  std::vector<uint32_t> missing_;
  int64_t now_ = 0;
  /// the task that the schedule has reached in program order
  uint32_t at_ = 0;
  /// inputs of launches are being computed: nothing else is launched meanwhile
  bool preparing_ = false;
  /// bytes that the launches in preparation will allocate
  int64_t promised_ = 0;
  /// deferred tasks in program order, the same by task, and their total time
  std::set<uint32_t> pool_;
  llvm::BitVector isDeferred_;
  int64_t poolTime_ = 0;
  /// Deferred tasks whose inputs are all done, with the time at which these are complete; used after the last task of
  /// the program order.
  using Completion = std::pair<int64_t, uint32_t>;
  std::priority_queue<Completion, std::vector<Completion>, std::greater<>> soonest_;
  bool isThrough_ = false;
  /// index among the leaves of no launch: earlier leaves were examined
  size_t nextLeaf_ = 0;
  /// by task: the query in which it was found to be needed
  std::vector<uint32_t> asked_;
  uint32_t question_ = 0;
  /// streams beyond the first ones that have a computed launch
  std::vector<uint32_t> toFeed_;
};

} // namespace ccgraph::overlap

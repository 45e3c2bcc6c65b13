// Explorer: walks with different policies, under one memory limit after another.
//
// A walk is quick and its policy decides much: how large buckets may be, how early parameters are fetched, how much computation
// is deferred. Which policy is good depends on the program, so several are tried, one change at a time from the best so far
// (coordinate descent). Simple plans come first: small buckets, large ones, and one bucket a layer. Under each later limit the
// best policy of the limit before is tried first, and then the changes that are next in turn.
//
// Every schedule goes into a pool, those over the limit too: a larger budget may hold them. A walk plans with what it cannot know,
// so one that needs more than the limit is repeated with that much less to plan with, and one or two more plan with more
// than the limit.
//
// Ownership: refers to the problem and the pool. Failure: none. Cost: one walk for each try.
#pragma once

#include "schedule/overlap/schedule_pool.h"
#include "schedule/overlap/tasks.h"
#include "schedule/overlap/walk.h"

#include <memory>

namespace ccgraph::overlap {

/// An order that walks start from, as a problem whose steps have their numbers in it.
struct Base {
  /// The order of the program itself, which needs no copy.
  explicit Base(const Problem &standing);
  Base(const Problem &from, std::vector<uint32_t> byNumber);
  /// by step of the problem here: that of the program
  std::vector<uint32_t> order;
  /// none where the problem is the program's
  std::unique_ptr<Problem> own;
  const Problem &problem;
  Tasks tasks;
  Layers layers;
  LateCurve late;
};

class Explorer {
public:
  /// `compute`: picoseconds of computation in the program.
  Explorer(const Problem &problem, int64_t compute, SchedulePool &pool);
  void addBase(std::unique_ptr<Base> base);
  /// At least one base was added. From nothing, and then with the best policy of the limit before. `limit` in bytes.
  void explore(int64_t limit, unsigned walks);
  /// The best policy of the limit before, and the changes that are next in turn.
  void exploreOn(int64_t limit, unsigned walks);
  /// Under the last limit, some walk needed memory that it did not get.
  [[nodiscard]] bool wasLimited() const { return wasLimited_; }
  /// The simple plans, with all the memory that they need.
  void exploreSimplePlans();

private:
  /// What a walk starts from, and its policy.
  struct Attempt {
    size_t base = 0;
    Policy policy;
    bool byLayer = false;
  };
  enum class Part : uint8_t { Lead, KeepBack, PrefetchBytes, LastingBytes, LastingFirst, Plan, Base };
  /// How large buckets are.
  struct SimplePlan {
    int64_t prefetchBytes = 0;
    int64_t lastingBytes = 0;
    bool byLayer = false;
  };
  /// One part of an attempt, and the value that it gets.
  struct Change {
    Part part;
    int64_t value;
  };
  /// Bytes over the limit, then picoseconds: less is better.
  using Rank = std::pair<int64_t, int64_t>;

  void addChanges(Part part, llvm::ArrayRef<int64_t> values) {
    for (int64_t value : values)
      changes_.push_back({part, value});
  }
  [[nodiscard]] bool apply(Change change, Attempt &attempt) const;
  static bool applyPlan(const SimplePlan &plan, Attempt &attempt);
  [[nodiscard]] Rank rankOf(const Schedule &schedule) const {
    return {std::max<int64_t>(schedule.peakBytes - limit_, 0), schedule.picoseconds};
  }
  [[nodiscard]] bool exhausted() const { return walks_ == 0; }
  [[nodiscard]] Schedule walkWith(const Attempt &attempt) const;
  void attempt(const Attempt &attempt);
  void setLimit(int64_t limit, unsigned walks);
  void begin();
  void descend();
  void tryOtherPlans();
  void advance();
  void loosen();

  const Problem &problem_;
  SchedulePool &pool_;
  std::vector<std::unique_ptr<Base>> bases_;
  std::vector<SimplePlan> plans_;
  /// those of one part stand next to each other, the likeliest first
  std::vector<Change> changes_;
  /// the first of the changes that only matter for large buckets
  size_t firstLarge_ = 0;
  int64_t shortLead_;
  int64_t shorterLead_;
  int64_t limit_ = unlimited;
  /// left under this limit
  unsigned walks_ = 0;
  bool wasLimited_ = false;
  Attempt initial_;
  /// the attempt with the best rank; none before the first limit
  std::optional<Attempt> before_;
  Attempt leader_;
  Rank leaderRank_ = {unlimited, unlimited};
  /// the change that is next in turn
  size_t turn_ = 0;
};

} // namespace ccgraph::overlap

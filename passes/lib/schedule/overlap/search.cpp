#include "schedule/overlap/search.h"

#include "schedule/overlap/beam.h"
#include "schedule/overlap/fill_stalls.h"
#include "schedule/overlap/frugal_order.h"
#include "schedule/overlap/replay.h"
#include "schedule/overlap/sturdy.h"
#include "schedule/overlap/walk.h"

#include <algorithm>
#include <memory>

namespace ccgraph::overlap {

namespace {

constexpr int64_t mebibyte = int64_t{1} << 20;
/// Walks of one policy, each with the bytes less that the one before took too many.
constexpr unsigned maxTightenings = 3;
/// Percent of the budget that the last walk may plan with.
constexpr int64_t loosePercent = 108;
/// Each cut that is tried costs about as much as half a walk.
constexpr unsigned walksPerCut = 2;

/// The values that are tried for each part of a policy, the likeliest first.
struct Choices {
  std::vector<int64_t> prefetchBytes = {512 * mebibyte, 0, 64 * mebibyte, 128 * mebibyte, 256 * mebibyte,
                                        1024 * mebibyte};
  std::vector<int64_t> lastingBytes = {2048 * mebibyte, 0, 64 * mebibyte, 256 * mebibyte, 512 * mebibyte,
                                       1024 * mebibyte};
  std::vector<int64_t> lead;
  std::vector<int64_t> keepBack;
};

/// An order that walks start from, as a problem whose steps have their numbers in it.
struct Base {
  /// The order of the program itself, which needs no copy.
  explicit Base(const Problem &standing)
      : order(asItStands(standing).order), problem(standing), tasks(problem), late(lateCurve(problem, tasks)) {}
  Base(const Problem &from, std::vector<uint32_t> byNumber)
      : order(std::move(byNumber)), own(std::make_unique<Problem>(renumbered(from, order))), problem(*own),
        tasks(problem), late(lateCurve(problem, tasks)) {}
  /// by step of the problem here: that of the program
  std::vector<uint32_t> order;
  /// none where the problem is the program's
  std::unique_ptr<Problem> own;
  const Problem &problem;
  Tasks tasks;
  LateCurve late;
};

/// What a walk starts from, and what it tries.
struct Attempt {
  size_t base = 0;
  Policy policy;
};

class Search {
public:
  Search(const Problem &problem, const SearchOptions &options) : problem_(problem), options_(options) {
    int64_t compute = considerWhatStands();
    addBases();
    choices_.lead = {unlimited, 0, compute / 100, compute / 20, compute / 400};
    choices_.keepBack = {compute / 100, 0, unlimited, compute / 30, compute / 300};
  }
  Schedule run();

private:
  /// Bytes over the budget, then picoseconds: less is better.
  using Rank = std::pair<int64_t, int64_t>;
  [[nodiscard]] Rank rankOf(const Schedule &schedule) const;
  [[nodiscard]] bool isBetter(const Schedule &schedule) const { return rankOf(schedule) < rankOf(best_); }
  /// Picoseconds of computation.
  int64_t considerWhatStands();
  void addBases();
  void consider(Schedule schedule);
  [[nodiscard]] Schedule judged(Schedule schedule) const;
  [[nodiscard]] Schedule walkFrom(const Base &base, const Policy &policy) const;
  void attempt(const Attempt &attempt);
  void descend();
  void loosen();
  void askBeam();
  template <class Part, class Value>
  void vary(Part partOf, const std::vector<Value> &values);
  [[nodiscard]] bool exhausted() const { return walks_ >= options_.maxWalks; }

  const Problem &problem_;
  SearchOptions options_;
  std::vector<std::unique_ptr<Base>> bases_;
  Choices choices_;
  Schedule best_;
  /// the best walk; the best schedule may still be the one that was there
  Attempt leader_;
  Rank leaderRank_ = {unlimited, unlimited};
  unsigned walks_ = 0;
};

Search::Rank Search::rankOf(const Schedule &schedule) const {
  return {std::max<int64_t>(schedule.peakBytes - options_.budget, 0), schedule.picoseconds};
}

int64_t Search::considerWhatStands() {
  best_ = asItStands(problem_);
  Replay now = replay(problem_, best_);
  best_.picoseconds = now.total;
  best_.peakBytes = now.peakBytes;
  return now.compute;
}

void Search::addBases() {
  FrugalOrder frugal = frugalOrder(problem_); // first, because it needs much memory for a moment
  bases_.push_back(std::make_unique<Base>(problem_));
  // Because no order fits, the least that is known to do takes the budget's place.
  if (options_.budget < frugal.floor)
    options_.budget = frugal.peak;
  if (frugal.order == best_.order)
    return;
  Schedule schedule;
  schedule.order = frugal.order;
  bases_.push_back(std::make_unique<Base>(problem_, std::move(frugal.order)));
  consider(measured(problem_, std::move(schedule)));
}

void Search::consider(Schedule schedule) {
  if (isBetter(schedule))
    best_ = std::move(schedule);
}

Schedule Search::walkFrom(const Base &base, const Policy &policy) const {
  Schedule schedule = walk(base.problem, base.tasks, base.late, policy);
  for (uint32_t &step : schedule.order)
    step = base.order[step];
  for (std::vector<uint32_t> &bucket : schedule.buckets)
    for (uint32_t &step : bucket)
      step = base.order[step];
  return judged(std::move(schedule));
}

/// Because walks and beams take the machine for a perfect one.
Schedule Search::judged(Schedule schedule) const {
  if (!problem_.crowding.empty())
    schedule.picoseconds = replayTimes(problem_, schedule).total;
  return schedule;
}

/// Because a walk plans with what it cannot know, one that needs too much is walked again with less to plan with.
void Search::attempt(const Attempt &attempt) {
  Policy tight = attempt.policy;
  tight.budget = options_.budget;
  int64_t peak = unlimited;
  for (unsigned i = 0; i < maxTightenings && !exhausted(); ++i) {
    ++walks_;
    Schedule schedule = walkFrom(*bases_[attempt.base], tight);
    int64_t schedulePeak = schedule.peakBytes;
    int64_t over = schedulePeak - options_.budget;
    if (Rank rank = rankOf(schedule); rank < leaderRank_) {
      leaderRank_ = rank;
      leader_ = attempt;
    }
    consider(std::move(schedule));
    if (over <= 0 || schedulePeak >= peak)
      return;
    peak = schedulePeak;
    tight.budget -= over;
  }
}

template <class Part, class Value>
void Search::vary(Part partOf, const std::vector<Value> &values) {
  Attempt start = leader_;
  for (Value value : values) {
    if (exhausted())
      return;
    Attempt next = start;
    partOf(next) = value;
    if (partOf(next) != partOf(start))
      attempt(next);
  }
}

void Search::descend() {
  Rank before = {unlimited, unlimited};
  while (!exhausted() && leaderRank_ < before) {
    before = leaderRank_;
    vary([](Attempt &it) -> int64_t & { return it.policy.lead; }, choices_.lead);
    vary([](Attempt &it) -> int64_t & { return it.policy.keepBack; }, choices_.keepBack);
    vary([](Attempt &it) -> int64_t & { return it.policy.prefetchBytes; }, choices_.prefetchBytes);
    vary([](Attempt &it) -> int64_t & { return it.policy.lastingBytes; }, choices_.lastingBytes);
    vary([](Attempt &it) -> bool & { return it.policy.lastingFirst; }, std::vector<bool>{false, true});
    vary([](Attempt &it) -> size_t & { return it.base; }, std::vector<size_t>{0, bases_.size() - 1});
  }
}

// A plan takes what it did not foresee to stay, and so counts more than a walk needs in the end. Where leads are short, little is
// in flight at a time, and a walk that plans with more than there is may keep within it all the same.
/// The best walk once or twice more, with short leads and a plan above the budget; what it really needs decides.
void Search::loosen() {
  if (options_.budget >= unlimited)
    return;
  Policy loose = leader_.policy;
  loose.budget = options_.budget / 100 * loosePercent;
  for (int64_t lead : {choices_.lead[2], choices_.lead.back()}) {
    loose.lead = std::min(leader_.policy.lead, lead);
    Schedule schedule = walkFrom(*bases_[leader_.base], loose);
    bool fits = schedule.peakBytes <= options_.budget;
    consider(std::move(schedule));
    if (fits)
      return;
  }
}

void Search::askBeam() {
  if (options_.beamWidth == 0)
    return;
  if (std::optional<BeamResult> found = beam(problem_, {options_.budget, options_.beamWidth}))
    consider(judged(std::move(found->schedule)));
}

Schedule Search::run() {
  // Because programs bound by their transfers want large buckets, and others small ones, both ends are looked at first.
  Attempt start;
  start.policy.lead = choices_.lead.front();
  start.policy.keepBack = choices_.keepBack.front();
  for (start.base = 0; start.base < bases_.size(); ++start.base)
    for (bool large : {true, false}) {
      start.policy.prefetchBytes = large ? choices_.prefetchBytes.front() : 0;
      start.policy.lastingBytes = large ? choices_.lastingBytes.front() : 0;
      attempt(start);
    }
  descend();
  loosen();
  bases_.clear(); // because no walk follows, and what does needs much memory of its own
  askBeam();
  consider(measured(problem_, fillStalls(problem_, best_, options_.budget)));
  return sturdy(problem_, std::move(best_), {options_.budget, options_.maxWalks / walksPerCut});
}

} // namespace

Schedule search(const Problem &problem, const SearchOptions &options) { return Search(problem, options).run(); }

} // namespace ccgraph::overlap

#include "schedule/overlap/limit_search.h"

#include "ccgraph/ir/int_list.h"

#include "schedule/overlap/replay.h"

#include <algorithm>

namespace ccgraph::overlap {

namespace {

constexpr int64_t mebibyte = int64_t{1} << 20;
/// Trial schedules of one policy; each plans with less, by the excess of the previous one.
constexpr unsigned maxTightenings = 3;
/// Percent of the budget that the last trial schedule may plan with.
constexpr int64_t loosePercent = 108;

/// Large buckets get this part of all trial schedules, ...
constexpr unsigned largeParts = 4;
/// ... and must save this part of the step.
constexpr int64_t worthPart = 100;
/// Reductions wait for nothing, so their buckets may be larger by this factor.
constexpr int64_t lastingTimes = 4;

/// The values that are tried for each part of a policy, the likeliest first.
struct Choices {
  std::vector<int64_t> prefetchBytes = {512 * mebibyte, 0, 64 * mebibyte, 128 * mebibyte, 256 * mebibyte,
                                        1024 * mebibyte};
  std::vector<int64_t> lastingBytes = {2048 * mebibyte, 0, 64 * mebibyte, 256 * mebibyte, 512 * mebibyte,
                                       1024 * mebibyte};
  std::vector<int64_t> lead;
  std::vector<int64_t> keepBack;
};

class LimitSearch {
public:
  LimitSearch(const Problem &problem, const SharedTrials &shared, const SearchOptions &options)
      : problem_(problem), starts_(shared.starts), record_(shared.record),
        options_(options), best_{starts_.schedules().front()} {
    for (const Schedule &start : starts_.schedules().drop_front())
      consider({start});
    int64_t compute = starts_.compute();
    choices_.lead = {unlimited, 0, compute / 100, compute / 20, compute / 400};
    choices_.keepBack = {compute / 100, 0, unlimited, compute / 30, compute / 300};
  }
  LimitResult run();
  LimitResult repeat(const Attempt &earlier);

private:
  /// A schedule with its time and peak. If these were recorded, it has no order yet.
  struct Candidate {
    Schedule schedule;
    std::optional<Attempt> attempt = std::nullopt; ///< computes it; none: a start
    bool isRecorded = false;
  };
  [[nodiscard]] Rank rankOf(const Candidate &it) const { return rankUnder(options_.budget, it.schedule); }
  void consider(Candidate candidate);
  [[nodiscard]] Schedule walkWith(const Attempt &attempt);
  [[nodiscard]] Candidate candidateOf(const Attempt &attempt);
  void attempt(const Attempt &attempt);
  void descend();
  void refine();
  void loosen();
  void tryLargeBuckets();
  LimitResult take();
  template <class Part, class Value>
  void vary(Part partOf, const std::vector<Value> &values);
  [[nodiscard]] bool exhausted() const { return walks_ >= options_.maxWalks; }

  const Problem &problem_;
  const Starts &starts_;
  TrialRecord &record_;
  SearchOptions options_;
  Choices choices_;
  Candidate best_;
  Attempt leader_;
  Rank leaderRank_ = {unlimited, unlimited};
  unsigned walks_ = 0;
};

void LimitSearch::consider(Candidate candidate) {
  if (rankOf(candidate) < rankOf(best_))
    best_ = std::move(candidate);
}

/// Computes and records a trial schedule. It assumes a machine without contention, so with contention a replay
/// evaluates it.
Schedule LimitSearch::walkWith(const Attempt &attempt) {
  auto [schedule, budgets] = starts_.bases()[attempt.base]->walkWith(attempt.policy);
  if (!problem_.crowding.empty())
    schedule.picoseconds = timeOf(problem_, schedule);
  record_.add(attempt, budgets, {schedule.picoseconds, schedule.peakBytes});
  return schedule;
}

/// Returns a trial schedule, or its recorded result.
LimitSearch::Candidate LimitSearch::candidateOf(const Attempt &attempt) {
  std::optional<TrialResult> known = record_.find(attempt);
  if (!known)
    return {walkWith(attempt), attempt};
  return {{{}, {}, known->picoseconds, known->peakBytes}, attempt, true};
}

LimitResult LimitSearch::take() {
  if (const Schedule *kept = best_.isRecorded ? record_.kept(*best_.attempt) : nullptr)
    return {*kept, leader_};
  Schedule best = std::move(best_.schedule);
  if (best_.isRecorded) {
    Schedule again = starts_.bases()[best_.attempt->base]->walkWith(best_.attempt->policy).schedule;
    best.order = std::move(again.order); // the recorded time includes contention
    best.buckets = std::move(again.buckets);
  }
  if (best_.attempt)
    record_.keep(*best_.attempt, best);
  return {std::move(best), leader_};
}

/// Computes a trial schedule. Its plan may underestimate memory, so if it needs too much, it is repeated with a smaller
/// budget.
void LimitSearch::attempt(const Attempt &attempt) {
  Attempt tight = attempt;
  tight.policy.budget = options_.budget;
  int64_t peak = unlimited;
  for (unsigned i = 0; i < maxTightenings && !exhausted(); ++i) {
    ++walks_;
    Candidate candidate = candidateOf(tight);
    int64_t schedulePeak = candidate.schedule.peakBytes;
    int64_t over = schedulePeak - options_.budget;
    if (Rank rank = rankOf(candidate); rank < leaderRank_) {
      leaderRank_ = rank;
      leader_ = attempt;
    }
    consider(std::move(candidate));
    if (over <= 0 || schedulePeak >= peak)
      return;
    peak = schedulePeak;
    tight.policy.budget -= over;
  }
}

template <class Part, class Value>
void LimitSearch::vary(Part partOf, const std::vector<Value> &values) {
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

void LimitSearch::descend() {
  Rank before = {unlimited, unlimited};
  while (!exhausted() && leaderRank_ < before) {
    before = leaderRank_;
    vary([](Attempt &it) -> int64_t & { return it.policy.lead; }, choices_.lead);
    vary([](Attempt &it) -> int64_t & { return it.policy.keepBack; }, choices_.keepBack);
    vary([](Attempt &it) -> int64_t & { return it.policy.prefetchBytes; }, choices_.prefetchBytes);
    vary([](Attempt &it) -> int64_t & { return it.policy.lastingBytes; }, choices_.lastingBytes);
    vary([](Attempt &it) -> bool & { return it.policy.lastingFirst; }, std::vector<bool>{false, true});
    vary([](Attempt &it) -> size_t & { return it.base; }, std::vector<size_t>{0, starts_.bases().size() - 1});
  }
}

/// Tries buckets that are a little smaller or larger than the best ones so far: a whole layer may be just above one of
/// the values of descend().
void LimitSearch::refine() {
  constexpr int64_t eighths[] = {6, 10, 7, 12};
  auto around = [&](int64_t bytes) {
    std::vector<int64_t> values;
    for (const int64_t part : eighths)
      values.push_back(saturatingMultiply(bytes / 8, part));
    return values;
  };
  Rank before = {unlimited, unlimited};
  while (!exhausted() && leaderRank_ < before) {
    before = leaderRank_;
    vary([](Attempt &it) -> int64_t & { return it.policy.prefetchBytes; }, around(leader_.policy.prefetchBytes));
    vary([](Attempt &it) -> int64_t & { return it.policy.lastingBytes; }, around(leader_.policy.lastingBytes));
  }
}

// Repeats the best trial schedule once or twice, with short leads and a plan above the budget; its real peak decides. A
// plan assumes that unplanned memory stays live, and so overestimates the peak. With short leads, little is in flight
// at one time, and a trial schedule that plans with more than the budget may still stay within it.
void LimitSearch::loosen() {
  if (options_.budget >= unlimited)
    return;
  Attempt loose = leader_;
  loose.policy.budget = options_.budget / 100 * loosePercent;
  for (int64_t lead : {choices_.lead[2], choices_.lead.back()}) {
    loose.policy.lead = std::min(leader_.policy.lead, lead);
    Candidate candidate = candidateOf(loose);
    bool fits = candidate.schedule.peakBytes <= options_.budget;
    consider(std::move(candidate));
    if (fits)
      return;
  }
}

/// Tries buckets that are larger than those of descend(). A large bucket loses time on links that are faster or slower
/// than planned, so the gain must exceed a threshold.
void LimitSearch::tryLargeBuckets() {
  int64_t large = starts_.largeBucket();
  if (large <= choices_.prefetchBytes.front())
    return;
  Candidate usual = best_;
  Attempt usualLeader = leader_;
  options_.maxWalks = walks_ + std::max(maxTightenings, options_.maxWalks / largeParts);
  Rank before = leaderRank_;
  Attempt start = leader_;
  start.policy.prefetchBytes = large;
  start.policy.lastingBytes = saturatingMultiply(lastingTimes, large);
  attempt(start);
  if (leaderRank_ < before) {
    vary([](Attempt &it) -> int64_t & { return it.policy.prefetchBytes; },
         std::vector<int64_t>{saturatingMultiply(2, large), large / 2});
    vary([](Attempt &it) -> int64_t & { return it.policy.lastingBytes; },
         std::vector<int64_t>{saturatingMultiply(2 * lastingTimes, large), large});
    loosen();
  }
  const int64_t slowest = usual.schedule.picoseconds - usual.schedule.picoseconds / worthPart;
  if (usual.schedule.peakBytes <= options_.budget && best_.schedule.picoseconds > slowest) {
    best_ = std::move(usual);
    leader_ = usualLeader;
  }
}

LimitResult LimitSearch::run() {
  // Programs limited by communication need large buckets, and others small ones, so both ends are tried first.
  Attempt start;
  start.policy.lead = choices_.lead.front();
  start.policy.keepBack = choices_.keepBack.front();
  for (start.base = 0; start.base < starts_.bases().size(); ++start.base)
    for (bool large : {true, false}) {
      start.policy.prefetchBytes = large ? choices_.prefetchBytes.front() : 0;
      start.policy.lastingBytes = large ? choices_.lastingBytes.front() : 0;
      attempt(start);
    }
  descend();
  refine();
  loosen();
  tryLargeBuckets();
  return take();
}

LimitResult LimitSearch::repeat(const Attempt &earlier) {
  options_.maxWalks = maxTightenings;
  attempt(earlier);
  loosen();
  return take();
}

} // namespace

// The order of two ranks depends on the limit only as far as the schedules fit it.
Rank rankUnder(Budget limit, const Schedule &schedule) {
  return {limit.fits(schedule.peakBytes) ? 0 : schedule.peakBytes - limit.bytes(), schedule.picoseconds};
}

LimitResult searchUnder(const Problem &problem, const SharedTrials &shared, const SearchOptions &options) {
  return LimitSearch(problem, shared, options).run();
}

LimitResult searchBriefly(const Problem &problem, const SharedTrials &shared, int64_t limit, const Attempt &attempt) {
  return LimitSearch(problem, shared, {limit}).repeat(attempt);
}

} // namespace ccgraph::overlap

#include "schedule/overlap/explorer.h"

#include "schedule/overlap/frugal_order.h"
#include "schedule/overlap/replay.h"

#include <algorithm>
#include <map>

namespace ccgraph::overlap {

namespace {

constexpr int64_t mebibyte = int64_t{1} << 20;
/// Walks of one policy, each with the bytes less that the one before took too many.
constexpr unsigned maxTightenings = 3;
/// Percent of the limit that the last walks may plan with.
constexpr int64_t loosePercent = 108;

/// Other plans get one part in so many of all walks.
constexpr unsigned otherParts = 4;
/// The least size of large buckets.
constexpr int64_t leastLarge = 512 * mebibyte;
/// A transfer of large buckets takes at most so many percent more time a byte than the largest bucket of its kind.
constexpr int64_t largePercent = 102;
/// Reductions wait for nothing, so their buckets may be so many times as large.
constexpr int64_t lastingTimes = 4;

/// Picoseconds a mebibyte of one transfer of so many bytes.
int64_t paceOf(const Problem &problem, uint32_t launch, int64_t bytes) {
  return problem.price(launch, bytes) / (bytes / mebibyte);
}

/// By merge key: a launch of it, and the bytes of all.
std::map<uint32_t, std::pair<uint32_t, int64_t>> mergeable(const Problem &problem) {
  std::map<uint32_t, std::pair<uint32_t, int64_t>> found;
  for (uint32_t step = 0; step < problem.steps.size(); ++step)
    if (const Step &it = problem.steps[step]; it.kind == StepKind::Launch && it.mergeKey != none) {
      found.try_emplace(it.mergeKey, step, 0);
      found[it.mergeKey].second += it.bytes;
    }
  return found;
}

/// Bytes of a bucket that hardly any larger one is better than: the latency of a transfer among many ranks takes a part of
/// the time of a smaller one.
int64_t largeBucket(const Problem &problem) {
  int64_t large = leastLarge;
  for (auto [key, kind] : mergeable(problem)) {
    auto [launch, all] = kind;
    if (all <= large)
      continue;
    int64_t best = paceOf(problem, launch, all);
    while (2 * large <= all && 100 * paceOf(problem, launch, large) > largePercent * best)
      large *= 2;
  }
  return large;
}

} // namespace

Base::Base(const Problem &standing)
    : order(asItStands(standing).order), problem(standing), tasks(problem), layers(tasks),
      late(lateCurve(problem, tasks)) {}

Base::Base(const Problem &from, std::vector<uint32_t> byNumber)
    : order(std::move(byNumber)), own(std::make_unique<Problem>(renumbered(from, order))), problem(*own),
      tasks(problem), layers(tasks), late(lateCurve(problem, tasks)) {}

Explorer::Explorer(const Problem &problem, int64_t compute, SchedulePool &pool)
    : problem_(problem), pool_(pool), shortLead_(compute / 100), shorterLead_(compute / 400) {
  int64_t large = largeBucket(problem);
  constexpr int64_t unit = leastLarge;
  plans_ = {{unit, lastingTimes * unit}, {0, 0}, {0, 0, true}};
  if (large > unit)
    plans_.push_back({large, lastingTimes * large});
  addChanges(Part::Lead, {unlimited, 0, compute / 100, compute / 20, compute / 400});
  addChanges(Part::KeepBack, {compute / 100, 0, unlimited, compute / 30, compute / 300});
  addChanges(Part::PrefetchBytes, {unit, 0, unit / 8, unit / 4, unit / 2, 2 * unit});
  addChanges(Part::LastingBytes, {4 * unit, 0, unit / 8, unit / 2, unit, 2 * unit});
  addChanges(Part::LastingFirst, {0, 1});
  firstLarge_ = turn_ = changes_.size();
  addChanges(Part::PrefetchBytes, {2 * large, large / 2, large, large / 4});
  addChanges(Part::LastingBytes, {16 * large, 2 * large, large, 4 * large});
  for (size_t plan = 0; plan < plans_.size(); ++plan)
    addChanges(Part::Plan, static_cast<int64_t>(plan));
  initial_.policy.lead = unlimited;
  initial_.policy.keepBack = compute / 100;
  leader_ = initial_;
}

void Explorer::addBase(std::unique_ptr<Base> base) {
  bases_.push_back(std::move(base));
  if (bases_.size() > 1)
    addChanges(Part::Base, {0, static_cast<int64_t>(bases_.size()) - 1});
}

bool Explorer::applyPlan(const SimplePlan &plan, Attempt &attempt) {
  Policy &policy = attempt.policy;
  bool isSame = attempt.byLayer == plan.byLayer && policy.prefetchBytes == plan.prefetchBytes &&
                policy.lastingBytes == plan.lastingBytes;
  attempt.byLayer = plan.byLayer;
  policy.prefetchBytes = plan.prefetchBytes;
  policy.lastingBytes = plan.lastingBytes;
  return !isSame;
}

/// False if the attempt had that value already.
bool Explorer::apply(Change change, Attempt &attempt) const {
  auto set = [&](auto &part) {
    auto value = static_cast<std::remove_reference_t<decltype(part)>>(change.value);
    return std::exchange(part, value) != value;
  };
  switch (change.part) {
  case Part::Lead:
    return set(attempt.policy.lead);
  case Part::KeepBack:
    return set(attempt.policy.keepBack);
  case Part::PrefetchBytes:
    return set(attempt.policy.prefetchBytes);
  case Part::LastingBytes:
    return set(attempt.policy.lastingBytes);
  case Part::LastingFirst:
    return set(attempt.policy.lastingFirst);
  case Part::Plan:
    return applyPlan(plans_[static_cast<size_t>(change.value)], attempt);
  case Part::Base:
    return set(attempt.base);
  }
  return false;
}

/// Walks take the machine for a perfect one, so a replay says how long the schedule takes on a crowded machine.
Schedule Explorer::walkWith(const Attempt &attempt) const {
  const Base &base = *bases_[attempt.base];
  Policy policy = attempt.policy;
  policy.layers = attempt.byLayer ? &base.layers : nullptr;
  Schedule schedule = walk(base.problem, base.tasks, base.late, policy);
  for (uint32_t &step : schedule.order)
    step = base.order[step];
  for (std::vector<uint32_t> &bucket : schedule.buckets)
    for (uint32_t &step : bucket)
      step = base.order[step];
  if (!problem_.crowding.empty())
    schedule.picoseconds = replayTimes(problem_, schedule).total;
  return schedule;
}

void Explorer::attempt(const Attempt &attempt) {
  Attempt tight = attempt;
  tight.policy.budget = limit_;
  int64_t peak = unlimited;
  for (unsigned i = 0; i < maxTightenings && !exhausted(); ++i) {
    --walks_;
    Schedule schedule = walkWith(tight);
    int64_t schedulePeak = schedule.peakBytes;
    int64_t over = schedulePeak - limit_;
    wasLimited_ |= schedule.isLimited;
    if (Rank rank = rankOf(schedule); rank < leaderRank_) {
      leaderRank_ = rank;
      leader_ = attempt;
    }
    pool_.add(std::move(schedule));
    if (over <= 0 || schedulePeak >= peak)
      return;
    peak = schedulePeak;
    tight.policy.budget -= over;
  }
}

/// Programs bound by their transfers need large buckets, and others small ones, so both ends are tried.
void Explorer::begin() {
  Attempt start = initial_;
  for (start.base = 0; start.base < bases_.size(); ++start.base)
    for (size_t plan : {0, 1}) {
      applyPlan(plans_[plan], start);
      attempt(start);
    }
}

/// All changes for buckets of any size, one part after another, from the best attempt when the part began; again for as long as
/// that helps.
void Explorer::descend() {
  Rank before = {unlimited, unlimited};
  while (!exhausted() && leaderRank_ < before) {
    before = leaderRank_;
    Attempt start = leader_;
    for (size_t i = 0; i < changes_.size() && !exhausted(); ++i) {
      if (i >= firstLarge_ && changes_[i].part != Part::Base)
        continue;
      if (i > 0 && changes_[i].part != changes_[i - 1].part)
        start = leader_;
      if (Attempt next = start; apply(changes_[i], next))
        attempt(next);
    }
  }
}

/// The plans that begin() did not try, and changes of the sizes of their buckets if one of them is the best.
void Explorer::tryOtherPlans() {
  Rank before = leaderRank_;
  Attempt start = leader_;
  for (const SimplePlan &plan : llvm::drop_begin(plans_, 2))
    if (Attempt next = start; applyPlan(plan, next))
      attempt(next);
  if (leaderRank_ < before)
    advance();
}

/// The changes that are next in turn.
void Explorer::advance() {
  for (size_t i = 0; i < changes_.size() && !exhausted(); ++i) {
    Attempt next = leader_;
    if (apply(changes_[turn_], next))
      attempt(next);
    turn_ = (turn_ + 1) % changes_.size();
  }
}

// A plan takes what it did not foresee to stay, and so counts more than a walk needs in the end. Where leads are short, little is
// in flight at a time, and a walk that plans with more than there is may keep within it all the same.
/// The best walk once or twice more, with short leads and a plan above the limit; what it really needs decides.
void Explorer::loosen() {
  if (limit_ >= unlimited)
    return;
  Attempt loose = leader_;
  loose.policy.budget = limit_ / 100 * loosePercent;
  for (int64_t lead : {shortLead_, shorterLead_}) {
    loose.policy.lead = std::min(leader_.policy.lead, lead);
    Schedule schedule = walkWith(loose);
    bool fits = schedule.peakBytes <= limit_;
    pool_.add(std::move(schedule));
    if (fits)
      return;
  }
}

void Explorer::exploreSimplePlans() {
  Attempt start = initial_;
  start.policy.budget = unlimited;
  for (start.base = 0; start.base < bases_.size(); ++start.base)
    for (const SimplePlan &plan : plans_) {
      applyPlan(plan, start);
      pool_.add(walkWith(start));
    }
}

void Explorer::setLimit(int64_t limit, unsigned walks) {
  limit_ = limit;
  walks_ = walks;
  leaderRank_ = {unlimited, unlimited};
  wasLimited_ = false;
}

void Explorer::explore(int64_t limit, unsigned walks) {
  setLimit(limit, walks);
  begin();
  descend();
  loosen();
  Rank before = leaderRank_;
  walks_ = static_cast<unsigned>(plans_.size()) + walks / otherParts;
  tryOtherPlans();
  if (before_) {
    walks_ = maxTightenings;
    attempt(Attempt(*before_));
  }
  if (leaderRank_ < before)
    loosen();
  before_ = leader_;
}

void Explorer::exploreOn(int64_t limit, unsigned walks) {
  setLimit(limit, walks);
  attempt(Attempt(leader_));
  advance();
  loosen();
  before_ = leader_;
}

} // namespace ccgraph::overlap

#include "schedule/overlap/search.h"

#include "schedule/overlap/beam.h"
#include "schedule/overlap/replay.h"
#include "schedule/overlap/walk.h"

#include <algorithm>

namespace ccgraph::overlap {

namespace {

constexpr int64_t mebibyte = int64_t{1} << 20;
/// Walks of one policy, each with the bytes less that the one before took too many.
constexpr unsigned maxTightenings = 3;

/// The values that are tried for each part of a policy, the likeliest first.
struct Choices {
  std::vector<int64_t> prefetchBytes = {512 * mebibyte, 0, 64 * mebibyte, 128 * mebibyte, 256 * mebibyte,
                                        1024 * mebibyte};
  std::vector<int64_t> lastingBytes = {2048 * mebibyte, 0, 64 * mebibyte, 256 * mebibyte, 512 * mebibyte,
                                       1024 * mebibyte};
  std::vector<int64_t> lead;
  std::vector<int64_t> keepBack;
};

class Search {
public:
  Search(const Problem &problem, const SearchOptions &options)
      : problem_(problem), options_(options), tasks_(problem), late_(lateCurve(problem, tasks_)) {
    best_ = asItStands(problem);
    Replay now = replay(problem, best_);
    best_.picoseconds = now.total;
    best_.peakBytes = now.peakBytes;
    int64_t compute = now.compute;
    choices_.lead = {unlimited, 0, compute / 100, compute / 20, compute / 400};
    choices_.keepBack = {compute / 100, 0, unlimited, compute / 30, compute / 300};
  }
  Schedule run();

private:
  [[nodiscard]] bool isBetter(const Schedule &schedule) const;
  void attempt(const Policy &policy);
  void descend();
  void askBeam();
  template <class Value>
  void vary(Value Policy::*part, const std::vector<Value> &values);
  [[nodiscard]] bool exhausted() const { return walks_ >= options_.maxWalks; }

  const Problem &problem_;
  SearchOptions options_;
  Tasks tasks_;
  LateCurve late_;
  Choices choices_;
  Schedule best_;
  /// Bytes over the budget, then picoseconds: less is better.
  using Rank = std::pair<int64_t, int64_t>;
  /// of the best walk; the best schedule may still be the one that was there
  Policy policy_;
  Rank policyRank_ = {unlimited, unlimited};
  unsigned walks_ = 0;
};

bool Search::isBetter(const Schedule &schedule) const {
  bool fits = schedule.peakBytes <= options_.budget, fitted = best_.peakBytes <= options_.budget;
  if (fits != fitted)
    return fits;
  return fits ? schedule.picoseconds < best_.picoseconds : schedule.peakBytes < best_.peakBytes;
}

/// Because a walk plans with what it cannot know, one that needs too much is walked again with less to plan with.
void Search::attempt(const Policy &policy) {
  Policy tight = policy;
  tight.budget = options_.budget;
  int64_t peak = unlimited;
  for (unsigned i = 0; i < maxTightenings && !exhausted(); ++i) {
    ++walks_;
    Schedule schedule = walk(problem_, tasks_, late_, tight);
    int64_t schedulePeak = schedule.peakBytes;
    int64_t over = schedulePeak - options_.budget;
    Rank rank = {std::max<int64_t>(over, 0), schedule.picoseconds};
    if (rank < policyRank_) {
      policyRank_ = rank;
      policy_ = policy;
    }
    if (isBetter(schedule))
      best_ = std::move(schedule);
    if (over <= 0 || schedulePeak >= peak)
      return;
    peak = schedulePeak;
    tight.budget -= over;
  }
}

template <class Value>
void Search::vary(Value Policy::*part, const std::vector<Value> &values) {
  Policy base = policy_;
  for (Value value : values) {
    if (exhausted())
      return;
    Policy policy = base;
    policy.*part = value;
    if (policy.*part != base.*part)
      attempt(policy);
  }
}

void Search::descend() {
  Rank before = {unlimited, unlimited};
  while (!exhausted() && policyRank_ < before) {
    before = policyRank_;
    vary(&Policy::lead, choices_.lead);
    vary(&Policy::keepBack, choices_.keepBack);
    vary(&Policy::prefetchBytes, choices_.prefetchBytes);
    vary(&Policy::lastingBytes, choices_.lastingBytes);
    vary(&Policy::lastingFirst, {false, true});
  }
}

void Search::askBeam() {
  if (options_.beamWidth == 0)
    return;
  if (std::optional<BeamResult> found = beam(problem_, {options_.budget, options_.beamWidth}))
    if (isBetter(found->schedule))
      best_ = std::move(found->schedule);
}

Schedule Search::run() {
  // Because programs bound by their transfers want large buckets, and others small ones, both ends are looked at first.
  Policy start;
  start.lead = choices_.lead.front();
  start.keepBack = choices_.keepBack.front();
  for (bool large : {true, false}) {
    start.prefetchBytes = large ? choices_.prefetchBytes.front() : 0;
    start.lastingBytes = large ? choices_.lastingBytes.front() : 0;
    attempt(start);
  }
  descend();
  askBeam();
  return std::move(best_);
}

} // namespace

Schedule search(const Problem &problem, const SearchOptions &options) { return Search(problem, options).run(); }

} // namespace ccgraph::overlap

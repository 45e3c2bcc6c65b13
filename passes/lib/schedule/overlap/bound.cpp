#include "schedule/overlap/bound.h"

#include "schedule/overlap/before_after.h"
#include "schedule/overlap/bucket_limits.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <queue>

namespace ccgraph::overlap {

namespace {

struct Job {
  int64_t head = 0;
  int64_t picoseconds = 0;
  int64_t tail = 0;
};

/// Returns the earliest end of one machine that may preempt its jobs.
int64_t jackson(std::vector<Job> jobs) {
  llvm::stable_sort(jobs, [](const Job &a, const Job &b) { return a.head < b.head; });
  auto shorterTail = [&](size_t a, size_t b) { return jobs[a].tail < jobs[b].tail; };
  std::priority_queue<size_t, std::vector<size_t>, decltype(shorterTail)> released(shorterTail);
  int64_t now = 0, end = 0;
  for (size_t next = 0; next < jobs.size() || !released.empty();) {
    if (released.empty())
      now = std::max(now, jobs[next].head);
    for (; next < jobs.size() && jobs[next].head <= now; ++next)
      released.push(next);
    Job &job = jobs[released.top()];
    int64_t until = next < jobs.size() ? jobs[next].head : unlimited;
    int64_t ran = std::min(until - now, job.picoseconds);
    now += ran;
    job.picoseconds -= ran;
    if (job.picoseconds > 0)
      continue;
    end = std::max(end, now + job.tail);
    released.pop();
  }
  return end;
}

/// Picoseconds times bytes may exceed 64 bits.
llvm::APInt wide(int64_t value) { return {128, static_cast<uint64_t>(value)}; }
llvm::APInt product(int64_t a, int64_t b) { return wide(a) * wide(b); }

/// The best rates of the collectives of one key.
class Rates {
public:
  /// `launch`: one of them.
  Rates(const Problem &problem, uint32_t launch) : problem_(problem), launch_(launch) {}

  /// Returns the time of `bytes` in a larger bucket of at most `most` bytes, at the best rate, rounded down.
  int64_t picoseconds(int64_t bytes, int64_t most) {
    while (next_ < most) {
      best_.push_back(best_.empty() ? at(next_) : better(best_.back(), at(next_)));
      next_ *= 2;
    }
    // A bucket of several members has at least two bytes, so there is a smaller power of two, with the best rate of all
    // before it.
    Rate rate = better(best_[llvm::Log2_64_Ceil(static_cast<uint64_t>(most)) - 1], at(most));
    return static_cast<int64_t>(product(bytes, rate.picoseconds).udiv(wide(rate.bytes)).getZExtValue());
  }

private:
  struct Rate {
    int64_t bytes = 0;
    int64_t picoseconds = 0;
  };
  [[nodiscard]] Rate at(int64_t bytes) const { return {bytes, problem_.estimatedTime(launch_, bytes)}; }
  static Rate better(Rate a, Rate b) {
    return product(b.picoseconds, a.bytes).ult(product(a.picoseconds, b.bytes)) ? b : a;
  }

  const Problem &problem_;
  uint32_t launch_;
  /// by exponent: the best rate at powers of two up to that one
  std::vector<Rate> best_;
  int64_t next_ = 1;
};

/// Returns the times by step of a launch.
std::vector<Moments> transferTimes(const Problem &problem) {
  std::vector<int64_t> largest = largestBuckets(problem);
  llvm::DenseMap<uint32_t, Rates> rates;
  std::vector<Moments> times(problem.steps.size());
  for (uint32_t step = 0; step < problem.steps.size(); ++step) {
    const Step &it = problem.steps[step];
    times[step] = {it.picoseconds, it.picoseconds};
    if (largest[step] <= it.bytes)
      continue;
    Rates &known = rates.try_emplace(it.mergeKey, problem, step).first->second;
    times[step][Merged] = std::min(it.picoseconds, known.picoseconds(it.bytes, largest[step]));
  }
  return times;
}

/// Returns, by step, the time that must follow its end; a collective ends at its completion.
std::vector<Moments> tailsOf(const Problem &problem, const std::vector<Moments> &remaining) {
  std::vector<Moments> tails = remaining;
  for (uint32_t step = 0; step < problem.steps.size(); ++step)
    if (problem.steps[step].kind == StepKind::Launch)
      tails[step] = {};
  for (uint32_t step = 0; step < problem.steps.size(); ++step)
    for (uint32_t launch : problem.completes[step])
      for (TransferCase which : {Unmerged, Merged})
        tails[launch][which] = std::max(tails[launch][which], remaining[step][which]);
  return tails;
}

/// Heads, times and tails of all steps, and the bounds of the streams.
class Streams {
public:
  explicit Streams(const Problem &problem)
      : problem_(problem), times_(transferTimes(problem)), heads_(earliest(problem, times_)),
        tails_(tailsOf(problem, remaining(problem, times_))) {}
  [[nodiscard]] Bound bound(TransferCase which) const;

private:
  const Problem &problem_;
  std::vector<Moments> times_, heads_, tails_;
};

Bound Streams::bound(TransferCase which) const {
  std::vector<std::vector<Job>> streams(problem_.streams + 1);
  for (uint32_t step = 0; step < problem_.steps.size(); ++step) {
    const Step &it = problem_.steps[step];
    bool launches = it.kind == StepKind::Launch;
    if (it.picoseconds > 0 && (launches || it.kind == StepKind::Compute))
      streams[launches ? it.stream : problem_.streams].push_back(
          {heads_[step][which], times_[step][which], tails_[step][which]});
  }
  Bound bound;
  for (uint32_t stream = 0; stream < streams.size(); ++stream)
    if (int64_t end = jackson(std::move(streams[stream])); end > bound.picoseconds)
      bound = {end, stream < problem_.streams ? stream : none};
  return bound;
}

} // namespace

Bounds lowerBounds(const Problem &problem) {
  Streams streams(problem);
  return {streams.bound(Unmerged), streams.bound(Merged)};
}

} // namespace ccgraph::overlap

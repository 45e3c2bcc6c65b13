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

/// The best rates of the collectives of one key, by the maximum size of their bucket. The rate of a size between two
/// sizes of `sizes_` is never better than that of both.
class Rates {
public:
  /// `launch`: one of them. `most`: the maximum bytes of any of their buckets.
  Rates(const Problem &problem, uint32_t launch, int64_t most) : problem_(problem), launch_(launch) {
    findSizes(most);
    for (int64_t size : sizes_)
      best_.push_back(best_.empty() ? at(size) : better(best_.back(), at(size)));
  }

  /// Returns the time of `bytes` in a larger bucket of at most `most` bytes, at the best rate, rounded down.
  [[nodiscard]] int64_t picoseconds(int64_t bytes, int64_t most) const {
    auto smaller = llvm::upper_bound(sizes_, most) - sizes_.begin();
    Rate rate = better(best_[static_cast<size_t>(smaller - 1)], at(most));
    return static_cast<int64_t>(product(bytes, rate.picoseconds).udiv(wide(rate.bytes)).getZExtValue());
  }

private:
  struct Rate {
    int64_t bytes = 0;
    int64_t picoseconds = 0;
  };
  void findSizes(int64_t most);
  /// A time is rounded to a picosecond, and a bound must not exceed the exact time of a larger size.
  [[nodiscard]] Rate at(int64_t bytes) const {
    return {bytes, std::max<int64_t>(0, problem_.estimatedTime(launch_, bytes) - 1)};
  }
  static Rate better(Rate a, Rate b) {
    return product(b.picoseconds, a.bytes).ult(product(a.picoseconds, b.bytes)) ? b : a;
  }

  const Problem &problem_;
  uint32_t launch_;
  /// bytes, ascending; the first is 1
  std::vector<int64_t> sizes_;
  /// by size: the best rate of all sizes up to that one
  std::vector<Rate> best_;
};

/// Collects both sides of each size where the formula of the time may change.
void Rates::findSizes(int64_t most) {
  std::vector<int64_t> changes;
  if (problem_.timePieces)
    changes = problem_.timePieces(launch_);
  for (unsigned exponent = 0; exponent <= llvm::Log2_64(static_cast<uint64_t>(most)); ++exponent)
    changes.push_back(int64_t{1} << exponent);
  for (int64_t size : changes)
    for (int64_t side : {size - 1, size, size + 1})
      if (side >= 1 && side <= most)
        sizes_.push_back(side);
  llvm::sort(sizes_);
  sizes_.erase(std::unique(sizes_.begin(), sizes_.end()), sizes_.end());
}

/// Returns, by key, the maximum bytes of any bucket.
llvm::DenseMap<uint32_t, int64_t> largestOfKeys(const Problem &problem, llvm::ArrayRef<int64_t> largest) {
  llvm::DenseMap<uint32_t, int64_t> most;
  for (uint32_t step = 0; step < problem.steps.size(); ++step)
    if (largest[step] > 0)
      most[problem.steps[step].mergeKey] = std::max(most[problem.steps[step].mergeKey], largest[step]);
  return most;
}

/// Returns the times by step of a launch.
std::vector<Moments> transferTimes(const Problem &problem) {
  std::vector<int64_t> largest = largestBuckets(problem);
  llvm::DenseMap<uint32_t, int64_t> most = largestOfKeys(problem, largest);
  llvm::DenseMap<uint32_t, Rates> rates;
  std::vector<Moments> times(problem.steps.size());
  for (uint32_t step = 0; step < problem.steps.size(); ++step) {
    const Step &it = problem.steps[step];
    times[step] = {it.picoseconds, it.picoseconds};
    if (largest[step] > it.bytes) {
      const Rates &known = rates.try_emplace(it.mergeKey, problem, step, most[it.mergeKey]).first->second;
      times[step][Merged] = std::min(it.picoseconds, known.picoseconds(it.bytes, largest[step]));
    } else if (it.cut && it.bytes > 0) {
      times[step][Merged] = std::min(it.picoseconds, Rates(problem, step, it.bytes).picoseconds(it.bytes, it.bytes));
    }
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

Bound boundOf(const Problem &problem, const JobTimes &all, TransferCase which) {
  std::vector<std::vector<Job>> streams(problem.streams + 1);
  for (uint32_t step = 0; step < problem.steps.size(); ++step) {
    const Step &it = problem.steps[step];
    bool launches = it.kind == StepKind::Launch;
    if (it.picoseconds > 0 && (launches || it.kind == StepKind::Compute))
      streams[launches ? it.stream : problem.streams].push_back(
          {all.heads[step][which], all.times[step][which], all.tails[step][which]});
  }
  Bound bound;
  for (uint32_t stream = 0; stream < streams.size(); ++stream)
    if (int64_t end = jackson(std::move(streams[stream])); end > bound.picoseconds)
      bound = {end, stream < problem.streams ? stream : none};
  return bound;
}

} // namespace

JobTimes jobTimes(const Problem &problem) {
  JobTimes jobs;
  jobs.times = transferTimes(problem);
  jobs.heads = earliest(problem, jobs.times);
  jobs.tails = tailsOf(problem, remaining(problem, jobs.times));
  return jobs;
}

Bounds lowerBounds(const Problem &problem, const JobTimes &jobs) {
  return {boundOf(problem, jobs, Unmerged), boundOf(problem, jobs, Merged)};
}

Bounds lowerBounds(const Problem &problem) { return lowerBounds(problem, jobTimes(problem)); }

} // namespace ccgraph::overlap

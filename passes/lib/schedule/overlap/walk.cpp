#include "schedule/overlap/walker.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <utility>

namespace ccgraph::overlap {

namespace {

/// A task is not deferred if its slack is below the first part of all computation, or its time is below the second
/// part.
constexpr int64_t slackParts = 400;
constexpr int64_t fillerParts = 5000;
/// Number of next tasks whose memory deferred tasks must leave free.
constexpr uint32_t lookAhead = 64;
/// Maximum number of deferred tasks, the oldest, that are examined.
constexpr size_t maxKeptAsked = 256;
/// Maximum number of streams that are fed before they have a computed launch; with more, each task would examine too
/// many.
constexpr size_t maxFedStreams = 64;

} // namespace

Walker::Walker(const Problem &problem, const Tasks &tasks, const LateCurve *late, const Policy &policy)
    : problem_(problem), tasks_(tasks), early_(late != nullptr), policy_(policy), issuer_(problem, tasks),
      transfers_(problem, tasks), missing_(tasks.size()), isDeferred_(tasks.size()), asked_(tasks.size()) {
  std::vector<std::vector<uint32_t>> prefetches(problem.streams);
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    missing_[task] = static_cast<uint32_t>(tasks.before(task).size());
    if (tasks.prefetchable(task))
      prefetches[tasks.step(task).stream].push_back(task);
  }
  for (std::vector<uint32_t> &launches : prefetches)
    queues_.emplace_back(tasks, std::move(launches));
  if (late)
    plan_.emplace(tasks, *late);
}

//===--- Tasks ----------------------------------------------------------------------------------------------------===//

/// Issues all waits of the bucket that are ready, since they cost nothing more.
void Walker::complete(uint32_t bucket) {
  if (transfers_.completed(bucket))
    return;
  transfers_.complete(bucket);
  now_ = std::max(now_, transfers_.end(bucket));
  for (uint32_t launch : transfers_.members(bucket))
    for (uint32_t wait : tasks_.waitsOf(tasks_.stepOf(launch)))
      if (!issuer_.issued(wait) && issuer_.ready(wait) && tasks_.taskOf(wait) == none)
        issuer_.issue(wait);
}

void Walker::landWhatIsDone() {
  for (uint32_t bucket = transfers_.firstToEnd(); bucket != none && transfers_.end(bucket) <= now_;
       bucket = transfers_.firstToEnd())
    complete(bucket);
}

void Walker::issueOne(uint32_t step) {
  for (uint32_t launch : problem_.completes[step])
    complete(transfers_.bucketOf(tasks_.taskOf(launch)));
  if (!issuer_.issued(step))
    issuer_.issue(step);
}

/// Issues the waits and views that the step needs.
void Walker::issueNeeded(uint32_t step) {
  for (uint32_t needed : issuer_.between(step))
    issueOne(needed);
}

void Walker::issue(uint32_t step) {
  issueNeeded(step);
  issueOne(step);
}

void Walker::finish(uint32_t task) {
  issue(tasks_.stepOf(task));
  noteDone(task);
}

void Walker::noteDone(uint32_t task) {
  for (uint32_t user : tasks_.after(task))
    if (--missing_[user] == 0)
      noteReady(user);
}

void Walker::noteReady(uint32_t task) {
  if (!tasks_.launches(task) || tasks_.prefetchable(task))
    return noteRunnable(task);
  uint32_t stream = tasks_.step(task).stream;
  queues_[stream].produced(task);
  promised_ += tasks_.allocates(task);
  if (stream >= maxFedStreams)
    toFeed_.push_back(stream);
}

/// Runs the remaining inputs of the task, in program order, which is a valid order.
void Walker::require(uint32_t task) {
  if (missing_[task] == 0)
    return;
  ++question_;
  llvm::SmallVector<uint32_t, 16> open = {task}, needed;
  while (!open.empty()) {
    uint32_t at = open.pop_back_val();
    for (uint32_t from : tasks_.before(at))
      if (!isDone(from) && std::exchange(asked_[from], question_) != question_) {
        needed.push_back(from);
        open.push_back(from);
      }
  }
  llvm::sort(needed);
  for (uint32_t from : needed) {
    if (isDone(from))
      continue;
    if (tasks_.launches(from))
      launch(from);
    else
      compute(from);
  }
}

/// Runs a task whose sources are done.
void Walker::compute(uint32_t task) {
  int64_t time = tasks_.step(task).picoseconds;
  if (early_) {
    if (time > 0)
      feed(std::max(now_, transfers_.completesFor(task)) + time);
    makeRoom(tasks_.allocates(task));
    if (isDone(task)) // a launch has needed it
      return;
  }
  if (isDeferred_.test(task))
    takeFromPool(task);
  finish(task);
  now_ += time;
  if (early_)
    landWhatIsDone();
}

/// Computes the inputs of the members.
void Walker::prepare(llvm::ArrayRef<uint32_t> members) {
  bool before = preparing_;
  preparing_ = true;
  int64_t bytes = 0;
  for (uint32_t member : members) {
    require(member);
    bytes += tasks_.allocates(member);
  }
  preparing_ = before;
  if (early_ && tasks_.prefetchable(members.front()))
    makeRoom(bytes);
}

void Walker::launch(llvm::ArrayRef<uint32_t> members) {
  prepare(members);
  for (uint32_t member : members)
    issueNeeded(tasks_.stepOf(member)); // the transfer starts after these waits, so they move the clock first
  uint32_t bucket = transfers_.start(members, now_);
  for (uint32_t member : members) {
    queues_[tasks_.step(member).stream].launched(member);
    if (!tasks_.prefetchable(member))
      promised_ -= tasks_.allocates(member);
    else if (plan_)
      plan_->reserve(member, tasks_.neededBy(member));
    finish(member);
  }
  if (!early_ && !tasks_.prefetchable(members.front()))
    complete(bucket);
}

void Walker::visit(uint32_t task) {
  at_ = task;
  issuer_.reach(tasks_.stepOf(task));
  if (plan_)
    plan_->reach(task);
  if (isDone(task) || tasks_.feedsPrefetch(task) || tasks_.prefetchable(task))
    return;
  if (tasks_.launches(task)) {
    // An early launch is issued when its stream is fed.
    if (early_ && !tasks_.step(task).fixed)
      return;
    require(task);
    if (!isDone(task))
      launch(task);
    return;
  }
  if (keep(task))
    return;
  require(task);
  runKeptForRoom();
  fillStall(task);
  if (!isDone(task))
    compute(task);
}

//===--- Streams --------------------------------------------------------------------------------------------------===//

/// Returns the prefetches that are needed next, as far as memory and the maximum size of a bucket allow.
std::vector<uint32_t> Walker::nextPrefetches(const StreamQueue &queue) {
  std::vector<uint32_t> members;
  int64_t transferred = 0, allocated = 0;
  for (uint32_t task : queue.prefetches()) {
    if (isDone(task))
      continue;
    const Step &step = tasks_.step(task);
    transferred += step.bytes;
    allocated += tasks_.allocates(task);
    bool joins = members.empty() || (step.mergeKey != none && step.mergeKey == tasks_.step(members.front()).mergeKey &&
                                     transferred <= policy_.prefetchBytes && members.size() < mostMembers);
    if (!joins || !canPrefetch(task) || !fits(planned(tasks_.neededBy(task)) + allocated))
      break;
    members.push_back(task);
  }
  return members;
}

bool Walker::hasCompletedInputs(uint32_t launch) const { return transfers_.completesFor(launch) <= now_; }

/// Launches lasting collectives of the stream whose inputs have completed; returns false if there is none.
bool Walker::launchReadyLasting(uint32_t stream) {
  const StreamQueue &queue = queues_[stream];
  if (!queue.hasLasting())
    return false;
  std::vector<uint32_t> members = queue.lasting(policy_.lastingBytes);
  llvm::erase_if(members, [&](uint32_t launch) { return !hasCompletedInputs(launch); });
  if (members.empty())
    return false;
  launch(members);
  return true;
}

bool Walker::launchLasting(uint32_t stream) {
  if (!queues_[stream].hasLasting())
    return false;
  launch(queues_[stream].lasting(policy_.lastingBytes));
  return true;
}

/// Issues one more collective on the stream; returns false if none should be issued now.
bool Walker::feedOne(uint32_t stream, int64_t until) {
  StreamQueue &queue = queues_[stream];
  if (queue.hasPrompt() && hasCompletedInputs(queue.firstPrompt())) {
    launch(queue.firstPrompt());
    return true;
  }
  int64_t latest = unlimited;
  if (!queue.prefetches().empty())
    latest = queue.latestStart() + now_ - tasks_.computeBefore(at_);
  bool inTime = latest > std::max(now_, transfers_.freeAt(stream)) + queue.lastingTime();
  bool wanted = latest <= until + policy_.lead && !(policy_.lastingFirst && inTime && queue.hasLasting());
  if (wanted && !queue.prefetches().empty())
    if (std::vector<uint32_t> members = nextPrefetches(queue); !members.empty()) {
      launch(members);
      return true;
    }
  return launchReadyLasting(stream);
}

/// Keeps the streams busy until that moment.
void Walker::feed(int64_t until) {
  if (preparing_)
    return;
  auto fill = [&](uint32_t stream) {
    while (transfers_.freeAt(stream) < until && feedOne(stream, until))
      continue;
  };
  for (uint32_t stream = 0; stream < std::min(queues_.size(), maxFedStreams); ++stream)
    fill(stream);
  std::vector<uint32_t> streams;
  streams.swap(toFeed_);
  for (uint32_t stream : streams) {
    fill(stream);
    if (queues_[stream].hasPrompt() || queues_[stream].hasLasting())
      toFeed_.push_back(stream);
  }
}

//===--- Memory ---------------------------------------------------------------------------------------------------===//

/// Returns the predicted maximum memory from here to before the task.
int64_t Walker::planned(uint32_t until) const {
  return plan_->largestUntil(until) + plan_->unplanned(issuer_.bytes() + promised_);
}

/// Waits for collectives, the first to end first, until this many bytes more fit, or none is left that would free
/// memory.
void Walker::makeRoom(int64_t bytes) {
  auto isOver = [&] { return !fits(issuer_.bytes() + promised_ + bytes); };
  landWhatIsDone();
  while (isOver()) {
    if (!preparing_)
      for (uint32_t stream = 0; stream < std::min(queues_.size(), maxFedStreams); ++stream)
        while (isOver() && launchLasting(stream))
          continue;
    uint32_t first = transfers_.firstToEnd();
    if (first == none)
      return;
    complete(first);
  }
}

/// Runs deferred tasks, the oldest first, as long as the memory that they hold is needed by the next tasks.
void Walker::runKeptForRoom() {
  if (pool_.empty())
    return;
  uint32_t ahead = std::min(at_ + lookAhead, tasks_.size());
  while (!fits(planned(ahead))) {
    uint32_t oldest = oldestThatCanRun();
    if (oldest == none)
      return;
    compute(oldest);
  }
}

//===--- Deferred tasks -------------------------------------------------------------------------------------------===//

bool Walker::canRunNow(uint32_t task) const { return missing_[task] == 0 && transfers_.completesFor(task) <= now_; }

/// Returns the oldest deferred task that can run; none if there is none.
uint32_t Walker::oldestThatCanRun() const {
  for (const auto &kept : llvm::enumerate(pool_)) {
    if (kept.index() == maxKeptAsked)
      break;
    if (canRunNow(kept.value()))
      return kept.value();
  }
  return none;
}

/// Returns true if there is room for the results of the task and its readers, since a deferred task runs among other
/// tasks.
bool Walker::couldRunLater(uint32_t task) {
  int64_t makes = tasks_.allocates(task);
  for (uint32_t user : tasks_.after(task))
    makes += tasks_.allocates(user);
  return fits(planned(std::min(at_ + lookAhead, tasks_.size())) + makes);
}

/// Defers the task if it can wait: to fill a stall, because it would stall itself, or because it needs a deferred task.
bool Walker::keep(uint32_t task) {
  if (!early_ || tasks_.step(task).kind == StepKind::Wait || task + 1 == tasks_.size())
    return false;
  uint32_t needed = tasks_.neededBy(task);
  if (tasks_.computeBefore(needed) - tasks_.computeBefore(task) <= allCompute() / slackParts)
    return false;
  bool follows =
      llvm::any_of(tasks_.before(task), [&](uint32_t from) { return !isDone(from) && !tasks_.launches(from); });
  bool stalls = llvm::any_of(tasks_.completed(task), [&](uint32_t from) {
    return !isDone(from) || transfers_.end(transfers_.bucketOf(from)) > now_;
  });
  int64_t time = tasks_.step(task).picoseconds;
  bool fills =
      !stalls && time >= allCompute() / fillerParts && poolTime_ + time <= policy_.keepBack && couldRunLater(task);
  bool lasts = needed + 1 == tasks_.size();
  if (!follows && !fills && !(stalls && lasts))
    return false;
  putIntoPool(task);
  return true;
}

/// Returns the longest deferred task that fits the stall, or else the shortest; none if nothing can run.
uint32_t Walker::filler(int64_t room) {
  uint32_t best = none;
  for (const auto &kept : llvm::enumerate(pool_)) {
    if (kept.index() == maxKeptAsked)
      break;
    uint32_t task = kept.value();
    if (!canRunNow(task) || !fits(issuer_.bytes() + promised_ + tasks_.allocates(task)))
      continue;
    int64_t time = tasks_.step(task).picoseconds;
    int64_t bestTime = best == none ? unlimited : tasks_.step(best).picoseconds;
    if (bestTime <= room ? time <= room && time > bestTime : time < bestTime)
      best = task;
  }
  return best;
}

/// Returns the next cheap computation on parameters that fits the stall; none if there is none.
uint32_t Walker::leafFor(int64_t room) {
  llvm::ArrayRef<uint32_t> leaves = tasks_.otherLeaves();
  while (nextLeaf_ < leaves.size() && (isDone(leaves[nextLeaf_]) || leaves[nextLeaf_] < at_))
    ++nextLeaf_;
  if (nextLeaf_ == leaves.size())
    return none;
  uint32_t leaf = leaves[nextLeaf_];
  bool isChosen = tasks_.step(leaf).picoseconds <= room && fits(planned(leaf) + tasks_.allocates(leaf));
  return isChosen ? leaf : none;
}

/// Runs other tasks until the inputs of the task are complete, or nothing is left to fill the time.
void Walker::fillStall(uint32_t task) {
  while (early_ && transfers_.completesFor(task) > now_) {
    feed(transfers_.completesFor(task));
    landWhatIsDone();
    int64_t room = transfers_.completesFor(task) - now_;
    uint32_t next = filler(room);
    if (next == none && (next = leafFor(room)) != none)
      plan_->reserve(next, next);
    if (next == none)
      return;
    require(next);
    compute(next);
  }
}

/// Records a deferred task that can run; has no effect before runKept().
void Walker::noteRunnable(uint32_t task) {
  if (isThrough_ && missing_[task] == 0 && isDeferred_.test(task))
    soonest_.push({transfers_.completesFor(task), task});
}

/// Runs the deferred tasks after the last task of the program order, those that can run soonest first.
void Walker::runKept() {
  isThrough_ = true;
  for (uint32_t task : pool_)
    noteRunnable(task);
  while (!pool_.empty()) {
    feed(now_ + 1);
    landWhatIsDone();
    while (!soonest_.empty() && isDone(soonest_.top().second))
      soonest_.pop();
    if (soonest_.empty())
      return;
    compute(soonest_.top().second);
  }
}

//===--- Whole schedule -------------------------------------------------------------------------------------------===//

void Walker::start() {
  issuer_.issueInputs();
  for (uint32_t task = 0; task < tasks_.size(); ++task)
    if (tasks_.step(task).input)
      noteDone(task);
  for (uint32_t task = 0; task < tasks_.size(); ++task)
    if (tasks_.before(task).empty() && !tasks_.step(task).input)
      noteReady(task);
}

/// Issues the remaining steps: launches without readers, waits at the end.
void Walker::finishAll() {
  for (uint32_t task = 0; task < tasks_.size(); ++task) {
    if (isDone(task))
      continue;
    require(task);
    if (task + 1 == tasks_.size())
      for (uint32_t step = 0; step < problem_.steps.size(); ++step)
        if (tasks_.taskOf(step) == none && !issuer_.issued(step))
          issue(step);
    if (tasks_.launches(task))
      launch(task);
    else
      compute(task);
  }
}

LateCurve Walker::measure() {
  LateCurve curve;
  start();
  for (uint32_t task = 0; task < tasks_.size(); ++task) {
    visit(task);
    curve.during.push_back(issuer_.takeRecentPeak());
    curve.after.push_back(issuer_.bytes());
  }
  return curve;
}

Trial Walker::run() {
  start();
  for (uint32_t task = 0; task + 1 < tasks_.size(); ++task)
    visit(task);
  at_ = tasks_.size() - 1;
  plan_->reach(at_);
  runKept();
  for (uint32_t stream = 0; stream < queues_.size(); ++stream)
    while (launchLasting(stream))
      continue;
  finishAll();
  Trial trial{{}, budgets_};
  trial.schedule.order = issuer_.takeOrder();
  trial.schedule.buckets = transfers_.merged();
  trial.schedule.picoseconds = std::max(now_, transfers_.allDone());
  trial.schedule.peakBytes = issuer_.peak();
  return trial;
}

LateCurve lateCurve(const Problem &problem, const Tasks &tasks) {
  return Walker(problem, tasks, nullptr, {}).measure();
}

Trial walk(const Problem &problem, const Tasks &tasks, const LateCurve &late, const Policy &policy) {
  return Walker(problem, tasks, &late, policy).run();
}

} // namespace ccgraph::overlap

#include "schedule/overlap/fill_stalls.h"

#include "schedule/overlap/bucket_holds.h"
#include "schedule/overlap/memory_curve.h"
#include "schedule/overlap/places.h"
#include "schedule/overlap/replay.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <utility>

namespace ccgraph::overlap {

namespace {

/// Among the steps that could run in a stall: how many are examined, and how many are moved.
constexpr unsigned maxAsked = 256;
constexpr size_t maxMoved = 64;
/// A storage with more holders, and its holders, are not moved: each move visits all holders.
constexpr size_t maxHolders = 64;

/// Returns, by storage, the steps that hold it, including the last waits of buckets.
NumberLists holdersOf(const Problem &problem, const Schedule &schedule) {
  BucketHolds buckets(problem, schedule);
  NumberLists held;
  for (uint32_t step = 0; step < problem.steps.size(); ++step) {
    for (uint32_t storage : problem.holds[step])
      held.push(storage);
    for (uint32_t storage : buckets.beside(step))
      held.push(storage);
    held.endList();
  }
  return held.inverse(problem.storages.size());
}

/// Returns, by position in the order, for how many picoseconds the compute stream stalls there.
std::vector<int64_t> stallsOf(const Problem &problem, const Schedule &schedule) {
  const Replay times = replayTimes(problem, schedule);
  std::vector<int64_t> stalls;
  stalls.reserve(schedule.order.size());
  for (uint32_t step : schedule.order)
    stalls.push_back(problem.steps[step].kind == StepKind::Wait ? times.left[step] - times.at[step] : 0);
  return stalls;
}

/// The positions of steps, and the resulting memory. A moved step is directly before the step whose position it has.
class Places {
public:
  Places(const Problem &problem, const Schedule &schedule)
      : problem_(problem), holders_(holdersOf(problem, schedule)), of_(placesOf(schedule.order)),
        curve_(memoryByPlace(problem, schedule)) {}
  [[nodiscard]] size_t of(uint32_t step) const { return of_[step]; }
  /// Returns, by step, its position.
  [[nodiscard]] const std::vector<size_t> &all() const { return of_; }
  [[nodiscard]] bool mayMove(uint32_t step) const {
    return llvm::all_of(problem_.holds[step], [&](uint32_t storage) { return holders_[storage].size() <= maxHolders; });
  }
  [[nodiscard]] int64_t largest(size_t from, size_t to) const { return curve_.largest(from, to); }
  void move(uint32_t step, size_t place) {
    llvm::SmallVector<Life, 8> before;
    for (uint32_t storage : problem_.holds[step])
      before.push_back(lifeOf(storage));
    of_[step] = place;
    for (auto [storage, old] : llvm::zip(problem_.holds[step], before)) {
      const Life now = lifeOf(storage);
      shift(old.end, now.end, problem_.storages[storage].bytes);
      shift(old.begin, now.begin, -problem_.storages[storage].bytes);
    }
  }

private:
  /// The positions [begin, end) at which a storage is live.
  struct Life {
    size_t begin, end;
  };
  [[nodiscard]] Life lifeOf(uint32_t storage) const {
    const Storage &it = problem_.storages[storage];
    auto isEarlier = [&](uint32_t a, uint32_t b) { return of_[a] < of_[b]; };
    auto [first, last] = std::minmax_element(holders_[storage].begin(), holders_[storage].end(), isEarlier);
    return {it.fromStart ? 0 : of_[*first], it.toEnd ? of_.size() : of_[*last] + 1};
  }
  /// Moves a border of a life: adds the bytes to the positions that it passes on its way back, and subtracts them on
  /// its way to the front.
  void shift(size_t from, size_t to, int64_t bytes) {
    curve_.add(from, to, bytes);
    curve_.add(to, from, -bytes);
  }

  const Problem &problem_;
  /// by storage
  NumberLists holders_;
  /// by step
  std::vector<size_t> of_;
  MemoryCurve curve_;
};

/// Moves computation into stalls. Views take no time: they are available as soon as their operands are, and move with
/// their readers.
class StallFiller {
public:
  StallFiller(const Problem &problem, Schedule schedule, Budget budget)
      : problem_(problem), schedule_(std::move(schedule)), budget_(budget), stalls_(stallsOf(problem, schedule_)),
        places_(problem, schedule_), after_(problem.before.inverse(problem.steps.size())),
        missing_(problem.steps.size()), isIssued_(problem.steps.size()), turn_(problem.steps.size(), none),
        ready_(static_cast<unsigned>(problem.steps.size())) {}
  Schedule run();

private:
  [[nodiscard]] bool isFree(uint32_t step) const { return problem_.steps[step].kind == StepKind::Free; }
  [[nodiscard]] unsigned placeOf(uint32_t step) const { return static_cast<unsigned>(places_.of(step)); }
  [[nodiscard]] bool mayMove(uint32_t step) const;
  void begin();
  void noteThere(uint32_t step);
  void withdraw(uint32_t step);
  void fill(size_t place, int64_t room);
  void move(uint32_t step, size_t place);
  void moveTo(uint32_t step, size_t place);
  void takeBack();
  [[nodiscard]] bool isOver(size_t place) const;
  [[nodiscard]] std::vector<uint32_t> movedFirst() const;

  const Problem &problem_;
  Schedule schedule_;
  Budget budget_;
  /// by position
  std::vector<int64_t> stalls_;
  Places places_;
  NumberLists after_;
  /// by step: the number of its predecessors that are not yet available
  std::vector<uint32_t> missing_;
  std::vector<bool> isIssued_;
  /// by step: its number in the sequence of moves
  std::vector<uint32_t> turn_;
  uint32_t turns_ = 0;
  /// positions of computation that could run now
  llvm::BitVector ready_;
  struct Move {
    uint32_t step;
    size_t from;
  };
  /// moves into this stall
  std::vector<Move> moves_;
};

bool StallFiller::mayMove(uint32_t step) const {
  const Step &it = problem_.steps[step];
  return it.kind == StepKind::Compute && it.picoseconds > 0 && !it.input && places_.mayMove(step);
}

void StallFiller::begin() {
  for (uint32_t step = 0; step < problem_.steps.size(); ++step)
    missing_[step] = static_cast<uint32_t>(problem_.before[step].size());
  for (uint32_t step = 0; step < problem_.steps.size(); ++step)
    if (problem_.before[step].empty()) {
      if (isFree(step))
        noteThere(step);
      else if (mayMove(step))
        ready_.set(placeOf(step));
    }
}

/// Updates the steps that need it.
void StallFiller::noteThere(uint32_t step) {
  llvm::SmallVector<uint32_t, 8> there = {step};
  while (!there.empty())
    for (uint32_t user : after_[there.pop_back_val()]) {
      if (--missing_[user] > 0)
        continue;
      if (isFree(user))
        there.push_back(user);
      else if (mayMove(user))
        ready_.set(placeOf(user));
    }
}

/// Undoes noteThere().
void StallFiller::withdraw(uint32_t step) {
  llvm::SmallVector<uint32_t, 8> gone = {step};
  while (!gone.empty())
    for (uint32_t user : after_[gone.pop_back_val()]) {
      if (missing_[user]++ > 0)
        continue;
      if (isFree(user))
        gone.push_back(user);
      else
        ready_.reset(placeOf(user));
    }
}

void StallFiller::moveTo(uint32_t step, size_t place) {
  moves_.push_back({step, places_.of(step)});
  ready_.reset(placeOf(step));
  places_.move(step, place);
  isIssued_[step] = true;
  turn_[step] = turns_++;
}

/// Moves the step with the views that it needs.
void StallFiller::move(uint32_t step, size_t place) {
  llvm::SmallVector<uint32_t, 8> needed = {step}, views;
  while (!needed.empty())
    for (uint32_t before : problem_.before[needed.pop_back_val()])
      if (!isIssued_[before] && !llvm::is_contained(views, before)) {
        needed.push_back(before);
        views.push_back(before);
      }
  llvm::sort(views, [&](uint32_t a, uint32_t b) { return places_.of(a) < places_.of(b); });
  for (uint32_t view : views)
    moveTo(view, place);
  moveTo(step, place);
  noteThere(step);
}

/// Undoes the last move, with its views.
void StallFiller::takeBack() {
  withdraw(moves_.back().step);
  do {
    auto [step, from] = moves_.back();
    moves_.pop_back();
    places_.move(step, from);
    isIssued_[step] = false;
    turn_[step] = none;
    if (!isFree(step))
      ready_.set(placeOf(step));
  } while (!moves_.empty() && isFree(moves_.back().step));
}

bool StallFiller::isOver(size_t place) const {
  size_t last = place;
  for (const Move &move : moves_)
    last = std::max(last, move.from);
  return !budget_.fits(places_.largest(place, last + 1));
}

void StallFiller::fill(size_t place, int64_t room) {
  moves_.clear();
  unsigned asked = 0;
  // Steps before this position are issued, and steps that a move makes ready are after the moved step.
  for (int next = ready_.find_next(static_cast<unsigned>(place));
       next >= 0 && asked < maxAsked && moves_.size() < maxMoved; ++asked) {
    const auto from = static_cast<unsigned>(next);
    uint32_t step = schedule_.order[from];
    if (int64_t time = problem_.steps[step].picoseconds; time <= room) {
      move(step, place);
      room -= time;
    }
    next = ready_.find_next(from);
  }
  while (!moves_.empty() && isOver(place))
    takeBack();
}

/// Returns the moved steps in the sequence of their moves, then the others in their order: a moved step is before the
/// step whose position it has.
std::vector<uint32_t> StallFiller::movedFirst() const {
  std::vector<uint32_t> steps(turns_, none);
  for (uint32_t step : schedule_.order)
    if (turn_[step] != none)
      steps[turn_[step]] = step;
  llvm::erase_value(steps, none); // moves that were taken back
  for (uint32_t step : schedule_.order)
    if (turn_[step] == none)
      steps.push_back(step);
  return steps;
}

Schedule StallFiller::run() {
  begin();
  for (size_t place = 0; place < schedule_.order.size(); ++place) {
    uint32_t step = schedule_.order[place];
    if (isIssued_[step])
      continue;
    if (stalls_[place] > 0)
      fill(place, stalls_[place]);
    isIssued_[step] = true;
    ready_.reset(static_cast<unsigned>(place));
    if (!isFree(step))
      noteThere(step);
  }
  schedule_.order = orderedBy(places_.all(), movedFirst());
  return std::move(schedule_);
}

} // namespace

Schedule fillStalls(const Problem &problem, Schedule schedule, Budget budget) {
  return StallFiller(problem, std::move(schedule), budget).run();
}

} // namespace ccgraph::overlap

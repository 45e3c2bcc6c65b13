#include "schedule/freeing_search.h"

#include "schedule/kept_problem.h"
#include "schedule/overlap/bound.h"
#include "schedule/overlap/program_problem.h"
#include "schedule/overlap/replay.h"
#include "schedule/pass_search.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace ccgraph {

namespace {

/// A program with some values freed, as a problem.
class ChangedProgram {
public:
  ChangedProgram(Graph &graph, const CostModel &cost, PassContext &context)
      : graph_(graph), context_(context), facts_(graph),
        program_(graph, facts_, cost, {context.spmd(), context.bitwise()}) {}
  [[nodiscard]] const overlap::GraphProblem &given() const { return program_.given(); }
  [[nodiscard]] int64_t bound() const { return boundOf(given().problem); }
  /// Returns the bound without the collectives that keep-gathered may remove.
  [[nodiscard]] int64_t keptBound() const {
    const std::vector<Repetition> kept = keptRepetitions(graph_, facts_, context_.spmd(), [](auto &&...) {});
    return boundOf(withKept(given().problem, given().nodes, facts_, kept));
  }

private:
  static int64_t boundOf(const overlap::Problem &problem) {
    return overlap::lowerBounds(problem).anyMerging.picoseconds;
  }

  Graph &graph_;
  PassContext &context_;
  ProgramFacts facts_;
  overlap::ProgramProblem program_;
};

bool repeatsGathers(const FreedValues &values) {
  return llvm::any_of(values.recomputed(), [](const Recomputed &value) { return value.gatherTime > 0; });
}

} // namespace

/// Returns true if the choice is better than the best one. Later passes may gain more without repeated gathers, so
/// these must save a thousandth of the step. Of equally fast ones, later passes gain more with a lower bound. A
/// difference below a nanosecond, the unit of all measured durations, counts as none.
bool FreeingSearch::isBetter(const Choice &choice, bool gathers) const {
  if (!best_)
    return true;
  constexpr int64_t leastPart = 1000;
  const int64_t part = best_->picoseconds / leastPart, least = isMetWithout_ && gathers ? part : 0;
  auto over = [&](const Choice &it) { return std::max(it.peakBytes, setting_.options.budget); };
  if (over(choice) != over(*best_))
    return over(choice) < over(*best_);
  return choice.picoseconds + least < best_->picoseconds ||
         (choice.picoseconds < best_->picoseconds + picosecondsOfNs && choice.bound < best_->bound);
}

/// Searches a schedule, unless a bound shows that it is over the budget or no better than the best one. Returns false
/// if it fits the budget and is no better than the best one.
bool FreeingSearch::consider(Graph &graph, const CostModel &cost, const Freed &freed) {
  Choice choice{.values = freed.texts};
  SearchRecord &record = context_.analyses().searches();
  SearchRecord::Program &known = changedBy(choice.values);
  std::optional<ChangedProgram> program;
  auto given = [&]() -> ChangedProgram & { return program ? *program : program.emplace(graph, cost, context_); };
  if (!known.bound)
    known.bound = given().bound();
  const overlap::SearchOptions &options = setting_.options;
  const bool isMet = best_ && best_->peakBytes <= options.budget;
  if (isMet && *known.bound >= best_->picoseconds)
    return true;
  if (!record.find(known.search, options.budget)) {
    known.search = recordSearch(record, given().given(), options, Effort::Once);
    known.keptBound = given().keptBound();
  }
  const overlap::Schedule &schedule = *record.find(known.search, options.budget);
  ++searched_;
  choice.picoseconds = schedule.picoseconds;
  choice.peakBytes = schedule.peakBytes;
  choice.bound = {*known.bound, known.keptBound};
  if (!isBetter(choice, freed.gathers))
    return schedule.peakBytes > options.budget;
  best_ = std::move(choice);
  return true;
}

/// Tries parts of the values that a walk frees.
void FreeingSearch::tryParts(const Walk &walk) {
  std::unique_ptr<Graph> copy = graph_.clone();
  std::unique_ptr<CostModel> costs = context_.cost().forCopy(graph_, *copy);
  const ProgramFacts before(*copy);
  const RepeatableGathers repeatable(*copy, before, context_.spmd());
  FreedValues trial(*copy, before, *costs,
                    {walk.recompute, walk.offload, setting_.gatherAgain ? &repeatable : nullptr, walk.time});
  for (const std::string &text : walk.start)
    if (!trial.free(text))
      llvm_unreachable("the copy is the same graph");
  const int64_t peak = walk.start.empty() ? setting_.peakBytes : trial.peakBytes();
  if (!walk.start.empty() && peak <= setting_.options.budget)
    return;
  constexpr int64_t wholes = FreeingSetting::mostParts;
  constexpr unsigned mostInVain = 2;
  size_t values = trial.size();
  unsigned inVain = 0;
  for (int64_t part = 1; part <= std::min(walk.parts, wholes); ++part) {
    trial.reduceTo(peak - peak / wholes * part);
    if (trial.size() == values)
      continue;
    const bool gathers = walk.recompute && repeatsGathers(trial);
    // Gathers that take no time are first. Without any, the order is the one that was tried before.
    if (!gathers && walk.time == GatherTime::Hidden)
      return;
    values = trial.size();
    inVain = consider(*copy, *costs, {trial.texts(), gathers}) || !gathers ? 0 : inVain + 1;
    // Larger parts have these gathers too, which overlap with too little computation.
    if (inVain == mostInVain)
      break;
  }
  note(trial);
}

/// Notes the values that were tried, and for each action those that stay in its first walk. They are nodes of a copy.
void FreeingSearch::note(const FreedValues &trial) {
  llvm::append_range(tried_, trial.texts());
  auto isOffload = [](const FreedValues::Kept &kept) { return kept.isOffload; };
  const bool knowsOffload = llvm::any_of(kept_, isOffload), knowsRecompute = !llvm::all_of(kept_, isOffload);
  for (FreedValues::Kept kept : trial.kept())
    if (!(kept.isOffload ? knowsOffload : knowsRecompute))
      kept_.push_back({graph_.find(kept.value->name().str()), kept.isOffload, kept.obstacle});
}

/// Returns true if the other action frees the value.
bool FreeingSearch::isFreed(const FreedValues::Kept &kept) const {
  return llvm::any_of(best_->values, [&](llvm::StringRef text) {
    return text.split('.').first == kept.value->name().str() &&
           FreedValues::isOffloaded(text, UsualAction::Recompute) != kept.isOffload;
  });
}

void FreeingSearch::remarkKept(const FreeingReasons &reasons) const {
  for (const FreedValues::Kept &kept : kept_)
    if (const Reason *reason = kept.isOffload ? reasons.offload[kept.obstacle] : reasons.recompute[kept.obstacle];
        reason && !isFreed(kept))
      context_.remark(*reason, *kept.value);
  auto nameOf = [](llvm::StringRef text) { return text.split('.').first; };
  llvm::StringSet<> reported;
  for (const std::string &text : best_->values)
    reported.insert(nameOf(text));
  for (const std::string &text : tried_)
    if (reported.insert(nameOf(text)).second)
      context_.remark(*reasons.notFaster, *graph_.find(nameOf(text)));
}

/// Returns the record of the program with these values freed.
SearchRecord::Program &FreeingSearch::changedBy(llvm::ArrayRef<std::string> values) {
  return context_.analyses().searches().changed(program_ + (setting_.gatherAgain ? ";again;" : ";kept;") +
                                                llvm::join(values, ","));
}

/// Searches the program as it stands.
void FreeingSearch::searchGiven() {
  const ChangedProgram given(graph_, context_.cost(), context_);
  program_ = recordSearch(context_.analyses().searches(), given.given(), setting_.options, Effort::Thorough);
  SearchRecord::Program &known = changedBy({});
  if (!known.bound)
    known = {.bound = given.bound(), .keptBound = given.keptBound(), .search = program_};
  static_cast<void>(consider(graph_, context_.cost(), {}));
  isMetWithout_ = best_->peakBytes <= setting_.options.budget;
}

void FreeingSearch::choose() {
  searchGiven();
  const bool mayMix = setting_.recompute && setting_.offload;
  if (!mayMix || !setting_.actionPerValue)
    tryEach();
  auto isOver = [&] { return best_->peakBytes > setting_.options.budget; };
  if (!mayMix || (!setting_.actionPerValue && !isOver()))
    return;
  const Choice inTurn = *best_;
  tryTimes({.recompute = true, .offload = true, .parts = setting_.parts + setting_.parts / 2});
  // Where neither way meets the budget, the manager compares the whole pipeline with each.
  if (!setting_.actionPerValue && isOver())
    best_ = inTurn;
}

/// Tries one action after the other.
void FreeingSearch::tryEach() {
  if (setting_.recompute)
    tryTimes({.recompute = true, .parts = setting_.parts});
  if (setting_.offload)
    tryParts({.offload = true, .parts = setting_.parts, .start = best_->values});
}

/// Tries parts with repeated gathers that take their time, and with those that take none.
void FreeingSearch::tryTimes(Walk walk) {
  tryParts(walk);
  walk.time = GatherTime::Hidden;
  if (setting_.gatherAgain)
    tryParts(walk);
}

} // namespace ccgraph
